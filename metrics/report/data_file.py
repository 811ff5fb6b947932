"""A file of data as it is declared: each column with its header, its meaning, its unit and its value, in one place.

The CSV file and the data dictionary are both written from the declaration, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from metrics.tables.delimited import iterate_lines

Row = TypeVar("Row")
DICTIONARY = ("file", "column", "meaning", "unit")


@dataclass(frozen=True, slots=True)
class DataColumn(Generic[Row]):
    """A column. value: of a row as a cell that is safe in a spreadsheet. unit: "" for none (labels, ids, counts)."""

    header: str
    meaning: str
    value: Callable[[Row], str]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file with its rows. name: without `.csv`."""

    name: str
    columns: Sequence[DataColumn[Any]]
    rows: Iterable[Any]

    def lines(self) -> Iterator[str]:
        """The CSV file: a line for the headers, then one for each row."""
        values = [column.value for column in self.columns]
        return iterate_lines(
            [column.header for column in self.columns], ([value(row) for value in values] for row in self.rows)
        )

    def describe(self) -> list[tuple[str, str, str, str]]:
        """The file's rows in the data dictionary."""
        return [(f"{self.name}.csv", column.header, column.meaning, column.unit) for column in self.columns]
