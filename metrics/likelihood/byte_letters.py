"""Bytes as letters: how byte-level vocabularies write them, so that every token is printable."""

from __future__ import annotations


def _letters() -> dict[str, int]:
    """Printable bytes are themselves, the others letters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    return letters | {chr(0x100 + place): byte for place, byte in enumerate(others)}


BYTES = _letters()
LETTERS = {byte: letter for letter, byte in BYTES.items()}
