"""Nested records as flat ones: each leaf under its path, such as `choices.0.turns.1`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any

from annotation.readers.rows import Literal

MAX_DEPTH = 8
MAX_ITEMS = 50  # of a list
MAX_PATHS = 1_000  # of a record


def flatten(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the leaves of a record as cells; items of a list beyond MAX_ITEMS and deeper leaves are left out."""
    cells: dict[str, str] = {}
    for name, value in record.items():
        _flatten(str(name), value, 1, cells)
    return cells


def _flatten(path: str, value: Any, depth: int, cells: dict[str, str]) -> None:
    if len(cells) >= MAX_PATHS:
        return
    if isinstance(value, Mapping):
        parts: Any = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value[:MAX_ITEMS])
    else:
        cells.setdefault(path, cell_of(value))
        return
    if depth < MAX_DEPTH:
        for name, part in parts:
            _flatten(f"{path}.{name}", part, depth + 1, cells)


def cell_of(value: Any) -> str:
    """Return a value as the text of a cell; a whole number without its decimal point, "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return Literal("true" if value else "false")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return Literal(str(int(value)))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return Literal(format(value, "f") if isinstance(value, Decimal) and abs(value.adjusted()) < 30 else str(value))
