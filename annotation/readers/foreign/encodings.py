"""Which encoding a text file is probably in, where it says nothing itself."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20
SAMPLE = 64 * 1024
ASIAN = ("gb18030", "big5", "shift_jis", "euc_kr", "euc_jp")
CANDIDATES = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1255", "cp1256", "mac_roman", *ASIAN)
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE)
WESTERN = "cp1252"


def guess_encoding(path: Path) -> str | None:
    """Return the probable encoding of a file that is not UTF-8; None for one that is, or says by a mark what it is.

    A file whose lines are partly UTF-8 mixes encodings; it is left to the strict reader, which says so.
    """
    with path.open("rb") as file:
        head = file.read(SAMPLE)
        if head.startswith(MARKS):
            return None
        wide = _wide(head)
        if wide:
            return wide
        file.seek(0)
        sample = _lines_beyond_ascii(file)
    if not sample or any(_is_utf8(line) for line in sample):
        return None
    return _best(b"".join(sample))


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Latin text is NUL."""
    start = head[:400]
    if len(start) >= 4 and not any(start[1::2]):
        return "utf-16-le"
    return "utf-16-be" if len(start) >= 4 and not any(start[::2]) else None


def _lines_beyond_ascii(file: BinaryIO) -> list[bytes]:
    """The lines with bytes beyond ASCII, as many as fit into the sample; none for a file that is UTF-8 throughout."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines: list[bytes] = []
    size, is_utf8 = 0, True
    while content := file.readline(CHUNK):
        if content.isascii():
            continue
        if is_utf8:
            try:
                decoder.decode(content)
            except UnicodeDecodeError:
                is_utf8 = False
        if size < SAMPLE:
            lines.append(content)
            size += len(content)
        elif not is_utf8:
            break
    return [] if is_utf8 else lines


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _best(sample: bytes) -> str:
    """The likeliest encoding; of equally likely ones that of Western Europe and America, which most files have."""
    from charset_normalizer import from_bytes

    matches = list(from_bytes(sample[:SAMPLE], cp_isolation=list(CANDIDATES), threshold=0.3))
    if not matches:
        return WESTERN
    best = matches[0]
    for match in matches:
        as_good = (match.chaos, -match.coherence) <= (best.chaos, -best.coherence)
        if as_good and WESTERN in (match.encoding, *match.could_be_from_charset):
            return WESTERN
    return str(best.encoding)
