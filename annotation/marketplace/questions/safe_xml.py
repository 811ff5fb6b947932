"""Reading XML of requesters against a documented schema: which elements, in which order, with what in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from annotation.marketplace.errors import InvalidParameterError

MAX_DIGITS = 9


def root_of(text: str) -> tuple[str, str, Element]:
    """Namespace, name and element of the root. Raises InvalidParameterError."""
    try:
        root = fromstring(text.strip(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise InvalidParameterError(
            f"There was an error parsing the XML question data in your request: {error}"
        ) from None
    namespace, _, name = root.tag.removeprefix("{").rpartition("}")
    return namespace, name, root


def name_of(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def children(element: Element, *, namespace: str, allowed: Sequence[str]) -> list[Element]:
    """The child elements, each of `namespace` and with a name in `allowed`; texts between them must be blank."""
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        raise InvalidParameterError(f"{name_of(element)} must hold elements, and no text beside them.")
    for child in element:
        if child.tag not in {f"{{{namespace}}}{name}" for name in allowed}:
            raise InvalidParameterError(
                f"{name_of(element)} may hold {', '.join(allowed)}; it holds {name_of(child)!r} "
                f"in the namespace {child.tag.rpartition('}')[0].removeprefix('{')!r}."
            )
    return list(element)


def sequence(
    element: Element, *, namespace: str, names: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, Element]:
    """The children by name: each of `names` once and in this order, those of `optional` at most once."""
    rows = children(element, namespace=namespace, allowed=names)
    row_names = [name_of(child) for child in rows]
    if len(set(row_names)) != len(row_names) or row_names != [name for name in names if name in row_names]:
        raise InvalidParameterError(
            f"{name_of(element)} must hold {', '.join(names)} in this order, each at most once."
        )
    missing = [name for name in names if name not in row_names and name not in optional]
    if missing:
        raise InvalidParameterError(f"{name_of(element)} must hold {missing[0]}.")
    return dict(zip(row_names, rows, strict=True))


def text_of(element: Element, *, empty: bool = False) -> str:
    """The text of an element that holds nothing else; blank ones only where `empty`."""
    if len(element):
        raise InvalidParameterError(f"{name_of(element)} must hold text only.")
    text = element.text or ""
    if not text.strip() and not empty:
        raise InvalidParameterError(f"{name_of(element)} must not be empty.")
    return text


def parse_integer(text: str | None, name: str, *, minimum: int) -> int:
    """A whole number of at most nine digits, from `least` on."""
    stripped = (text or "").strip()
    if re.fullmatch(f"[+-]?[0-9]{{1,{MAX_DIGITS}}}", stripped) is None or int(stripped) < minimum:
        raise InvalidParameterError(f"{name} must be a whole number from {minimum} on, not {stripped[:40]!r}.")
    return int(stripped)


def boolean(element: Element) -> bool:
    """An xs:boolean."""
    text = text_of(element).strip()
    if text not in {"true", "false", "1", "0"}:
        raise InvalidParameterError(f"{name_of(element)} must be true or false, not {text[:40]!r}.")
    return text in {"true", "1"}
