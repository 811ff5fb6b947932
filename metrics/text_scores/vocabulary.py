"""Tokens as vocabularies write them, and as a reader sees them."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

META_SPACE = "\u2581"  # what SentencePiece writes for a blank


def readable_tokens(pieces: Sequence[str]) -> list[str]:
    """Tokens as a reader sees them, blanks included; together they are the text.

    Byte-level tokens are read as UTF-8: a character split over tokens is put at the last of them. In SentencePiece
    tokens its mark becomes a blank. A token of neither kind stays as it is.
    """
    if any(META_SPACE in piece for piece in pieces):
        return [piece.replace(META_SPACE, " ") for piece in pieces]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [
        decoder.decode(bytes(BYTES[letter] for letter in piece)) if all(letter in BYTES for letter in piece) else piece
        for piece in pieces
    ]


def _letters() -> dict[str, int]:
    """Byte-level vocabularies write printable bytes as themselves, and the others as letters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    return letters | {chr(0x100 + place): byte for place, byte in enumerate(others)}


BYTES = _letters()
