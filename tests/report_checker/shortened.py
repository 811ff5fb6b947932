"""Kinds of sentences on how much of a long list is shown: of tables, texts, days, and rows left to the appendix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.report_checker.recount import Rows, count, moment
from tests.report_checker.sentences import Asked, Match, kind
from tests.report_checker.tables import mean_cells

# In LaTeX: the caption of a table, its rows and its notes.
TABLE = re.compile(r"\\begin\{table\}.*?\\caption\{(.*?)\}\n.*?\\midrule\n(.*?)\n\\bottomrule(.*?)\\end\{table\}", re.S)
ROWS = r"The first \d+ of [\d,]+ rows are shown; (?:report\.json|[\w-]+\.csv) holds all\."


def rows_of(rows: Rows, caption: str, level: float) -> int | None:
    """How many rows a table has in full; None for a table that is not counted anew."""
    if caption.startswith(("How often each label", "Share of the judgments with each label")):
        sides = {(answer.criterion, rows.sides[answer.text]) for answer in rows.used}
        return sum(len(rows.labels_of(criterion)) for criterion, _ in sides)
    if caption.startswith("Mean rating over texts"):
        return len(mean_cells(rows, level))
    return None


def cut_tables(asked: Asked) -> dict[str, int]:
    return asked.page.cut_tables() if asked.page else {}


def among(said: str, expected: Iterator[str]) -> str | None:
    every = list(expected)
    return said if said in every else " / ".join(every) or None


@kind(ROWS)
def first_rows(rows: Rows, match: Match, asked: Asked) -> str | None:
    def expected() -> Iterator[str]:
        for caption, number in cut_tables(asked).items():
            yield f"The first {number} of {rows_of(rows, caption, asked.level)} rows are shown; report.json holds all."

    return among(match[0], expected())


@kind(r"The appendix has \d+ more rows?\.")
def further_rows(rows: Rows, match: Match, asked: Asked) -> str | None:
    def expected() -> Iterator[str]:
        for caption, number in cut_tables(asked).items():
            total = rows_of(rows, caption, asked.level)
            if total is not None:
                yield f"The appendix has {count(total - number, 'more row')}."

    return among(match[0], expected())


@kind(r"The first \d+ of [\d,]+ texts are shown; items\.csv holds all\.")
def first_texts(rows: Rows, match: Match, asked: Asked) -> str | None:
    listed = asked.page.tree.xpath("//table[contains(@class, 'texts')]/tbody/tr") if asked.page else ()
    return f"The first {len(listed)} of {len(rows.texts)} texts are shown; items.csv holds all."


@kind(r"\d+ more days? (?:is|are) in assignments\.csv\.")
def further_days(rows: Rows, match: Match, asked: Asked) -> str | None:
    days = {moment(row["submitted_at"]).date() for row in rows.submissions}
    assert asked.page is not None
    listed = [cells for caption, cells in asked.page.captioned() if caption.startswith("Assignments by day")]
    more = len(days) - sum(len(row) == 2 for row in listed[0][1:])
    return f"{count(more, 'more day')} {'is' if more == 1 else 'are'} in assignments.csv."


def differences_of_latex(source: str, rows: Rows, asked: Asked) -> Iterator[str]:
    """What the LaTeX says otherwise than the rows of how much of a table is shown."""
    for caption, body, notes in TABLE.findall(source):
        for said in re.findall(ROWS, notes):
            shown = body.count(r"\\" + "\n") + 1
            total = rows_of(rows, caption, asked.level)
            expected = f"The first {shown} of {total} rows are shown; report.json holds all."
            if said != expected:
                yield f"LaTeX: {said!r}\n    rows: {expected}"
