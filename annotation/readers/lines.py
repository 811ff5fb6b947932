"""A file as lines of text: its encoding seen or named, its line ends whatever they are, its odd characters noted."""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from annotation.readers.problem_codes import Code
from annotation.readers.problems import FileProblems, Findings

Progress = Callable[[int, int], None]
"""Takes how many bytes of how many have been read."""

BOM = "\ufeff"
MAX_LINE = 16 * 1024 * 1024
HEAD = 64 * 1024
TELL_EVERY = 2000
ESCAPED = re.compile("[\udc80-\udcff]")  # how Python keeps a byte it cannot decode
HALF = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]")  # UTF-8's form of a lone surrogate
WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
MAGIC = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook; save the sheet as CSV in UTF-8, or unpack the archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV in UTF-8",
    b"\x1f\x8b": "compressed by gzip; unpack it first (gunzip)",
    b"BZh": "compressed by bzip2; unpack it first",
    b"\xfd7zXZ\x00": "compressed by xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it first",
    b"PAR1": "a Parquet file; save it as CSV or JSON Lines, or the dataset by save_to_disk",
    b"ARROW1": "an Arrow file; give the folder that save_to_disk wrote",
    b"SQLite format 3\x00": "an SQLite database; export the table as CSV",
    b"%PDF": "a PDF; give the texts as CSV or JSON Lines",
}


class Lines(Iterator[str]):
    """The lines of a file with their ends. `number`: the line given last, from 1.

    Bytes that cannot be decoded come as U+DC80 to U+DCFF; `odd` says whether a line since the last `mark` holds such
    a byte, a NUL or a byte order mark. Lines since the mark can be given again (`rewind`).
    """

    def __init__(
        self, path: Path, findings: Findings, *, encoding: str | None = None, progress: Progress | None = None
    ) -> None:
        self.findings, self.progress = findings, progress
        self.number, self.odd = 0, False
        self.taken: list[str] = []
        self.size = 0  # characters since the mark
        self.broken_at: int | None = None  # the first line that is not in the file's encoding
        self.foreign_at: int | None = None  # the first line with UTF-8 letters beyond ASCII
        self._again: deque[str] = deque()
        self._raw = _open_file(path, findings)
        self._bytes = path.stat().st_size
        try:
            self.encoding = _encoding_of(self._raw, encoding, findings)
        except FileProblems:
            self._raw.close()
            raise
        self._file = io.TextIOWrapper(self._raw, encoding=self.encoding, errors="surrogateescape", newline="")

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._fresh()
        self.number += 1
        self.size += len(line)
        self.taken.append(line)
        if not line.isascii():
            self._look(line)
        elif "\0" in line:
            self.odd = True
        return line

    def _fresh(self) -> str:
        try:
            line = self._file.readline(MAX_LINE + 1)
        except UnicodeError as error:
            rule = f"the file is not {self.encoding} throughout ({error})"
            raise self.findings.stop(self.number + 1, "", rule, Code.UNDECODABLE_BYTES) from None
        if not line:
            self._tell()
            self._file.close()
            self._fresh = self._ended  # type: ignore[method-assign]
            raise StopIteration
        if len(line) > MAX_LINE:
            rule = f"the line is longer than {MAX_LINE} characters"
            raise self.findings.stop(self.number + 1, "", rule, Code.LINE_TOO_LONG)
        if self.number % TELL_EVERY == 0:
            self._tell()
        return line

    def _ended(self) -> str:
        raise StopIteration

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(min(self._raw.tell(), self._bytes), self._bytes)

    def _look(self, line: str) -> None:
        if ESCAPED.search(line):
            self.odd = True
            if self.broken_at is None and not HALF.search(line):
                self.broken_at = self.number
        elif self.foreign_at is None:
            self.foreign_at = self.number
        if BOM in line or "\0" in line:
            self.odd = True

    def mark(self) -> None:
        """A record begins with the next line."""
        self.taken.clear()
        self.size, self.odd = 0, False

    def rewind(self, keep: int) -> None:
        """Give the lines since the mark again, but for the first `keep`."""
        again = self.taken[keep:]
        self._again.extendleft(reversed(again))
        self.number -= len(again)
        self.mark()

    def finish(self) -> None:
        """Say what only the whole file shows: that it mixes encodings."""
        if self.broken_at is not None and self.foreign_at is not None and self.encoding.startswith("utf-8"):
            rule = f"this row is not UTF-8, row {self.foreign_at} is; two encodings are mixed in one file"
            self.findings.problem(self.broken_at, "", rule, Code.MIXED_ENCODINGS)

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        # Rows that are never read (the header breaks a rule) leave the file open.
        if hasattr(self, "_file"):
            self._file.close()


def _open_file(path: Path, findings: Findings) -> BinaryIO:
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise findings.stop(None, "", f"the file cannot be read ({reason})", Code.CANNOT_READ) from None


def _encoding_of(file: BinaryIO, requested: str | None, findings: Findings) -> str:
    """Return the encoding to read by: the requested one, that of a byte order mark, or UTF-8."""
    head = file.read(HEAD)
    file.seek(0)
    for magic, what in MAGIC.items():
        if head.startswith(magic):
            raise findings.stop(None, "", f"the file is {what}", Code.NOT_A_TEXT_FILE)
    marked = next((name for mark, name in WIDE.items() if head.startswith(mark)), None)
    if requested is not None:
        return _look_up_encoding(requested, findings)
    if marked is not None:
        findings.note(f"The file begins with a byte order mark of {marked.upper()} and is read so.")
        return marked
    if _looks_wide(head):
        rule = "the file is UTF-16 without a byte order mark; name its encoding, utf-16-le or utf-16-be"
        raise findings.stop(1, "", rule, Code.UNDECODABLE_BYTES)
    return "utf-8-sig"


def _look_up_encoding(requested: str, findings: Findings) -> str:
    try:
        name = codecs.lookup(requested).name
        "a".encode(name)
    except (LookupError, UnicodeError, ValueError):
        raise findings.stop(None, "", f"there is no text encoding named {requested!r}", Code.UNKNOWN_ENCODING) from None
    findings.note(f"The file is read as {name}, as asked.")
    return "utf-8-sig" if name == "utf-8" else name


def _looks_wide(head: bytes) -> bool:
    """Whether every other byte of the beginning is NUL, as in Latin text in UTF-16."""
    start = head[:200]
    return len(start) >= 4 and (not any(start[1::2]) or not any(start[::2]))


def odd_in(cell: str) -> tuple[Code, str] | None:
    """What is odd in a cell of an odd line, and the rule it breaks."""
    if HALF.search(cell):
        return Code.LONE_SURROGATE, "half a character (a lone surrogate)"
    broken = ESCAPED.search(cell)
    if broken:
        byte = ord(broken[0]) - 0xDC00
        return Code.UNDECODABLE_BYTES, f"byte 0x{byte:02x} at character {broken.start() + 1} is not in the encoding"
    if "\0" in cell:
        return Code.NUL, "a NUL character; the file is damaged or not a text file"
    if BOM in cell:
        return Code.BOM_INSIDE, "a byte order mark inside the file, as left by joining two files"
    return None


def without_odd_characters(cell: str) -> str:
    """Return the cell without what `odd_in` reports, so that it is reported once."""
    return ESCAPED.sub("?", cell).replace("\0", "").replace(BOM, "")
