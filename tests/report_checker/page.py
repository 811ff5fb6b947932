"""A report's page as a reader sees it: its sentences by place, its facts, its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from lxml import html
from lxml.html import HtmlElement


@dataclass(frozen=True, slots=True)
class Shown:
    """A text of the page. place: `methods`, `lead`, `verdict`, `limit`, `warning`, `lead of results`, `note`,
    `cut` (how much of a list is shown), `caption`, `figure` (its caption) or `picture` (what is said of it to who
    cannot see it)."""

    place: str
    text: str


PLACES = (
    ("lead", "//section[@id='summary']//p[@class='lead']"),
    ("verdict", "//section[@id='summary']//ul[@class='verdicts']/li"),
    ("limit", "//ul[@class='limits']/li"),
    ("methods", "//p[@class='methods']"),
    ("datasheet", "//section[@id='datasheet']/p"),
    ("missing", "//section[@id='paper']/p[not(@class)]"),
    ("no warning", "//section[@id='limitations']/p"),
    ("design", "//section[@id='design']/p[not(@class)]"),
    ("results", "//section[@id='results']//div[@class='part']/p[not(@class)]"),
    ("warning", "//ul[@class='warnings']/li"),
    ("caption", "//caption"),
    ("figure", "//figure[div]/figcaption"),
    ("cut", "//section[@id='items']//details/p[@class='quiet']"),
    ("cut", "//section[@id='raters']//td[@class='none'][@colspan='2']"),
    ("note", "//div[@class='scroll']/following-sibling::p[@class='quiet']"),
)


CUT = re.compile(r"The first \d|The appendix has")


class Page:
    """What can be read on a page."""

    def __init__(self, text: str) -> None:
        self.tree: HtmlElement = html.document_fromstring(text)

    def shown(self) -> Iterator[Shown]:
        """Each text of a place, in order."""
        for place, path in PLACES:
            for element in self.tree.xpath(path):
                yield Shown(place, words(element))
        for figure in self.tree.iter("figure"):
            title, picture = figure.find("figcaption/b"), figure.find(".//svg")
            if title is not None and picture is not None:
                yield Shown("picture", f"{words(title)}. {picture.get('aria-label')}")

    def facts(self) -> dict[str, list[str]]:
        """Facts by name."""
        return {
            words(term): [words(value) for value in term.getparent().findall("dd")] for term in self.tree.iter("dt")
        }

    def captioned(self) -> Iterator[tuple[str, list[list[str]]]]:
        """Each table's caption and rows (cells), the head first."""
        for table in self.tree.iter("table"):
            caption = table.find("caption")
            if caption is not None:
                rows = [[words(cell) for cell in row if cell.tag in ("th", "td")] for row in table.iter("tr")]
                yield words(caption), rows

    def cut_tables(self) -> dict[str, int]:
        """By the caption of each table with a note that it is cut, how many rows it shows."""
        shown = {}
        for box in self.tree.xpath("//div[@class='scroll']"):
            below = takewhile(lambda element: element.tag == "p", box.itersiblings())
            if any(CUT.match(words(note)) for note in below):
                shown[words(box.find(".//caption"))] = len(box.xpath(".//tbody/tr"))
        return shown

    def tables(self) -> dict[str, list[list[str]]]:
        """Rows (cells) of each table by its caption, the head first; of tables with one caption, the last."""
        return dict(self.captioned())


def words(element: HtmlElement) -> str:
    """The element's text with single spaces."""
    return " ".join(element.text_content().split())
