"""Sentences that say how much of a long list is shown, and which file holds all of it."""

from __future__ import annotations

from dataclasses import replace

from metrics.data.sentence import Sentence, template
from metrics.report.wording import plural
from metrics.tables.record import Table

ROWS = template("shortened.rows", "The first {shown} of {total} rows are shown; {file} holds all.", "results.tables")
TEXTS = template("shortened.texts", "The first {shown} of {total} texts are shown; {file} holds all.", "texts.id")
DAYS = template("shortened.days", "{days} in assignments.csv.", "assignments.submitted_at")
APPENDIX = template("shortened.appendix", "The appendix has {rows}.", "results.tables")


def shorten_table(table: Table, limit: int, file: str) -> Table:
    """The table; of more than `limit` rows the first ones, with a note that names the file that holds all."""
    if len(table.rows) <= limit:
        return table
    note = ROWS.fill(shown=limit, total=len(table.rows), file=file)
    return replace(table, rows=table.rows[:limit], notes=(*table.notes, note))


def count_texts_shown(shown: int, total: int, file: str) -> Sentence | str:
    """The sentence above a list of texts; "" where all are shown."""
    return TEXTS.fill(shown=shown, total=total, file=file) if total > shown else ""


def count_further_days(days: int) -> Sentence | str:
    """The last row of a table of days; "" where all are shown."""
    return DAYS.fill(days=f"{plural(days, 'more day')} {'is' if days == 1 else 'are'}") if days > 0 else ""


def count_further_rows(rows: int) -> tuple[Sentence, ...]:
    """The note of a table on the paper page that leaves rows to the appendix."""
    return (APPENDIX.fill(rows=plural(rows, "more row")),) if rows > 0 else ()
