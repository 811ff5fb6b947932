"""Read a JSON list of records, or the list that one JSON object holds, record by record, in little memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from annotation.readers.foreign.paths import flatten
from annotation.readers.lines import MAX_LINE, Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

RECORDS = frozenset({"instances", "data", "records", "examples", "rows", "items", "samples"})
BOM = b"\xef\xbb\xbf"
TELL_EVERY = 200


class RecordTooLongError(ValueError):
    """One record takes more bytes than are read into memory at once."""


class _Bounded:
    """A file from which no more than MAX_LINE bytes are read between two calls of `mark`."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.since = file, 0
        if file.read(3) != BOM:
            file.seek(0)

    def read(self, size: int = -1) -> bytes:
        content = self.file.read(size)
        self.since += len(content)
        if self.since > MAX_LINE:
            raise RecordTooLongError
        return content

    def mark(self) -> None:
        self.since = 0


def json_table(path: Path, findings: Findings, *, progress: Progress | None = None) -> Table:
    """The records, counted from 1; nested values by path. Raises FileProblems where the file holds no list of them."""
    prefix = _find_records(path, findings)
    if prefix != "item":
        findings.note(f"The records are those of the list “{prefix.removesuffix('.item')}”.")
    return Table((), _rows(path, prefix, findings, progress))


def _find_records(path: Path, findings: Findings) -> str:
    """Return where the records are: `item` in a list, `instances.item` in an object that holds one or more lists."""
    import ijson

    counts: Counter[str] = Counter()
    with path.open("rb") as raw:
        bounded = _Bounded(raw)
        try:
            for prefix, event, _ in ijson.parse(bounded, buf_size=65536):
                if prefix == "" and event == "start_array":
                    return "item"
                name, dot, rest = prefix.partition(".")
                if dot and rest == "item" and event == "start_map":
                    if name in RECORDS:
                        return prefix
                    bounded.mark()
                    counts[prefix] += 1
        except RecordTooLongError:
            raise findings.stop(None, "", _TOO_LONG, Code.LINE_TOO_LONG) from None
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise findings.stop(None, "", f"not JSON: {_reason(error)}", Code.INVALID_JSON) from None
    if counts:
        return counts.most_common(1)[0][0]
    rule = "the file is one JSON object that holds no list of records"
    raise findings.stop(None, "", rule, Code.NOT_AN_OBJECT)


_TOO_LONG = f"a record is longer than {MAX_LINE:,} bytes"


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or ["it ends in the middle"])[0][:120]


def _rows(path: Path, prefix: str, findings: Findings, progress: Progress | None) -> Iterator[Row]:
    import ijson

    number, size = 0, path.stat().st_size
    with path.open("rb") as raw:
        bounded = _Bounded(raw)
        try:
            for record in ijson.items(bounded, prefix, buf_size=65536):
                bounded.mark()
                number += 1
                if not isinstance(record, dict):
                    findings.problem(number, "", "the list must hold JSON objects", Code.NOT_AN_OBJECT)
                    continue
                yield Row(number, flatten(record))
                if progress is not None and number % TELL_EVERY == 0:
                    progress(min(raw.tell(), size), size)
        except RecordTooLongError:
            raise findings.stop(number + 1, "", _TOO_LONG, Code.LINE_TOO_LONG) from None
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise findings.stop(number + 1, "", f"not JSON: {_reason(error)}", Code.INVALID_JSON) from None
    if not number:
        findings.problem(None, "", "the list is empty", Code.NO_ROWS)
