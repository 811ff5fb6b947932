"""Strict, streaming readers of CSV and JSON Lines: rows of named cells, each with its line in the file."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.datasets.problems import Findings

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
BOM = "\ufeff"
# An article in one cell may be longer than the csv module's 128 KiB.
csv.field_size_limit(16 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells by column name. `line`: the line of the file on which the row begins, from 1."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A file being read: its column names (empty for JSON Lines, where each row has its own) and its rows."""

    fields: tuple[str, ...]
    rows: Iterator[Row]


def sha256_of(path: Path) -> str:
    """SHA-256 of the file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_table(
    path: Path, findings: Findings, *, delimiter: str | None = None, may_miss: Collection[str] = ()
) -> Table:
    """Open a CSV or, by the ending .jsonl or .ndjson, a JSON Lines file.

    delimiter: "," ";" or a tab; sniffed from the header when None. may_miss: columns that a short row may
    lack at its end. Raises FileProblems for a fault that ends all reading; lesser ones go to `findings`.
    """
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return Table((), _json_rows(path, findings))
    return _csv_table(path, findings, delimiter, frozenset(may_miss))


def decoded_lines(path: Path, findings: Findings) -> Iterator[str]:
    """The file's lines as text (UTF-8, with or without a byte order mark)."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise findings.stop(None, "", f"the file cannot be read ({error.strerror})") from None
    with file:
        for number, line in enumerate(file, start=1):
            if number == 1 and line[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise findings.stop(1, "", "the file is UTF-16; save it as UTF-8")
            if b"\0" in line:
                raise findings.stop(number, "", "a NUL character; the file is damaged or not a text file")
            yield _decoded(line, number, findings)


def _decoded(line: bytes, number: int, findings: Findings) -> str:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        rule = f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise findings.stop(number, "", rule) from None
    if number == 1:
        text = text.removeprefix(BOM)
    if BOM in text:
        findings.problem(number, "", "a byte order mark inside the file, as left by joining two files")
    return text


def _csv_table(path: Path, findings: Findings, delimiter: str | None, may_miss: frozenset[str]) -> Table:
    lines = decoded_lines(path, findings)
    first = next(lines, None)
    if first is None or not first.strip():
        raise findings.stop(1, "", "the file is empty" if first is None else "the header is blank")
    reader = csv.reader(_chained(first, lines), delimiter=delimiter or sniffed(first), strict=True)
    header = next(_records(reader, findings))[1]
    fields = tuple(name.strip() for name in header)
    for position, name in enumerate(fields, start=1):
        if not name:
            findings.problem(1, "", f"column {position} has no name")
        elif name in fields[: position - 1]:
            findings.problem(1, name, "the header names this column twice")
    findings.raise_if_any()
    return Table(fields, _csv_rows(reader, fields, findings, may_miss))


def sniffed(header: str) -> str:
    """The delimiter that cuts the header into most columns; a comma when none does."""
    counts = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in DELIMITERS.values()}
    return max(counts, key=lambda mark: counts[mark])


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _records(reader: Any, findings: Findings) -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            rule = "a quotation mark is opened and not closed" if "end of data" in str(error) else f"not CSV: {error}"
            raise findings.stop(line, "", rule) from None
        if record:
            yield line, record


def _csv_rows(reader: Any, fields: tuple[str, ...], findings: Findings, may_miss: frozenset[str]) -> Iterator[Row]:
    count = 0
    for line, record in _records(reader, findings):
        count += 1
        if len(record) > len(fields):
            findings.problem(line, "", f"{len(record)} cells where the header names {len(fields)} columns")
            continue
        missing = fields[len(record) :]
        if not may_miss.issuperset(missing):
            rule = f"{len(record)} cells where the header names {len(fields)} columns; this one is the first missing"
            findings.problem(line, missing[0], rule)
            continue
        yield Row(line, dict(zip(fields, [*record, *([""] * len(missing))], strict=True)))
    if not count:
        findings.problem(None, "", "the file holds a header and no rows")


def _json_rows(path: Path, findings: Findings) -> Iterator[Row]:
    count = 0
    for line, text in enumerate(decoded_lines(path, findings), start=1):
        if not text.strip():
            continue
        count += 1
        cells = _json_cells(text, line, findings)
        if cells is not None:
            yield Row(line, cells)
    if not count:
        findings.problem(None, "", "the file is empty")


def _json_cells(text: str, line: int, findings: Findings) -> dict[str, str] | None:
    """The members of one JSON object as cells, numbers as written."""
    doubled: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        doubled.extend(name for name in names if names.count(name) > 1)
        return dict(pairs)

    try:
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=members)
    except (json.JSONDecodeError, RecursionError) as error:
        findings.problem(line, "", f"not JSON: {getattr(error, 'msg', 'nested too deeply')}")
        return None
    if not isinstance(found, dict):
        findings.problem(line, "", "the line must hold one JSON object")
        return None
    for name in sorted(set(doubled)):
        findings.problem(line, name, "the object names this member twice")
    for name, value in found.items():
        if value is not None and not isinstance(value, str):
            findings.problem(line, name, "must be a text or a number, not a list, an object or a truth value")
    return {name: value if isinstance(value, str) else "" for name, value in found.items()}


def require_columns(fields: Collection[str], needed: Collection[str], findings: Findings) -> None:
    """Note every needed column that the header lacks."""
    for name in needed:
        if name not in fields:
            few = f" (it names only {', '.join(fields)!r}; is the delimiter right?)" if len(fields) == 1 else ""
            findings.problem(1, name, f"the header lacks this column{few}")
