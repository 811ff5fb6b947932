"""Every column of every table: counted anew by its head, or listed here with the reason why it is not.

A table of no kind, a row or a column that is neither counted nor listed is a difference, as a sentence of no kind is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.report_checker.page import Page
from tests.report_checker.recount import Rows
from tests.report_checker.sentences import Asked, Match
from tests.report_checker.tables import Beside, Cell, Cells, same

Counted = dict[tuple[str, ...], dict[str, Cell]]
Reckon = Callable[[Rows, Asked, Match], Counted]
NONE = "–"


@dataclass(frozen=True, slots=True)
class TableKind:
    """Tables whose caption begins alike. keys: places of the columns that name a row, and are counted with it.

    uncounted: reasons by column, or by "[column]" of limits alone; rows: by a pattern of their names, joined by ", ".
    """

    name: str
    caption: re.Pattern[str]
    keys: tuple[int, ...]
    reckon: Reckon
    uncounted: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)

    def key(self, row: list[str]) -> tuple[str, ...]:
        return tuple(row[at] for at in self.keys)

    def lists(self, key: tuple[str, ...]) -> bool:
        """Whether the row is of those that are listed as uncounted."""
        return any(re.fullmatch(pattern, ", ".join(key)) for pattern in self.rows)


TABLES: list[TableKind] = []


def table(
    caption: str,
    keys: int | tuple[int, ...] = 1,
    uncounted: Mapping[str, str] | None = None,
    rows: Mapping[str, str] | None = None,
) -> Callable[[Reckon], Reckon]:
    """Register the tables whose caption begins so. keys: places, or how many of the first columns."""
    places = tuple(range(keys)) if isinstance(keys, int) else keys

    def add(reckon: Reckon) -> Reckon:
        TABLES.append(TableKind(reckon.__name__, re.compile(caption), places, reckon, uncounted or {}, rows or {}))
        return reckon

    return add


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of the page with what the rows say. column: where it is; kind: of the table."""

    kind: str
    caption: str
    key: tuple[str, ...]
    column: str
    said: str
    value: Cell

    @property
    def is_true(self) -> bool:
        return same(self.said, self.value)


HEADLESS = ("Money and time.",)


def headed(caption: str, cells: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The head, of two columns with one name the second numbered, and the rows; a name that spans rows is in each."""
    if caption in HEADLESS:
        return ["Of", ""], cells
    head: list[str] = []
    for name in cells[0]:
        head.append(f"{name} ({1 + cells[0][: len(head)].count(name)})" if name in head else name)
    rows: list[list[str]] = []
    for row in cells[1:]:
        if 1 < len(row) == len(head) - 1:
            row = [rows[-1][0], *row]
        if len(row) == len(head):
            rows.append(row)
    return head, rows


def by_place(expected: Mapping[str, Cells]) -> dict[str, Counted]:
    """By the beginning of a caption, cells that are counted by their place, which is here in the place of a head."""
    return {
        caption: {
            key: {str(len(key) + at): value for at, value in enumerate(values) if value is not None}
            for key, values in cells.items()
        }
        for caption, cells in expected.items()
    }


def counted_cells(page: Page, rows: Rows, asked: Asked, others: Mapping[str, Cells]) -> Iterator[ShownCell | str]:
    """Each cell that is counted here, and a line for what is neither counted nor listed.

    others: cells that are counted in `tables` and `paper_table`, by the beginning of a caption.
    """
    placed, cut = by_place(others), page.cut_tables()
    for caption, cells in page.captioned():
        known = [(kind, match) for kind in TABLES if (match := kind.caption.match(caption))]
        before = next((counted for beginning, counted in placed.items() if caption.startswith(beginning)), {})
        if known:
            kind, match = known[0]
            counted = kind.reckon(rows, asked, match)
            is_cut = caption in cut or len(cells[-1]) == 1  # a cell over all columns says how much is elsewhere
            lines = _cells_of(kind, caption, cells, counted, before)
            yield from (line for line in lines if not (is_cut and NO_ROW in str(line)))
        else:
            yield f"table {caption!r}: of no kind"


NO_ROW = ": no row "


def _cells_of(
    kind: TableKind, caption: str, cells: list[list[str]], counted: Counted, before: Counted
) -> Iterator[ShownCell | str]:
    head, body = headed(caption, cells)
    keys = [kind.key(row) for row in body]
    width = len(next(iter(before), ()))
    for key, row in zip(keys, body, strict=True):
        shown = dict(zip(head, row, strict=True))
        for column, value in counted.get(key, {}).items():
            if column in shown:
                yield ShownCell(kind.name, caption, key, column, shown[column], value)
                if _has_limits_alone(shown[column], value) and f"[{column}]" not in kind.uncounted:
                    yield f"table {caption!r}: nothing counts the limits of {column}"
        if key not in counted and not kind.lists(key) and tuple(row[:width]) not in before:
            yield f"table {caption!r}: nothing counts the row {key}"
    yield from (f"table {caption!r}{NO_ROW}{key}" for key in counted if key not in keys)
    names = {column for key in keys for column, value in counted.get(key, {}).items() if value is not None}
    names |= {head[int(place)] for held in before.values() for place in held if int(place) < len(head)}
    names |= {head[at] for at in kind.keys} | kind.uncounted.keys()
    if not all(map(kind.lists, keys)):
        lines = (f"table {caption!r}: the column {name!r} is neither counted nor listed" for name in head)
        yield from (line for name, line in zip(head, lines, strict=True) if name not in names)


def _has_limits_alone(said: str, value: Cell) -> bool:
    """Whether the cell has limits that a number beside the row's is not held to."""
    return isinstance(value, float | Beside) and " [" in said


def differences(page: Page, rows: Rows, asked: Asked, others: Mapping[str, Cells]) -> Iterator[str]:
    """Each cell that the rows say otherwise, and each column that nothing counts."""
    if asked.without == "ratings":  # of a snapshot that has no ratings
        return
    for cell in counted_cells(page, rows, asked, others):
        if isinstance(cell, str):
            yield cell
        elif not cell.is_true:
            yield f"table {cell.caption!r}: {cell.key} {cell.column}: {cell.said}\n    rows: {cell.value}"
