"""JSON of plain values and of tables of records, piece by piece: a million ratings are never held as text at once.

The pieces together are what `json.dumps` gives of the same values (with `ensure_ascii=False`, `allow_nan=False`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from typing import Any

from metrics.report.record_codec import RowTable

BLOCK = 1 << 16  # characters that are encoded and written at once
CONTAINERS = (dict, list, tuple, RowTable)


class JsonWriter:
    """How the text is laid out: indented by one for people, or canonical (sorted keys, no spaces) for a hash."""

    def __init__(self, *, canonical: bool) -> None:
        self._canonical = canonical

    def pieces(self, value: Any, depth: int = 0) -> Iterator[str]:
        """The text of a value that stands `depth` levels deep. Raises ValueError for NaN."""
        if isinstance(value, RowTable):
            yield from self._table(value, depth)
        elif not isinstance(value, CONTAINERS) or not value:
            yield self._encoder(depth).encode(value)
        elif any(isinstance(member, CONTAINERS) for member in _members(value)):
            yield from self._nested(value, depth)
        else:
            text = self._encoder(depth + 1).encode(value)
            yield f"{text[0]}{self._gap(depth + 1)}{text[1:-1]}{self._gap(depth)}{text[-1]}"

    def _nested(self, value: Any, depth: int) -> Iterator[str]:
        gap, (opened, closed) = self._gap(depth + 1), "{}" if isinstance(value, dict) else "[]"
        for key, member in self._named(value):
            yield f"{opened}{gap}{key}"
            yield from self.pieces(member, depth + 1)
            opened = ","
        yield f"{self._gap(depth)}{closed}"

    def _named(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Members, each with its key as it is written; of a list without one."""
        if isinstance(value, dict):
            for name in sorted(value) if self._canonical else value:
                yield self._key(name), value[name]
        else:
            yield from (("", member) for member in value)

    def _table(self, table: RowTable, depth: int) -> Iterator[str]:
        inner = self._gap(depth + 1)
        yield f"{{{inner}{self._key('columns')}"
        yield from self.pieces(table.names, depth + 1)
        yield f",{inner}{self._key('rows')}["
        separator = ""
        for rows, are_flat in table.batches():
            yield separator
            yield from (
                self._rows(rows, depth + 2) if are_flat or self._canonical else self._nested_rows(rows, depth + 2)
            )
            separator = ","
        yield f"{inner}]{self._gap(depth)}}}"

    def _rows(self, rows: list[Any], depth: int) -> Iterator[str]:
        """Rows at once. No string holds a line break as such, so that one between brackets is between rows."""
        text = self._encoder(depth + 1).encode(rows)
        if self._canonical:
            yield text[1:-1]
            return
        row, cell = self._gap(depth), self._gap(depth + 1)
        yield f"{row}[{cell}"
        yield text[2:-2].replace(f"],{cell}[", f"{row}],{row}[{cell}")
        yield f"{row}]"

    def _nested_rows(self, rows: list[Any], depth: int) -> Iterator[str]:
        for at, row in enumerate(rows):
            yield f"{',' if at else ''}{self._gap(depth)}"
            yield from self.pieces(row, depth)

    def _key(self, name: str) -> str:
        return f"{json.dumps(name, ensure_ascii=False)}{':' if self._canonical else ': '}"

    def _gap(self, depth: int) -> str:
        return "" if self._canonical else "\n" + " " * depth

    def _encoder(self, depth: int) -> json.JSONEncoder:
        return _encoder(self._canonical, depth)


def _members(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


INDENTED, CANONICAL = JsonWriter(canonical=False), JsonWriter(canonical=True)


@cache
def _encoder(canonical: bool, depth: int) -> json.JSONEncoder:
    """Of a container without containers, in C: line breaks are part of its separators."""
    separators = (",", ":") if canonical else (",\n" + " " * depth, ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=canonical, separators=separators)


def blocks_of(pieces: Iterable[str]) -> Iterator[bytes]:
    """The pieces as UTF-8, in blocks of some size."""
    waiting, size = [], 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield "".join(waiting).encode()
            waiting, size = [], 0
    yield "".join(waiting).encode()


def bytes_of(pieces: Iterable[str]) -> bytes:
    """The pieces as UTF-8, each dropped once it is copied."""
    joined = BytesIO()
    joined.writelines(blocks_of(pieces))
    return joined.getvalue()
