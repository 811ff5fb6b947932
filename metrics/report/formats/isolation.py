"""Words that run from right to left, isolated in a page: the words and numbers next to them keep their order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics.figures.texts import RIGHT_TO_LEFT

TAG = re.compile(r"(<[^>]*>)")
# Elements without markup of their own; of the figures, still and drawn, the words are isolated where they are written.
PLAIN = ("script", "style", "title", "svg")


def isolate_words(page: str) -> str:
    """The page with `<bdi>` around right-to-left words of its text; a page without any is returned as it is.

    page: HTML in which every `<` of text is escaped.

    >>> isolate_words("<p>\u05e9\u05dc\u05d5\u05dd: HUSE 0.50</p>")
    '<p><bdi>\u05e9\u05dc\u05d5\u05dd</bdi>: HUSE 0.50</p>'
    """
    return "".join(_isolated(page)) if RIGHT_TO_LEFT.search(page) else page


def _isolated(page: str) -> Iterator[str]:
    inside = ""
    for part in TAG.split(page):
        if part.startswith("<"):
            name = re.split(r"[\s/>]", part.lstrip("</"), maxsplit=1)[0]
            if part.startswith("</") and name == inside:
                inside = ""
            elif not inside and name in PLAIN and not part.endswith("/>"):
                inside = name
            yield part
        else:
            yield part if inside else RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", part)
