"""Tokens as vocabularies write them, and as a reader sees them."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from metrics.likelihood.byte_letters import BYTES

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
