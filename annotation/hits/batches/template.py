"""Templates with ${variables}: which they name, filled in by a row, and the form that the requester site put around."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import lxml.html
from lxml.etree import ParserError

from annotation.exceptions import DesignError

MAX_TEMPLATE = 65_535  # bytes: what a question holds
VARIABLE = re.compile(r"\$\{([^{}]+)\}")
_DOCUMENT = re.compile(r"<!doctype|<html[\s>]|<body[\s>]", re.IGNORECASE)
_BODY = re.compile(r"<body[^>]*>", re.IGNORECASE)
_BODY_END = re.compile(r"</body\s*>", re.IGNORECASE)
_SKELETON_HEAD = (
    '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>{title}</title></head><body>"
)
_SKELETON_END = "</body></html>"
ADDED_FORM = (
    '<form id="mturk_form" method="post" action="https://www.mturk.com/mturk/externalSubmit">'
    '<input type="hidden" name="assignmentId" id="assignmentId" value="">'
)
_FORM = (ADDED_FORM, '<p><input type="submit" id="submitButton" value="Submit"></p></form>')
# What hands a task in by itself: with any of these a layout has no form put around it.
_HANDS_IN = (
    "//form|//crowd-form|//crowd-entity-annotation|//button[not(@type) or @type='submit']"
    "|//input[@type='submit' or @type='image']"
)


def decode_template(content: bytes) -> str:
    """A template as text. Raises DesignError (field template) for one that is too large or not UTF-8."""
    if len(content) > MAX_TEMPLATE:
        raise DesignError("The template is larger than 65,535 bytes, the limit for a task.").at("template")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DesignError(f"Line {line} is not UTF-8. Save the template as UTF-8.").at("template") from None


@dataclass(frozen=True, slots=True)
class Variable:
    """A name in ${...} and the line of the template on which it stands, from 1."""

    name: str
    line: int


def variables(template: str) -> tuple[Variable, ...]:
    """Every variable of the template, in its order.

    >>> [(each.name, each.line) for each in variables("<p>${a}\\n${b} ${a}")]
    [('a', 1), ('b', 2), ('a', 2)]
    """
    return tuple(
        Variable(match[1], template.count("\n", 0, match.start()) + 1) for match in VARIABLE.finditer(template)
    )


def fill(template: str, cells: Mapping[str, str]) -> str:
    """The template with each variable's cell in its place, as it is, in one pass; other names stay as written.

    >>> fill("<p>${a} ${b}", {"a": "<b>${b}</b>"})
    '<p><b>${b}</b> ${b}'
    """
    return VARIABLE.sub(lambda match: cells.get(match[1], match[0]), template)


def page_of(template: str, cells: Mapping[str, str], *, title: str) -> str:
    """The page of a row's HIT: filled in, in a document, with a form around it where it cannot hand in by itself.

    Raises ValueError where nothing is left to show.
    """
    page = fill(template, cells)
    try:
        tree = lxml.html.document_fromstring(page)
    except ParserError:
        raise ValueError("the page is blank") from None
    if not tree.xpath(_HANDS_IN):
        page = _around(page, *_FORM)
    if _DOCUMENT.search(page):
        return page
    return _SKELETON_HEAD.format(title=escape(title)) + page + _SKELETON_END


def _around(page: str, before: str, after: str) -> str:
    """`page` with `before` and `after` at the beginning and the end of its body."""
    start, closing = _BODY.search(page), list(_BODY_END.finditer(page))
    begins = start.end() if start else 0
    ends = closing[-1].start() if closing else len(page)
    return page[:begins] + before + page[begins:ends] + after + page[ends:]
