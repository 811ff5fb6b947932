"""Read JSON whose tables are large: their rows a stretch at a time into columns, everything else at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import NoneType
from typing import Any

from metrics.report.record_codec import ColumnTable

STRETCH = 1 << 20  # bytes
NAMES, ROWS, ROW, END = b'{"columns":[', b'],"rows":[[', b"],[", b"]]}"
MARK = "\0table"
TRIES = 50
TEXT = frozenset({str, NoneType})
Json = Any


def parse_tables(content: bytes) -> Json:
    """The document of canonical JSON, its tables as `ColumnTable`s; of any other JSON, what `json.loads` gives.

    A quotation mark in a string is escaped, so that the beginning of a table is nowhere but at a table. Raises
    ValueError for what is no JSON.
    """
    try:
        tables: dict[str, ColumnTable] = {}
        document = json.loads(b"".join(_without_tables(content, tables)))
        return _put_back(document, tables) if tables else document
    except (ValueError, IndexError):  # also of rows of different lengths: the decoder says which
        return json.loads(content)


def _without_tables(content: bytes, tables: dict[str, ColumnTable]) -> Iterator[bytes]:
    """The document with a name in place of each table, which goes into `tables`."""
    done, mark = 0, MARK
    while json.dumps(mark)[1:-1].encode() in content:
        mark += MARK
    while (rows := content.find(ROWS, done)) >= 0:
        beginning = content.rindex(NAMES, done, rows)
        names = json.loads(content[beginning + len(NAMES) - 1 : rows + 1])
        first = rows + len(ROWS) - 1
        columns: list[list[Json]] = [[] for _ in names]
        end = _read_columns(content, first, columns)
        name = f"{mark}{len(tables)}"
        tables[name] = ColumnTable(names, columns)
        yield content[done:beginning] + json.dumps(name).encode()
        done = end
    yield content[done:]


def _read_columns(content: bytes, first: int, columns: list[list[Json]]) -> int:
    """Read the rows from `first` on, and return where the table ends."""
    seen: dict[str | None, str | None] = {}
    while True:
        rows, first, is_last = _read_stretch(content, first)
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            # Names and labels repeat: each is held once.
            is_text = TEXT.issuperset(map(type, cells))
            column.extend(seen.setdefault(cell, cell) for cell in cells) if is_text else column.extend(cells)
        if is_last:
            return first


def _read_stretch(content: bytes, first: int) -> tuple[list[list[Json]], int, bool]:
    """Some rows, where they end, and whether they are the last.

    What looks like the end of a row may be within a string; then the stretch is no JSON, and another end is tried.
    """
    end = content.find(END, first, first + STRETCH)
    while end >= 0:
        if (rows := _rows_of(content[first : end + 1])) is not None:
            return rows, end + len(END), True
        end = content.find(END, end + 1, first + STRETCH)
    size = STRETCH
    while size < len(content) + STRETCH:
        end, tries = content.rfind(ROW, first, first + size), 0
        while end >= 0 and tries < TRIES:
            if (rows := _rows_of(content[first : end + 1])) is not None:
                return rows, end + 2, False
            end, tries = content.rfind(ROW, first, end), tries + 1
        size *= 2  # a row that is longer than a stretch
    raise ValueError("no end of a row was recognized")


def _rows_of(stretch: bytes) -> list[list[Json]] | None:
    try:
        rows: list[list[Json]] = json.loads(b"[" + stretch + b"]")
    except ValueError:
        return None
    return rows


def _put_back(value: Json, tables: dict[str, ColumnTable]) -> Json:
    """The tables in the places of their names."""
    if isinstance(value, dict):
        return {name: _put_back(member, tables) for name, member in value.items()}
    if isinstance(value, list):
        return [_put_back(member, tables) for member in value]
    return tables.get(value, value) if isinstance(value, str) else value
