"""What no page of a report may have: a heading without content, and the words "not recorded" more than once."""

from __future__ import annotations

from lxml import html
from lxml.html import HtmlElement

HEADINGS = ("h1", "h2", "h3", "h4", "h5")


def empty_headings(page: str) -> list[str]:
    """Headings that the next of their rank or a higher one follows at once, or the end of their section."""
    headings = html.document_fromstring(page).iter(*HEADINGS)
    return [_text_of(heading) for heading in headings if not _has_content(heading)]


def _has_content(heading: HtmlElement) -> bool:
    for element in heading.itersiblings():
        if element.tag in HEADINGS and element.tag <= heading.tag:
            return False
        if _text_of(element) or element.xpath(".//img | .//svg"):
            return True
    return False


def count_not_recorded(page: str) -> int:
    """How often the words occur, in folds as well."""
    tree = html.document_fromstring(page)
    for hidden in tree.xpath("//script | //style | //svg"):
        hidden.drop_tree()
    return _text_of(tree).lower().count("not recorded")


def _text_of(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())
