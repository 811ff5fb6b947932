"""The pages as raters saw them: their words, and their pictures where a Chromium is found."""

from __future__ import annotations

import base64
import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from pathlib import Path

from metrics.figures.images import NoBrowser, png
from metrics.report.row_records import PageFacts

WIDTH, HEIGHT = 800, 1000
SILENT = frozenset({"script", "style", "template", "noscript", "title", "head"})
# A page may have come with a file from elsewhere: it is shown without a way to any other file or address.
FRAME = (
    '<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="'
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:"
    '"><style>html,body{{margin:0;height:100%}}iframe{{display:block;border:0;width:100%;height:100%}}</style></head>'
    '<body><iframe sandbox="allow-scripts" srcdoc="{page}"></iframe></body></html>'
)
BLOCKS = frozenset({"p", "div", "li", "h1", "h2", "h3", "h4", "label", "legend", "section", "fieldset", "tr", "br"})
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class ShownPage:
    """One page for a reader: its words, and the picture of its first screen as a data address ("" for none)."""

    title: str
    text: str
    picture: str
    alt: str
    width: int
    height: int


def show_pages(facts: Sequence[PageFacts], pictures: Mapping[str, bytes]) -> list[ShownPage]:
    """Each page with its words, shortened after 4,000 characters (report.json has the whole page)."""
    shown = []
    for page in facts:
        image = pictures.get(page.name, b"")
        width, height = _size(image) if image else (0, 0)
        address = f"data:image/png;base64,{base64.b64encode(image).decode()}" if image else ""
        alt = f"First screen of the page {page.title}, as raters saw it; its words follow."
        shown.append(ShownPage(page.title, text_of_html(page.html), address, alt, width, height))
    return shown


def take_pictures(facts: Sequence[PageFacts], chromium: Path | None, *, sandbox: bool = True) -> dict[str, bytes]:
    """PNG of the first screen of each page by its name; nothing where there is no Chromium."""
    if chromium is None:
        return {}
    images = {}
    with tempfile.TemporaryDirectory() as folder:
        for at, page in enumerate(facts):
            source, image = Path(folder) / f"{at}.html", Path(folder) / f"{at}.png"
            source.write_text(FRAME.format(page=escape(page.html)), encoding="utf-8")
            try:
                png(source, image, chromium=chromium, width=WIDTH, height=HEIGHT, sandbox=sandbox)
            except NoBrowser:
                return {}
            images[page.name] = image.read_bytes()
    return images


def text_of_html(html: str) -> str:
    """The text of a page, a line a block."""
    parser = _Words()
    parser.feed(html)
    parser.close()
    lines = [" ".join(line.split()) for line in "".join(parser.parts).split("\n")]
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT and self._silent > 0
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def _size(image: bytes) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    width, height = struct.unpack(">II", image[16:24])
    return width, height
