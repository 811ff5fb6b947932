"""What a table is, free of any format: columns of a kind, rows of values, notes, and what identifies numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from metrics.errors import BadInput
from metrics.types import Estimate

Kind = Literal["text", "name", "range", "count", "number", "share", "p", "estimate", "share_estimate"]
Cell = str | int | float | Estimate | None
Row = tuple[Cell, ...]
ESTIMATES = ("estimate", "share_estimate")
WORDS = ("text", "name", "range")
ALIGNED_LEFT = ("text", "name")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    key: its name in CSV and JSON. title: its head, with the unit where it has one. kind: `text`; `name`, a name in code
    that is shown in words (`error_type` as "error type"); `range`, numbers in words (`18 to 20`); `count`, a whole
    number; `number`; `share` in [0, 1], shown as a percentage; `p`, a p-value in [0, 1]; `estimate` and
    `share_estimate`, an Estimate with its interval. n: key of the count column that holds an estimate's n; where that
    says another number, or none is named, n is written in the cell. digits: decimals shown (CSV and JSON keep all).
    points: a difference of shares, shown in percentage points.
    """

    key: str
    title: str
    kind: Kind = "text"
    n: str | None = None
    digits: int = 2
    points: bool = False


def name_criterion(criterion: str) -> str:
    """A criterion as people read it: `error_type` is "error type"."""
    return criterion.replace("_", " ")


CRITERION = Column("criterion", "Criterion", "name")


@dataclass(frozen=True, slots=True)
class Table:
    """A table. name: file name and label. title: the caption, a sentence that says what the numbers and intervals are.

    rows: cells in the order of the columns, None for what is not known or not defined. notes: what a reader must know.
    Raises BadInput where a row or a kind does not fit.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) < len(keys):
            raise BadInput("each column needs a key of its own", where=f"table {self.name}", column="columns")
        for number, row in enumerate(self.rows, 1):
            self._check(number, row, keys)

    def _check(self, number: int, row: Row, keys: list[str]) -> None:
        where = f"table {self.name}"
        if len(row) != len(keys):
            raise BadInput(f"a row has {len(keys)} cells, not {len(row)}", where=where, row=number)
        for column, cell in zip(self.columns, row, strict=True):
            if not _fits(column.kind, cell):
                raise BadInput(f"{cell!r} is no {column.kind}", where=where, row=number, column=column.key)

    def needs_n(self, row: Row, column: Column) -> bool:
        """Whether the cell of this column has to carry its n itself: no column of the row says it."""
        values = {row_column.key: cell for row_column, cell in zip(self.columns, row, strict=True)}
        cell = values[column.key]
        return isinstance(cell, Estimate) and (column.n is None or values.get(column.n) != cell.n)

    def without_empty_columns(self) -> Table:
        """For a reader: the table without the columns that hold nothing in any row; the first stays."""
        places = [at for at in range(len(self.columns)) if at == 0 or any(row[at] is not None for row in self.rows)]
        columns = tuple(self.columns[at] for at in places)
        return replace(self, columns=columns, rows=tuple(tuple(row[at] for at in places) for row in self.rows))

    def estimates(self) -> Iterator[tuple[str, Estimate]]:
        """Every estimate, with the words of its row and column."""
        for row in self.rows:
            pairs = list(zip(self.columns, row, strict=True))
            names = [(column, str(cell)) for column, cell in pairs if column.kind in ALIGNED_LEFT and cell]
            name = ", ".join(name_criterion(cell) if column.kind == "name" else cell for column, cell in names)
            for column, cell in pairs:
                if isinstance(cell, Estimate):
                    yield f"{name}: {column.title}" if name else column.title, cell

    @property
    def signatures(self) -> tuple[str, ...]:
        """The line that identifies the computation of each number, once, in reading order."""
        return tuple(dict.fromkeys(estimate.signature for _, estimate in self.estimates() if estimate.signature))


def as_records(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[dict[str, Cell]]:
    """Each row by the keys of its columns."""
    keys = [column.key for column in columns]
    for row in rows:
        yield dict(zip(keys, row, strict=True))


def _fits(kind: Kind, cell: Cell) -> bool:
    if cell is None:
        return True
    if isinstance(cell, bool):
        return False
    if kind in ESTIMATES:
        return isinstance(cell, Estimate)
    if kind in WORDS:
        return isinstance(cell, str)
    if kind == "count":
        return isinstance(cell, int) and cell >= 0
    return isinstance(cell, int | float) and (kind == "number" or 0 <= cell <= 1)
