"""Tables and charts as a page shows them, and as files beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.figures import static
from metrics.figures.chart import Chart
from metrics.report.prose.shortened import shorten_table
from metrics.tables.delimited import table_csv
from metrics.tables.record import ALIGNED_LEFT, Table
from metrics.tables.shown import format_cell

PAGE = "page.json"
MAX_ROWS = 200


def table_parts(table: Table) -> dict[str, Any]:
    """A table as rows of text; long ones are cut, and say so."""
    cut = shorten_table(table, MAX_ROWS, f"{table.name}.csv")
    return {
        "name": table.name,
        "title": table.title,
        "columns": [[column.title, column.kind in ALIGNED_LEFT] for column in table.columns],
        "rows": [
            [
                [format_cell(column, cell), column.kind in ALIGNED_LEFT]
                for column, cell in zip(table.columns, row, strict=True)
            ]
            for row in cut.rows
        ],
        "notes": list(cut.notes),
        "signatures": list(table.signatures)[:8],
    }


def write_parts(folder: Path, tables: Sequence[Table], charts: Sequence[Chart], facts: Mapping[str, Any]) -> list[str]:
    """Write each table as CSV and each chart as SVG, and what the page shows; the names of the files."""
    files = {f"{table.name}.csv": table_csv(table) for table in tables}
    files |= {f"{chart.name}.svg": static.svg(chart, standalone=True) for chart in charts}
    page = {
        **facts,
        "tables": [table_parts(table) for table in tables],
        "charts": [{"title": chart.title, "alt": chart.alt, "svg": static.svg(chart)} for chart in charts],
    }
    for name, body in {**files, PAGE: json.dumps(page)}.items():
        (folder / name).write_text(body, encoding="utf-8")
    return list(files)


def read_parts(folder: Path) -> dict[str, Any] | None:
    """What `write_parts` wrote for the page; None where it is not kept any more."""
    try:
        parts: dict[str, Any] = json.loads((folder / PAGE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return parts
