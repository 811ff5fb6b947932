"""The words of each page of a PDF that Chromium printed."""

from __future__ import annotations

import re
import zlib

OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\s(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.DOTALL)
FONTS = re.compile(rb"/Font <<(.*?)>>", re.DOTALL)
NAMED = re.compile(rb"/(\w+) (\d+) 0 R")
SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj|\bBT\b")
CODES = re.compile(rb"<([0-9A-F]{4})> <([0-9A-F]+)>(?: <([0-9A-F]+)>)?")


def printed_pages(content: bytes) -> list[str]:
    """The text of each page, a line for each piece of text."""
    objects = {int(found[1]): found[2] for found in OBJECT.finditer(content)}
    return [_words(page, objects) for page in objects.values() if re.search(rb"/Type /Page\b", page)]


def _words(page: bytes, objects: dict[int, bytes]) -> str:
    fonts = {name: _letters(objects[int(at)], objects) for name, at in NAMED.findall(FONTS.search(page)[1])}  # type: ignore[index]
    drawn, letters, words = _stream(objects[int(re.search(rb"/Contents (\d+)", page)[1])]), {}, ""  # type: ignore[index]
    for font, glyphs in SHOWN.findall(drawn):
        letters = fonts[font] if font else letters
        words += "".join(letters.get(int(glyphs[at : at + 4], 16), "") for at in range(0, len(glyphs), 4))
        words += "" if font or glyphs else "\n"
    return words


def _letters(font: bytes, objects: dict[int, bytes]) -> dict[int, str]:
    """The letter of each glyph."""
    found: dict[int, str] = {}
    unicode = re.search(rb"/ToUnicode (\d+)", font)
    for first, last, start in CODES.findall(_stream(objects[int(unicode[1])]) if unicode else b""):
        low, high = int(first, 16), int(last if start else first, 16)
        letter = (start or last)[:4]
        found |= {glyph: chr(int(letter, 16) + glyph - low) for glyph in range(low, high + 1)}
    return found


def _stream(written: bytes) -> bytes:
    return zlib.decompress(STREAM.search(written)[1])  # type: ignore[index]
