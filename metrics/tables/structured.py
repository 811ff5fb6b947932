"""JSON: what `json.dumps` takes, nothing rounded, no NaN."""

from __future__ import annotations

import math
from typing import Any

from metrics.data.to_json import estimate_json
from metrics.errors import MetricsError
from metrics.tables.record import Cell, Table
from metrics.types import Estimate

SCHEMA_VERSION = 1


def table_json(table: Table) -> dict[str, Any]:
    """The table: name, title, columns, rows as {key: value or estimate}, notes, signatures.

    Raises MetricsError for a number that is not finite.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "name": table.name,
        "title": table.title,
        "columns": [{"key": column.key, "title": column.title, "kind": column.kind} for column in table.columns],
        "rows": [
            {column.key: _value(cell) for column, cell in zip(table.columns, row, strict=True)} for row in table.rows
        ],
        "notes": list(table.notes),
        "signatures": list(table.signatures),
    }


def _value(cell: Cell) -> Any:
    if isinstance(cell, Estimate):
        return estimate_json(cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        raise MetricsError("A table holds a number that is not finite.")
    return cell
