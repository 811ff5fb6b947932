"""The report's data as tidy CSV: UTF-8, LF, no cell a spreadsheet would run as a formula.

`items.csv` of one generator is the ITEMS of `python -m metrics huse`, `ratings.csv` its RATINGS. HJ is written as an
exact decimal where it has one; where it has none (a mean of 3 ratings, say) only RATINGS keeps ties exact, and
`hj_sum` / `ratings` give the exact HJ. Judgments excluded from the analysis are in `ratings-excluded.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from metrics.data.answer_types import AnswerType
from metrics.report.data_file import DICTIONARY, DataFile
from metrics.report.formats.data_columns import (
    BARE_ITEM_COLUMNS,
    FURTHER_RATING_COLUMNS,
    RATER_COLUMNS,
    RATING_COLUMNS,
    RESULT_COLUMNS,
    JudgedRow,
    describe_huse_table,
    estimate_rows,
    item_columns,
    rater_rows,
)
from metrics.report.records import ReportInput
from metrics.report.result import Report
from metrics.report.row_records import ASSIGNMENT_COLUMNS, FLAG_COLUMNS
from metrics.report.sections import registry
from metrics.report.sections.huse_extras import CRITERION
from metrics.tables.delimited import lines, table_csv
from metrics.tables.huse import HuseRow, huse_table
from metrics.tables.latex import table_latex
from metrics.tables.record import Table

MAX_BYTES = 120  # of a generator's name in a file's name


def csv_files(report: Report) -> dict[str, Iterable[str]]:
    """Each CSV file by its name, line by line, and the table of HUSE as LaTeX. A file without a row is not written."""
    files = [*_item_files(report), *_rating_files(report.input), *_people_files(report.input), *_section_files(report)]
    described = [row for file in files for row in file.describe()]
    out: dict[str, Iterable[str]] = {f"{file.name}.csv": file.lines() for file in files}
    if report.generators:
        out["huse.csv"] = [table_csv(main_table(report))]
        described += describe_huse_table(main_table(report))
    results = DataFile("results", RESULT_COLUMNS, estimate_rows(_parts(report)))
    out["results.csv"] = results.lines()
    out["dictionary.csv"] = [lines(DICTIONARY, [*described, *results.describe()])]
    return out | ({"huse.tex": [table_latex(main_table(report))]} if report.generators else {})


def _item_files(report: Report) -> Iterator[DataFile]:
    texts = {text.id: text for text in report.input.texts}
    if not report.generators:
        yield DataFile("items", BARE_ITEM_COLUMNS, report.input.texts)
        return
    columns = item_columns(paired=_is_paired(report))
    rows = {
        generator.facts.name: [JudgedRow(generator.facts, judged, texts[judged.item.id]) for judged in generator.judged]
        for generator in report.generators
    }
    yield DataFile("items", columns, [row for of_generator in rows.values() for row in of_generator])
    if len(rows) > 1:
        for name, slug in zip(rows, slugs(list(rows)), strict=True):
            yield DataFile(f"items-{slug}", columns, rows[name])


def _is_paired(report: Report) -> bool:
    """Whether every text has its context, by which `python -m metrics huse` pairs texts."""
    return all(item.context for generator in report.generators for item in generator.facts.items)


def _rating_files(report_input: ReportInput) -> Iterator[DataFile]:
    """`ratings.csv`, as `python -m metrics huse` and `alpha` read it, and what was excluded."""
    two_sided = report_input.criteria_of(AnswerType.TWO_SIDED)
    rated = [rating for rating in report_input.ratings if rating.criterion not in two_sided]
    plain_study = all(rating.criterion == CRITERION and not rating.condition and not rating.partner for rating in rated)
    columns = RATING_COLUMNS if plain_study else (*RATING_COLUMNS, *FURTHER_RATING_COLUMNS)
    if rated or not report_input.ratings:
        yield DataFile("ratings", columns, [rating for rating in rated if rating.kept])
    if excluded := [rating for rating in rated if not rating.kept]:
        yield DataFile("ratings-excluded", columns, excluded)


def _people_files(report_input: ReportInput) -> Iterator[DataFile]:
    if report_input.assignments:
        yield DataFile("assignments", ASSIGNMENT_COLUMNS, report_input.assignments)
        if flags := [(row, flag) for row in report_input.assignments for flag in row.flags]:
            yield DataFile("flags", FLAG_COLUMNS, flags)
    if report_input.ratings:
        yield DataFile("raters", RATER_COLUMNS, rater_rows(report_input))


def _section_files(report: Report) -> Iterator[DataFile]:
    """The files of the sections that the report has."""
    shown = {section.key for section in report.sections}
    for kind in registry.installed():
        if kind.key in shown:
            yield from kind.files(report.input)


def _parts(report: Report) -> list[tuple[str, Table]]:
    """Every table of the results, with the key of its section."""
    parts = [("huse", main_table(report))] if report.generators else []
    parts += [("items", table) for table in report.items.tables]
    return parts + [(section.key, table) for section in report.sections for table in section.tables]


def main_table(report: Report) -> Table:
    """HUSE, HUSE-Q, HUSE-D and log p alone of every generator, in both modes."""
    return huse_table(
        [
            HuseRow(
                generator.facts.name, mode, result, report.p_null.get(generator.facts.name) if mode == "exact" else None
            )
            for generator in report.generators
            for mode, result in generator.modes.items()
        ]
    )


def slugs(names: Sequence[str]) -> list[str]:
    """File-name parts for the names, one for each, all different; letters of every script stay."""
    out: list[str] = []
    for name in names:
        base = _cut(re.sub(r"(?:[^\w.=]|_)+", "-", name)).strip("-.") or "generator"
        slug, again = base, 2
        while slug.lower() in (other.lower() for other in out):
            slug, again = f"{base}-{again}", again + 1
        out.append(slug)
    return out


def _cut(name: str) -> str:
    """At most MAX_BYTES in UTF-8: no file system takes more than 255 for a whole name."""
    return name.encode()[:MAX_BYTES].decode(errors="ignore")
