"""Plain text for a terminal or a mail: columns in line, numbers to the right."""

from __future__ import annotations

from textwrap import wrap

from metrics.tables.record import ALIGNED_LEFT, Table
from metrics.tables.shown import format_cell

GAP = "  "


def table_text(table: Table, *, width: int = 100, ascii_only: bool = True) -> str:
    """Caption, head, rows, notes and signatures; ends with LF. `width`: of the caption and the notes, in letters."""
    cells = [
        [
            format_cell(column, cell, n=table.needs_n(row, column))
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    heads = [column.title for column in table.columns]
    widths = [max(len(cell_text) for cell_text in column_texts) for column_texts in zip(heads, *cells, strict=True)]
    rule = "-" * (sum(widths) + len(GAP) * (len(widths) - 1))
    body = [_line(table, heads, widths), rule, *(_line(table, row, widths) for row in cells), rule]
    below = [line for note in table.notes for line in wrap(note, width, break_long_words=False)]
    text = "\n".join([*wrap(table.title, width), "", *body, *below, *table.signatures]) + "\n"
    return text.replace("−", "-").replace("–", "-") if ascii_only else text


def _line(table: Table, cells: list[str], widths: list[int]) -> str:
    aligned = (
        cell.ljust(width) if column.kind in ALIGNED_LEFT else cell.rjust(width)
        for column, cell, width in zip(table.columns, cells, widths, strict=True)
    )
    return GAP.join(aligned).rstrip()
