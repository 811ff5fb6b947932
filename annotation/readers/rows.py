"""What every reader of tables hands over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Literal(str):
    """A JSON number or constant as it was written, where a text might be meant: NaN, Infinity, 17."""

    __slots__ = ()


class Row(NamedTuple):
    """Cells by column name. `line`: the line of the file on which the row begins, from 1."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A file being read: its column names (empty for JSON Lines, where each row has its own) and its rows."""

    fields: tuple[str, ...]
    rows: Iterator[Row]
