"""A first look at a file: its columns with samples, and its first rows; bounded in time and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.readers.foreign.open_file import container_of, open_table, sheets_of
from annotation.readers.problems import FileProblems, Findings
from annotation.readers.tabular import FileForm

LOOKED_AT = 200  # rows
SHOWN = 8  # rows of the preview
MAX_SHOWN_COLUMNS = 400
MAX_CELL = 2_000  # characters of a cell that are shown
MAX_WORDS = 40  # distinct short values of a column that are listed
MAX_WORD = 60


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """A column by its first rows. words: its distinct values, where they are few and short; mean_words: of a cell."""

    name: str
    filled: int
    distinct: int
    mean_words: float
    sample: str
    words: tuple[str, ...] = ()
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class FileLook:
    """What was seen. problems: sentences; where there are some and no columns, the file cannot be read."""

    name: str
    container: str
    sheets: tuple[str, ...]
    columns: tuple[ColumnLook, ...]
    rows: tuple[dict[str, str], ...]
    lines: tuple[int, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> ColumnLook | None:
        """The column of that name; None where there is none."""
        return next((column for column in self.columns if column.name == name), None)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def look_from_json(stored: dict[str, Any]) -> FileLook:
    """Read what `as_json` wrote."""
    columns = tuple(ColumnLook(**{**column, "words": tuple(column["words"])}) for column in stored["columns"])
    plain = ("sheets", "rows", "lines", "notes", "problems")
    return FileLook(**{**stored, "columns": columns, **{name: tuple(stored[name]) for name in plain}})


def look_at(path: Path, form: FileForm | None = None) -> FileLook:
    """Read the first rows of a file; what is wrong with the file comes as sentences."""
    findings = Findings(path)
    rows: list[dict[str, str]] = []
    lines: list[int] = []
    fields: tuple[str, ...] = ()
    container, sheets = "csv", tuple[str, ...]()
    try:
        container, sheets = (container_of(path), sheets_of(path)) if path.exists() else ("csv", ())
        table = open_table(path, findings, form=form, read=("",))
        fields = table.fields
        for row in islice(table.rows, LOOKED_AT):
            rows.append(dict(row.cells))
            lines.append(row.line)
        table.rows.close() if hasattr(table.rows, "close") else None
    except FileProblems:
        pass  # noted in the findings
    names = tuple(dict.fromkeys((*fields, *(name for row in rows for name in row))))[:MAX_SHOWN_COLUMNS]
    columns = tuple(_look_at_column(name, rows) for name in names)
    return FileLook(
        name=path.name,
        container=container,
        sheets=sheets,
        columns=tuple(column for column in columns if column.filled or not rows),
        rows=tuple(_shown(row, names) for row in rows[:SHOWN]),
        lines=tuple(lines[:SHOWN]),
        notes=tuple(findings.notes),
        problems=tuple(str(problem) for problem in findings.problems[:3]),
    )


def _shown(row: dict[str, str], names: Sequence[str]) -> dict[str, str]:
    return {name: row[name][:MAX_CELL] for name in names if row.get(name)}


def _look_at_column(name: str, rows: Sequence[dict[str, str]]) -> ColumnLook:
    cells = [cell for row in rows if (cell := row.get(name, "")) and not cell.isspace()]
    distinct = list(dict.fromkeys(cells))
    mean_words = round(sum(len(cell.split()) for cell in cells) / len(cells), 2) if cells else 0.0
    few = len(distinct) <= MAX_WORDS and mean_words < 3 and all(len(cell) <= MAX_WORD for cell in distinct)
    words = tuple(cell.strip() for cell in distinct) if few and len(distinct) * 2 <= max(len(cells), 2) else ()
    return ColumnLook(
        name=name,
        filled=len(cells),
        distinct=len(distinct),
        mean_words=mean_words,
        sample=cells[0][:120] if cells else "",
        words=words,
        numeric=bool(cells) and all(_is_number(cell) for cell in cells),
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
