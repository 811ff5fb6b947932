"""CSV: UTF-8, LF, every digit kept, no cell a spreadsheet would run as a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from metrics.errors import MetricsError
from metrics.tables.record import ESTIMATES, Cell, Column, Table
from metrics.types import Estimate

FORMULA = "=+-@\t\r\n"
QUOTED = re.compile('[,"\r\n]')
QUOTED_ANYWHERE = re.compile('["\r\n]')
PARTS = ("", "_low", "_high", "_level", "_n", "_method", "_flags", "_signature")


def safe(text: str | None) -> str:
    """Free text as a cell: an apostrophe goes before what a spreadsheet would take for a formula."""
    if not text:
        return ""
    return f"'{text}" if text[0] in FORMULA else text


def lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """CSV text with a header line, from cells that are safe already."""
    return "".join(iterate_lines(columns, rows))


def iterate_lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The same, line by line."""
    yield _line(columns)
    yield from map(_line, rows)


def _line(row: Sequence[str]) -> str:
    line = ",".join(row)
    if line and line.count(",") == len(row) - 1 and not QUOTED_ANYWHERE.search(line):
        return line + "\n"
    # Not csv.writer: before Python 3.13 it leaves a lone carriage return unquoted, where readers end the line.
    return (",".join(_quoted(cell) for cell in row) if list(row) != [""] else '""') + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell


def rows(columns: Sequence[str], values: Iterable[Sequence[str | int | float | None]]) -> str:
    """CSV text of a figure's `data(...)`, or of any plain values: text made safe, numbers in full, None empty."""
    return lines(columns, ([plain(value) for value in row] for row in values))


def plain(value: str | int | float | None) -> str:
    """One value as a cell. Minus infinity, a log-probability of 0, is `-inf`. Raises MetricsError for NaN."""
    if value is None:
        return ""
    if isinstance(value, str):
        return safe(value)
    if value != value:
        raise MetricsError("A table holds a number that is not a number.")
    return repr(value)


def table_csv(table: Table) -> str:
    """The table: an estimate takes columns of its own for value, interval, level, n, method, flags and signature."""
    names = [name for column in table.columns for name in column_names(column)]
    return lines(
        names, ([cell for pair in zip(table.columns, row, strict=True) for cell in _cells(*pair)] for row in table.rows)
    )


def column_names(column: Column) -> list[str]:
    """The headers that a column takes: several where it holds estimates."""
    return [column.key + part for part in PARTS] if column.kind in ESTIMATES else [column.key]


def _cells(column: Column, cell: Cell) -> Iterator[str]:
    if column.kind not in ESTIMATES:
        yield plain(None if isinstance(cell, Estimate) else cell)
        return
    if not isinstance(cell, Estimate):
        yield from [""] * len(PARTS)
        return
    span = cell.interval
    ends = (None, None, None) if span is None else (span.low, span.high, span.level)
    values = (cell.value, *ends, cell.n, span.method if span else None, " ".join(cell.flags), cell.signature)
    yield from (plain(value) for value in values)
