"""From the XML of a QuestionForm to `fields.Form`, by the schemas of 2017-11-06 and 2005-10-01."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import regex

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.questions import formatted_content as formatted
from annotation.marketplace.questions.form_fields import (
    OTHER,
    Block,
    Choice,
    Form,
    FreeText,
    Overview,
    Pattern,
    Question,
    Selection,
)
from annotation.marketplace.questions.safe_xml import boolean, children, name_of, root_of, sequence, text_of, whole

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
NAMESPACES = (f"{SCHEMAS}/2017-11-06/QuestionForm.xsd", f"{SCHEMAS}/2005-10-01/QuestionForm.xsd")
CONTENT = ("Title", "Text", "List", "Binary", "EmbeddedBinary", "FormattedContent", "Application")
MEDIA = ("image", "audio", "video")
STYLES = ("radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser")
SAID = "Invalid input supplied."
FARTHEST = 999_999_999


@lru_cache(maxsize=128)
def read(text: str) -> Form:
    """Read a QuestionForm. Raises InvalidParameterError naming the rule that is broken."""
    namespace, name, root = root_of(text)
    if name != "QuestionForm" or namespace not in NAMESPACES:
        raise InvalidParameterError(
            f"A test must be a QuestionForm ({NAMESPACES[0]} or {NAMESPACES[1]}), not {name!r} in {namespace!r}."
        )
    parts = tuple(
        _part(child, namespace) for child in children(root, namespace=namespace, allowed=("Overview", "Question"))
    )
    form = Form(parts)
    if not form.questions:
        raise InvalidParameterError("A QuestionForm must hold at least one Question.")
    names = [question.field for question in form.questions] + [question.other_field for question in form.questions]
    twice = {found for found in names if names.count(found) > 1}
    if twice:
        raise InvalidParameterError(
            f"QuestionIdentifier must be unique; {min(twice).removesuffix(OTHER)!r} comes twice."
        )
    return form


def _part(element: Element, namespace: str) -> Overview | Question:
    if name_of(element) == "Overview":
        return Overview(_content(element, namespace))
    names = ("QuestionIdentifier", "DisplayName", "IsRequired", "QuestionContent", "AnswerSpecification")
    found = sequence(element, namespace=namespace, names=names, optional=("DisplayName", "IsRequired"))
    return Question(
        identifier=text_of(found["QuestionIdentifier"]).strip(),
        name=text_of(found["DisplayName"], empty=True).strip() if "DisplayName" in found else "",
        required=boolean(found["IsRequired"]) if "IsRequired" in found else False,
        content=_content(found["QuestionContent"], namespace),
        answer=_answer(found["AnswerSpecification"], namespace),
    )


def _content(element: Element, namespace: str) -> tuple[Block, ...]:
    blocks = tuple(_block(child, namespace) for child in children(element, namespace=namespace, allowed=CONTENT))
    if not blocks:
        raise InvalidParameterError(f"{name_of(element)} must hold content ({', '.join(CONTENT[:-1])}).")
    return blocks


def _block(element: Element, namespace: str) -> Block:
    name = name_of(element)
    if name == "Application":
        raise InvalidParameterError("Application is not supported (Amazon ended Java applets and Flash in 2017).")
    if name in {"Binary", "EmbeddedBinary"}:
        return _binary(element, namespace)
    if name == "List":
        items = children(element, namespace=namespace, allowed=("ListItem",))
        if not items:
            raise InvalidParameterError("List must hold at least one ListItem.")
        return Block("list", items=tuple(text_of(item, empty=True) for item in items))
    if name == "FormattedContent":
        return Block("html", formatted.checked(text_of(element)))
    return Block(name.lower(), text_of(element, empty=True))


def _binary(element: Element, namespace: str) -> Block:
    embedded = name_of(element) == "EmbeddedBinary"
    kind = "EmbeddedMimeType" if embedded else "MimeType"
    if embedded:
        allowed = (kind, "DataURL", "AltText", "Width", "Height", "ApplicationParameter")
        given = children(element, namespace=namespace, allowed=allowed)
        found = {name_of(child): child for child in given}
        if not found.keys() >= set(allowed[:-1]):
            raise InvalidParameterError(f"EmbeddedBinary must hold {', '.join(allowed[:-1])}.")
    else:
        found = sequence(element, namespace=namespace, names=(kind, "DataURL", "AltText"))
    mime = sequence(found[kind], namespace=namespace, names=("Type", "SubType"), optional=("SubType",))
    media = text_of(mime["Type"]).strip()
    if media not in MEDIA:
        raise InvalidParameterError(f"Type of {kind} must be image, audio or video, not {media[:40]!r}.")
    return Block(media, text_of(found["AltText"], empty=True).strip(), url=_address(found["DataURL"]))


def _address(element: Element) -> str:
    address = text_of(element).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc or not address.isprintable() or " " in address:
        raise InvalidParameterError(f"DataURL must be an http or https address, not {address[:80]!r}.")
    return address


def _answer(element: Element, namespace: str) -> FreeText | Selection:
    found = children(element, namespace=namespace, allowed=("FreeTextAnswer", "SelectionAnswer", "FileUploadAnswer"))
    if len(found) != 1:
        raise InvalidParameterError("AnswerSpecification must hold one FreeTextAnswer or SelectionAnswer.")
    if name_of(found[0]) == "FileUploadAnswer":
        raise InvalidParameterError(
            "FileUploadAnswer is not supported (Amazon ended it in 2017); let workers upload in an ExternalQuestion."
        )
    return (_free_text if name_of(found[0]) == "FreeTextAnswer" else _selection)(found[0], namespace)


def _free_text(element: Element, namespace: str) -> FreeText:
    names = ("Constraints", "DefaultText", "NumberOfLinesSuggestion")
    found = sequence(element, namespace=namespace, names=names, optional=names)
    bounds = _constraints(found["Constraints"], namespace) if "Constraints" in found else {}
    lines = found.get("NumberOfLinesSuggestion")
    return FreeText(
        **bounds,
        default=text_of(found["DefaultText"], empty=True) if "DefaultText" in found else "",
        lines=whole(text_of(lines), "NumberOfLinesSuggestion", least=1) if lines is not None else 1,
    )


def _constraints(element: Element, namespace: str) -> dict:
    found: dict = {"patterns": ()}
    for child in children(element, namespace=namespace, allowed=("IsNumeric", "Length", "AnswerFormatRegex")):
        name = name_of(child)
        if name == "AnswerFormatRegex":
            found["patterns"] += (_pattern(child),)
        elif name == "IsNumeric":
            least, most = _bounds(child, "minValue", "maxValue", -FARTHEST, -FARTHEST)
            found |= {"numeric": True, "least": least, "most": most}
        else:
            shortest, longest = _bounds(child, "minLength", "maxLength", 0, 1)
            found |= {"shortest": shortest, "longest": longest}
    return found


def _bounds(element: Element, low: str, high: str, lowest: int, least_high: int) -> tuple[int | None, int | None]:
    unknown = set(element.attrib) - {low, high}
    if unknown:
        raise InvalidParameterError(f"{name_of(element)} must not have the attribute {min(unknown)[:40]}.")
    below = whole(element.get(low), low, least=lowest) if low in element.attrib else None
    above = whole(element.get(high), high, least=least_high) if high in element.attrib else None
    if below is not None and above is not None and below > above:
        raise InvalidParameterError(f"{low} must not be greater than {high}; they are {below} and {above}.")
    return below, above


def _pattern(element: Element) -> Pattern:
    expression, flags = element.get("regex"), element.get("flags", "")
    if expression is None or set(element.attrib) - {"regex", "errorText", "flags"} or flags not in {"", "i"}:
        raise InvalidParameterError('AnswerFormatRegex must have regex, and may have errorText and flags="i".')
    try:
        regex.compile(expression, regex.ASCII)
    except regex.error as error:
        raise InvalidParameterError(f"regex {expression[:80]!r} is not a regular expression: {error}.") from None
    return Pattern(expression, flags == "i", element.get("errorText") or SAID)


def _selection(element: Element, namespace: str) -> Selection:
    names = ("MinSelectionCount", "MaxSelectionCount", "StyleSuggestion", "Selections")
    found = sequence(element, namespace=namespace, names=names, optional=names[:3])
    style = text_of(found["StyleSuggestion"]).strip() if "StyleSuggestion" in found else ""
    if style and style not in STYLES:
        raise InvalidParameterError(f"StyleSuggestion must be one of {', '.join(STYLES)}, not {style[:40]!r}.")
    choices, other = _choices(found["Selections"], namespace)
    number = len(choices) + (other is not None)
    least, most = _count(found, "MinSelectionCount", 0), _count(found, "MaxSelectionCount", 1)
    if least > number or most > number or least > most:
        raise InvalidParameterError(
            f"MinSelectionCount ({least}) and MaxSelectionCount ({most}) must fit together and the {number} selections."
        )
    return Selection(choices, least, most, style, other)


def _count(found: dict[str, Element], name: str, least: int) -> int:
    return whole(text_of(found[name]), name, least=least) if name in found else 1


def _choices(element: Element, namespace: str) -> tuple[tuple[Choice, ...], FreeText | None]:
    rows = children(element, namespace=namespace, allowed=("Selection", "OtherSelection"))
    other = _free_text(rows.pop(), namespace) if rows and name_of(rows[-1]) == "OtherSelection" else None
    choices = tuple(_choice(row, namespace) for row in rows)
    identifiers = [choice.identifier for choice in choices]
    if not choices or len(set(identifiers)) != len(identifiers):
        raise InvalidParameterError(
            "Selections must hold Selection elements with a SelectionIdentifier of their own each."
        )
    return choices, other


def _choice(element: Element, namespace: str) -> Choice:
    if name_of(element) != "Selection":
        raise InvalidParameterError("OtherSelection must come once, after every Selection.")
    allowed = ("SelectionIdentifier", "Text", "FormattedContent", "Binary")
    found = children(element, namespace=namespace, allowed=allowed)
    if len(found) != 2 or name_of(found[0]) != allowed[0] or name_of(found[1]) == allowed[0]:
        raise InvalidParameterError(
            "Selection must hold SelectionIdentifier and one of Text, FormattedContent, Binary."
        )
    return Choice(text_of(found[0]).strip(), _block(found[1], namespace))
