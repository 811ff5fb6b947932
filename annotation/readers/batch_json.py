"""Columns of batch results that hold JSON, such as `Answer.taskAnswers`: each value inside under a name of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from annotation.readers.foreign.paths import MAX_PATHS, flatten
from annotation.readers.rows import Row

TASK_ANSWERS = "Answer.taskAnswers"
LOOKED_AT = 50  # rows by which a file is known to hold JSON
MAX_FIELDS = 20 * MAX_PATHS


def holds_json(rows: Iterable[Row]) -> bool:
    """Whether one of the first rows has a cell that is a JSON list or object."""
    return any(_inside(name, cell) for row in islice(rows, LOOKED_AT) for name, cell in row.cells.items())


def inner_fields(rows: Iterable[Row]) -> tuple[str, ...]:
    """The names of all values inside JSON cells, over all rows: an answer that a row lacks is blank there."""
    names: dict[str, None] = {}
    for row in rows:
        if len(names) < MAX_FIELDS:
            names |= dict.fromkeys(_inner_cells(row))
    return tuple(names)


def expand_rows(rows: Iterable[Row], names: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows with a cell for each of the names."""
    for row in rows:
        yield Row(row.line, {**dict.fromkeys(names, ""), **_inner_cells(row), **row.cells})


def _inner_cells(row: Row) -> dict[str, str]:
    cells: dict[str, str] = {}
    for name, cell in row.cells.items():
        inside = _inside(name, cell)
        if inside:
            cells |= inside
    return cells


def _inside(name: str, cell: str) -> dict[str, str]:
    """The values in a JSON cell: those of `taskAnswers` are answers, others begin with the column's name."""
    text = cell.strip()
    if not text.startswith(("[", "{")):
        return {}
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if name == TASK_ANSWERS and isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        return {f"Answer.{path}": value for path, value in flatten(content[0]).items()}
    return flatten({name: content})
