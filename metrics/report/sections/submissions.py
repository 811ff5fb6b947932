"""What became of every submission and every rater: the analysis, payment, attention checks, by condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from metrics.data.sentence import plain
from metrics.report.records import ReportInput, unit_of
from metrics.report.row_records import AssignmentRow
from metrics.report.section import Section
from metrics.report.section_kind import Options, written
from metrics.tables.record import Column, Row, Table

KEY, TITLE = "submissions", "Submissions and decisions"
ALL, UNNAMED = "all", "condition not recorded"
FATES = ("analysed", "excluded", "withdrawn", "unused")  # a rater is of the first that a submission of theirs is of
CONDITION = Column("condition", "Condition")
FATE_NOTE = (
    "Total: the sum of the other counts of its row. In the analysis: at least one answer counts. A rater is counted "
    "once: in the analysis with any submission that is, else excluded, else withdrawn. What was excluded and withdrawn "
    "is counted as excluded."
)
ERASED = "Checks of withdrawn submissions are erased and not counted."
OF_ALL = "A dash: recorded for the study, not by condition."


@dataclass(frozen=True, slots=True)
class Work:
    """The submissions by condition, all of them last; what became of each."""

    groups: tuple[tuple[str, tuple[AssignmentRow, ...]], ...]
    fates: dict[str, str]
    is_paid: bool
    reversed: int | None
    replied: int | None


def gather(report_input: ReportInput) -> Work | None:
    """None without submissions."""
    rows, crowd = report_input.assignments, report_input.crowd
    if not rows:
        return None
    facts = {condition.name: condition.name or condition.training for condition in report_input.conditions}
    named = facts | {row.condition: row.condition or UNNAMED for row in rows if row.condition not in facts}
    groups = [(words, tuple(row for row in rows if row.condition == name)) for name, words in named.items()]
    groups = groups if len(groups) > 1 else []
    used = {rating.unit for rating in report_input.ratings if rating.kept}
    # Without ratings, as of means alone, nothing says whose answers count.
    fates = {row.id: _fate(row, used) for row in rows} if report_input.ratings else {}
    is_paid = crowd.approved is not None or any(row.payment for row in rows)
    return Work((*groups, (ALL, rows)), fates, is_paid, crowd.reversed, crowd.replied)


def _fate(row: AssignmentRow, used: set[str]) -> str:
    if not row.kept:
        return "excluded"
    if row.withdrawn:
        return "withdrawn"
    return "analysed" if unit_of(row.hit, row.rater) in used else "unused"


def write(work: Work, options: Options) -> Section:
    """The tables that the study has facts for."""
    options.announce("submissions")
    return Section(KEY, TITLE, (), tuple(_tables(work)))


def _tables(work: Work) -> Iterator[Table]:
    if work.fates:
        yield _analysed(work)
    if work.is_paid:
        yield _paid(work)
    if any(row.checks for _, rows in work.groups for row in rows):
        yield _checked(work)


def _analysed(work: Work) -> Table:
    units: tuple[tuple[str, Callable[[Sequence[AssignmentRow]], list[str]]], ...] = (
        ("submissions", lambda rows: [work.fates[row.id] for row in rows]),
        ("raters", lambda rows: _of_raters(rows, work.fates)),
    )
    table_rows: list[Row] = []
    for unit, fates_of in units:
        for name, rows in work.groups:
            fates = fates_of(rows)
            table_rows.append((unit, name, len(fates), *(fates.count(fate) for fate in FATES)))
    columns = (
        Column("of", "Of"),
        CONDITION,
        Column("total", "Total", "count"),
        Column("analysed", "In the analysis", "count"),
        Column("excluded", "Excluded", "count"),
        Column("withdrawn", "Withdrawn", "count"),
        Column("unused", "Without an answer that counts", "count"),
    )
    title = plain("Submissions and raters in the analysis, excluded and withdrawn.")
    return Table("submissions-analysed", title, columns, tuple(table_rows), (FATE_NOTE,))


def _of_raters(rows: Sequence[AssignmentRow], fates: dict[str, str]) -> list[str]:
    by_rater: dict[str, set[str]] = {}
    for row in rows:
        by_rater.setdefault(row.rater, set()).add(fates[row.id])
    return [next(fate for fate in FATES if fate in held) for held in by_rater.values()]


def _paid(work: Work) -> Table:
    table_rows: list[Row] = []
    for name, rows in work.groups:
        verdicts = [row.payment for row in rows]
        table_rows.append(
            (
                name,
                len(rows),
                verdicts.count("approved"),
                verdicts.count("rejected"),
                len(rows) - verdicts.count("approved") - verdicts.count("rejected"),
                sum(row.payment == "rejected" and not row.kept for row in rows),
                work.reversed if name == ALL else None,
                work.replied if name == ALL else None,
            )
        )
    columns = (
        CONDITION,
        Column("submitted", "Submitted", "count"),
        Column("approved", "Approved", "count"),
        Column("rejected", "Rejected", "count"),
        Column("undecided", "No decision recorded", "count"),
        Column("rejected_excluded", "Rejected and excluded", "count"),
        Column("reversed", "Rejections reversed", "count"),
        Column("replied", "With a reply of the rater", "count"),
    )
    notes = (OF_ALL,) if len(work.groups) > 1 and work.replied is not None else ()
    title = plain("Decisions on the payment of submissions, separate from those on the analysis.")
    return Table("submissions-paid", title, columns, tuple(table_rows), notes)


def _checked(work: Work) -> Table:
    table_rows: list[Row] = []
    for name, rows in work.groups:
        held = [(row.checks, row.checks_failed or 0) for row in rows if row.checks]
        checks, failed = sum(number for number, _ in held), sum(number for _, number in held)
        table_rows.append((name, len(held), checks, checks - failed, failed, sum(number > 0 for _, number in held)))
    columns = (
        CONDITION,
        Column("submissions", "Submissions with checks", "count"),
        Column("checks", "Checks answered", "count"),
        Column("passed", "Passed", "count"),
        Column("failed", "Failed", "count"),
        Column("failing", "Submissions that failed any", "count"),
    )
    title = plain("Attention checks of all submissions, also of those outside the analysis.")
    notes = (ERASED,) if any(row.withdrawn for _, rows in work.groups for row in rows) else ()
    return Table("submissions-checks", title, columns, tuple(table_rows), notes)


SECTIONS = (written(KEY, TITLE, 19, gather, write),)
