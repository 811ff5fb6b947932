"""From the XML of a QuestionForm to `fields.Form`, by the schemas of 2017-11-06 and 2005-10-01."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import regex

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.questions import formatted_content
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
from annotation.marketplace.questions.safe_xml import (
    boolean,
    children,
    name_of,
    parse_integer,
    root_of,
    sequence,
    text_of,
)

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
NAMESPACES = (f"{SCHEMAS}/2017-11-06/QuestionForm.xsd", f"{SCHEMAS}/2005-10-01/QuestionForm.xsd")
CONTENT = ("Title", "Text", "List", "Binary", "EmbeddedBinary", "FormattedContent", "Application")
MEDIA = ("image", "audio", "video")
STYLES = ("radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser")
DEFAULT_ERROR_TEXT = "Invalid input supplied."
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
    twice = {field for field in names if names.count(field) > 1}
    if twice:
        raise InvalidParameterError(
            f"QuestionIdentifier must be unique; {min(twice).removesuffix(OTHER)!r} comes twice."
        )
    return form


def _part(element: Element, namespace: str) -> Overview | Question:
    if name_of(element) == "Overview":
        return Overview(_content(element, namespace))
    names = ("QuestionIdentifier", "DisplayName", "IsRequired", "QuestionContent", "AnswerSpecification")
    elements = sequence(element, namespace=namespace, names=names, optional=("DisplayName", "IsRequired"))
    return Question(
        identifier=text_of(elements["QuestionIdentifier"]).strip(),
        name=text_of(elements["DisplayName"], empty=True).strip() if "DisplayName" in elements else "",
        required=boolean(elements["IsRequired"]) if "IsRequired" in elements else False,
        content=_content(elements["QuestionContent"], namespace),
        answer=_answer(elements["AnswerSpecification"], namespace),
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
        return Block("html", formatted_content.checked(text_of(element)))
    return Block(name.lower(), text_of(element, empty=True))


def _binary(element: Element, namespace: str) -> Block:
    embedded = name_of(element) == "EmbeddedBinary"
    kind = "EmbeddedMimeType" if embedded else "MimeType"
    if embedded:
        allowed = (kind, "DataURL", "AltText", "Width", "Height", "ApplicationParameter")
        rows = children(element, namespace=namespace, allowed=allowed)
        elements = {name_of(child): child for child in rows}
        if not elements.keys() >= set(allowed[:-1]):
            raise InvalidParameterError(f"EmbeddedBinary must hold {', '.join(allowed[:-1])}.")
    else:
        elements = sequence(element, namespace=namespace, names=(kind, "DataURL", "AltText"))
    mime = sequence(elements[kind], namespace=namespace, names=("Type", "SubType"), optional=("SubType",))
    media = text_of(mime["Type"]).strip()
    if media not in MEDIA:
        raise InvalidParameterError(f"Type of {kind} must be image, audio or video, not {media[:40]!r}.")
    return Block(media, text_of(elements["AltText"], empty=True).strip(), url=_address(elements["DataURL"]))


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
    rows = children(element, namespace=namespace, allowed=("FreeTextAnswer", "SelectionAnswer", "FileUploadAnswer"))
    if len(rows) != 1:
        raise InvalidParameterError("AnswerSpecification must hold one FreeTextAnswer or SelectionAnswer.")
    if name_of(rows[0]) == "FileUploadAnswer":
        raise InvalidParameterError(
            "FileUploadAnswer is not supported (Amazon ended it in 2017); let workers upload in an ExternalQuestion."
        )
    return (_free_text if name_of(rows[0]) == "FreeTextAnswer" else _selection)(rows[0], namespace)


def _free_text(element: Element, namespace: str) -> FreeText:
    names = ("Constraints", "DefaultText", "NumberOfLinesSuggestion")
    elements = sequence(element, namespace=namespace, names=names, optional=names)
    bounds = _constraints(elements["Constraints"], namespace) if "Constraints" in elements else {}
    lines = elements.get("NumberOfLinesSuggestion")
    return FreeText(
        **bounds,
        default=text_of(elements["DefaultText"], empty=True) if "DefaultText" in elements else "",
        lines=parse_integer(text_of(lines), "NumberOfLinesSuggestion", minimum=1) if lines is not None else 1,
    )


def _constraints(element: Element, namespace: str) -> dict:
    constraints: dict = {"patterns": ()}
    for child in children(element, namespace=namespace, allowed=("IsNumeric", "Length", "AnswerFormatRegex")):
        name = name_of(child)
        if name == "AnswerFormatRegex":
            constraints["patterns"] += (_pattern(child),)
        elif name == "IsNumeric":
            minimum, maximum = _bounds(child, "minValue", "maxValue", -FARTHEST, -FARTHEST)
            constraints |= {"numeric": True, "min_value": minimum, "max_value": maximum}
        else:
            shortest, longest = _bounds(child, "minLength", "maxLength", 0, 1)
            constraints |= {"shortest": shortest, "longest": longest}
    return constraints


def _bounds(element: Element, low: str, high: str, lowest: int, min_high: int) -> tuple[int | None, int | None]:
    unknown = set(element.attrib) - {low, high}
    if unknown:
        raise InvalidParameterError(f"{name_of(element)} must not have the attribute {min(unknown)[:40]}.")
    below = parse_integer(element.get(low), low, minimum=lowest) if low in element.attrib else None
    above = parse_integer(element.get(high), high, minimum=min_high) if high in element.attrib else None
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
    return Pattern(expression, flags == "i", element.get("errorText") or DEFAULT_ERROR_TEXT)


def _selection(element: Element, namespace: str) -> Selection:
    names = ("MinSelectionCount", "MaxSelectionCount", "StyleSuggestion", "Selections")
    elements = sequence(element, namespace=namespace, names=names, optional=names[:3])
    style = text_of(elements["StyleSuggestion"]).strip() if "StyleSuggestion" in elements else ""
    if style and style not in STYLES:
        raise InvalidParameterError(f"StyleSuggestion must be one of {', '.join(STYLES)}, not {style[:40]!r}.")
    choices, other = _choices(elements["Selections"], namespace)
    number = len(choices) + (other is not None)
    min_choices, max_choices = _count(elements, "MinSelectionCount", 0), _count(elements, "MaxSelectionCount", 1)
    if min_choices > number or max_choices > number or min_choices > max_choices:
        raise InvalidParameterError(
            f"MinSelectionCount ({min_choices}) and MaxSelectionCount ({max_choices}) "
            f"must fit together and the {number} selections."
        )
    return Selection(choices, min_choices, max_choices, style, other)


def _count(elements: dict[str, Element], name: str, minimum: int) -> int:
    return parse_integer(text_of(elements[name]), name, minimum=minimum) if name in elements else 1


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
    rows = children(element, namespace=namespace, allowed=allowed)
    if len(rows) != 2 or name_of(rows[0]) != allowed[0] or name_of(rows[1]) == allowed[0]:
        raise InvalidParameterError(
            "Selection must hold SelectionIdentifier and one of Text, FormattedContent, Binary."
        )
    return Choice(text_of(rows[0]).strip(), _block(rows[1], namespace))
