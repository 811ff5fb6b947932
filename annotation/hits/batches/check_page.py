"""What a row's page shows before it is published: the answers it sends, and what will not work as its author means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import lxml.html
from lxml.etree import _Element

from annotation.hits.batches.template import ADDED_FORM, variables

_STORES = ("localStorage", "sessionStorage", "indexedDB", "document.cookie")
_OPENS = re.compile(r"""(?:window\.)?\bopen\(\s*(["'`])(https?:)?//""")
_AWAY = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SENT_TO = re.compile(r"(?:https?:)?//[^/]*(?:mturk\.com/mturk/externalSubmit)", re.IGNORECASE)
_NO_FIELD = frozenset({"submit", "button", "reset", "image"})
_TEXTS = ("crowd-input", "crowd-text-area", "crowd-slider")
_TICKED = ("crowd-checkbox", "crowd-radio-button", "crowd-toggle-button")
_LABELED = ("crowd-classifier", "crowd-image-classifier")


@dataclass(frozen=True, slots=True)
class PageCheck:
    """fields: names of the answers, in document order; those that scripts add are not among them.

    links: addresses that lead out of the task; opens: a script opens one; sends_to: forms that lead elsewhere;
    storage: what scripts use that a task does not have; left: ${names} that stay as written; form_added: the page has
    no form or submit button and gets one; colliding: dotted answers (flatten-objects) of two fields, for which the
    whole answer arrives as `taskAnswers`.
    """

    fields: tuple[str, ...]
    links: tuple[str, ...]
    opens: bool
    sends_to: tuple[str, ...]
    storage: tuple[str, ...]
    left: tuple[str, ...]
    form_added: bool
    colliding: tuple[str, ...]


def check_page(page: str) -> PageCheck:
    """Look at a page as `page_of` makes it. Scripts are read, not run."""
    tree = lxml.html.document_fromstring(page)
    script = "\n".join(element.text or "" for element in tree.iter("script"))
    fields = list(_fields(tree))
    flat = tree.xpath("//crowd-form[@answer-format='flatten-objects']")
    return PageCheck(
        fields=_once(element.get("name", "") for element in fields),
        links=_once(_links(tree)),
        opens=_OPENS.search(script) is not None,
        sends_to=_once(
            action for action in tree.xpath("//form/@action") if _AWAY.match(action) and not _is_submit_address(action)
        ),
        storage=tuple(name for name in _STORES if name in script),
        left=_once(variable.name for variable in variables(page)),
        form_added=ADDED_FORM in page,
        colliding=_colliding(fields) if flat else (),
    )


def _is_submit_address(action: str) -> bool:
    return _SENT_TO.match(action) is not None


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _links(tree: _Element) -> Iterator[str]:
    for element in tree.iter("a", "area", "crowd-button"):
        address = (element.get("href") or "").strip()
        if _AWAY.match(address) and element.get("download") is None:
            yield address


def _fields(tree: _Element) -> Iterator[_Element]:
    for element in tree.iter("input", "select", "textarea", "crowd-entity-annotation", *_TEXTS, *_TICKED, *_choices()):
        if (
            element.get("name") not in (None, "", "assignmentId")
            and element.get("type", "").lower() not in _NO_FIELD
            and element.get("disabled") is None
        ):
            yield element


def _choices() -> tuple[str, ...]:
    return (*_LABELED, *(f"{name}-multi-select" for name in _LABELED))


def _colliding(fields: list[_Element]) -> tuple[str, ...]:
    """Dotted names that fields of different kinds give."""
    kinds: dict[str, set[str]] = {}
    for element in fields:
        name, tag = element.get("name", ""), str(element.tag)
        if tag in _TICKED or element.get("type", "").lower() in ("checkbox", "radio"):
            kinds.setdefault(f"{name}.{element.get('value', 'on')}", set()).add("ticked")
        elif tag in _LABELED:
            kinds.setdefault(f"{name}.label", set()).add("label")
        elif tag in _choices():
            kinds.setdefault(f"{name}.labels", set()).add("labels")
        else:
            kinds.setdefault(name, set()).add("text")
    return tuple(path for path, among in kinds.items() if len(among) > 1)
