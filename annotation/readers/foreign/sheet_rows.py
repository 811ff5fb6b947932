"""What Excel and OpenDocument sheets have in common: a header row, rows of cells, and what a sheet hides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from annotation.exceptions import AssayError
from annotation.readers.csv_table import MAX_COLUMNS
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row, Table

MAX_UNPACKED = 2 * 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell's value as text. kind: `date`, `formula` (without a stored value) or ""."""

    text: str
    kind: str = ""


@contextmanager
def damaged(findings: Findings, what: str) -> Iterator[None]:
    """Say in a sentence what a damaged file makes a library raise, whatever that is."""
    try:
        yield
    except (AssayError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (a library raises whatever it meets in somebody's file)
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise findings.stop(None, "", f"the {what} is damaged ({reason})", Code.DAMAGED_FILE) from None


Numbered = tuple[int, Sequence[SheetCell]]


def sheet_table(
    rows: Iterable[Numbered], findings: Findings, *, merged: Iterable[tuple[int, str]] = (), read: Collection[str] = ()
) -> Table:
    """The table below the first row that is not blank. merged: the last row and the name of each merged range.

    read: the columns that are read (all, where it is empty); a date, or a formula without a value, is a problem there.
    """
    numbered = iter(rows)
    header_at, header = next(((at, cells) for at, cells in numbered if any(cell.text for cell in cells)), (0, ()))
    names = [cell.text.strip() for cell in header]
    while names and not names[-1]:
        names.pop()
    if not names:
        raise findings.stop(1, "", "the sheet is empty", Code.EMPTY_FILE)
    if len(names) > MAX_COLUMNS:
        rule = f"the header names {len(names):,} columns; at most {MAX_COLUMNS:,} are read"
        raise findings.stop(header_at, "", rule, Code.TOO_MANY_COLUMNS)
    for at, name in enumerate(names):
        if name and name in names[:at]:
            findings.problem(header_at, name, "the header names this column twice", Code.DUPLICATED_COLUMN)
    ranges = [name for bottom, name in merged if bottom > header_at]
    if ranges:
        more = f" (and {len(ranges) - 1:,} more ranges)" if len(ranges) > 1 else ""
        rule = f"the cells {ranges[0]} are merged{more}: only the first of them holds a value"
        findings.problem(None, "", rule, Code.MERGED_CELLS)
    return Table(tuple(name for name in names if name), _rows(numbered, names, frozenset(read), findings))


def _rows(numbered: Iterator[Numbered], names: list[str], read: frozenset[str], findings: Findings) -> Iterator[Row]:
    first = next(numbered, None)
    count = 0
    for at, cells in chain([first] if first else [], numbered):
        row = {name: cells[place].text if place < len(cells) else "" for place, name in enumerate(names) if name}
        if not any(row.values()) and not any(cell.kind for cell in cells):
            continue
        count += 1
        for name, cell in zip(names, cells, strict=False):
            if cell.kind and name and (not read or name in read):
                _refuse(at, name, cell, findings)
        yield Row(at, row)
    if not count:
        findings.problem(None, "", "the sheet has a header and no rows", Code.NO_ROWS)


def _refuse(at: int, name: str, cell: SheetCell, findings: Findings) -> None:
    if cell.kind == "date":
        rule = f"the cell holds a date ({cell.text}), which the spreadsheet may have made of a number or a word"
        findings.refuse(at, name, rule, Code.DATE_CELL)
    else:
        rule = "the cell holds a formula without a stored value"
        findings.refuse(at, name, rule, Code.FORMULA_CELL)
