"""Quality says what became of all work, and whose a reward is; a margin that allows clear differences is a limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metrics.report.pay import BY_APPROVAL, sentences
from metrics.report.prose.findings import wide_margins
from metrics.report.records import CrowdFacts, MoneyFacts, RatingRow, ReportInput, ScaleLabel, TextRow
from metrics.report.row_records import ASSIGNMENT_COLUMNS, AssignmentRow, ComparisonPlan, ConditionFacts, PlanFacts
from metrics.report.sections.submissions import SECTIONS
from metrics.tables.record import Row
from tests.metrics.report.samples import STUDY, rated

# Ann: analyzed, and excluded. Bo: withdrawn. Cy: rejected and excluded. Di: without an answer. Ed: excluded, withdrawn.
ROWS = (
    AssignmentRow("1", "ann", "h1", "short", payment="approved", withdrawn=False, checks=2, checks_failed=0),
    AssignmentRow("2", "ann", "h2", "long", payment="approved", kept=False, reason="fast", checks=2, checks_failed=2),
    AssignmentRow("3", "bo", "h1", "short", payment="approved", withdrawn=True),
    AssignmentRow("4", "cy", "h2", "long", payment="rejected", kept=False, reason="copied", checks=1, checks_failed=1),
    AssignmentRow("5", "di", "h3", "short", withdrawn=False, checks=0, checks_failed=0),
    AssignmentRow("6", "ed", "h3", "long", payment="approved", kept=False, reason="fast", withdrawn=True),
)
WORK = ReportInput(
    STUDY,
    (),
    (TextRow("t", "reference", None, "A text."),),
    (RatingRow("t", "ann", "Rare", 1, "h1"), RatingRow("t", "ann", "Rare", 1, "h2", kept=False)),
    crowd=CrowdFacts(workers=5, submitted=6, approved=4, rejected=1, excluded=3, reversed=1, replied=2),
    conditions=(ConditionFacts("short", "short"), ConditionFacts("long", "long")),
    assignments=ROWS,
)


def shown(report_input: ReportInput) -> dict[str, list[Row]]:
    section = SECTIONS[0].section(report_input)
    return {table.name: list(table.rows) for table in section.tables} if section else {}


def test_submissions_and_raters_add_up_by_condition() -> None:
    rows = shown(WORK)["submissions-analysed"]
    assert rows == [
        ("submissions", "short", 3, 1, 0, 1, 1),
        ("submissions", "long", 3, 0, 3, 0, 0),
        ("submissions", "all", 6, 1, 3, 1, 1),
        ("raters", "short", 3, 1, 0, 1, 1),
        ("raters", "long", 3, 0, 3, 0, 0),
        ("raters", "all", 5, 1, 2, 1, 1),
    ]
    assert all(total == sum(parts) for _, _, total, *parts in rows)


def test_decisions_and_attention_checks_are_counted_by_condition() -> None:
    tables = shown(WORK)
    assert tables["submissions-paid"] == [
        ("short", 3, 2, 0, 1, 0, None, None),
        ("long", 3, 2, 1, 0, 1, None, None),
        ("all", 6, 4, 1, 1, 1, 1, 2),
    ]
    assert tables["submissions-checks"] == [("short", 1, 2, 2, 0, 0), ("long", 2, 3, 0, 3, 2), ("all", 3, 5, 2, 3, 2)]


def test_what_older_snapshots_do_not_know_is_not_counted() -> None:
    older = tuple(replace(row, withdrawn=None, checks=None, checks_failed=None) for row in ROWS)
    crowd = replace(WORK.crowd, reversed=None, replied=None)
    tables = shown(replace(WORK, assignments=older, crowd=crowd))
    assert "submissions-checks" not in tables
    assert tables["submissions-paid"][-1][-2:] == (None, None)
    assert shown(replace(WORK, assignments=())) == {}
    assert "submissions-analysed" not in shown(replace(WORK, ratings=()))


def test_the_file_of_assignments_says_no_of_withdrawn_work() -> None:
    columns = [column for column in ASSIGNMENT_COLUMNS if column.header in ("kept", "reason")]
    cells = [[column.value(row) for column in columns] for row in ROWS]
    assert cells[:3] == [["yes", ""], ["no", "fast"], ["no", "withdrawn by the worker"]]


@pytest.mark.parametrize(
    ("pays", "said"),
    [
        ((BY_APPROVAL[0],), "The reward was 1.00 USD per assignment; the median assignment took 10 min 00 s, 6.00 USD"),
        (
            (f"Registered accounts: {BY_APPROVAL[0]}", "By a link: Raters were given course credit."),
            "The reward was 1.00 USD per assignment for raters to whom rewards were credited; the median assignment "
            "took 10 min 00 s, 6.00 USD per hour for them.",
        ),
    ],
)
def test_a_wage_names_whose_it_is_where_some_raters_are_paid_otherwise(pays: tuple[str, ...], said: str) -> None:
    paid = MoneyFacts(reward_cents=100, median_seconds=600.0, wage_cents=600)
    first = next(iter(sentences(replace(WORK, money=paid, conditions=(), crowd=replace(WORK.crowd, pays=pays)))))
    assert str(first).replace("\u00a0", " ").startswith(said)


@pytest.mark.parametrize(
    ("margin", "criterion", "share"), [(3.0, "", "75%"), (1.0, "", ""), (3.0, "clarity", "75%"), (3.0, "other", "")]
)
def test_a_margin_of_most_of_the_scale_is_a_limit(margin: float, criterion: str, share: str) -> None:
    made = rated(contexts=2, raters=2)
    scale = tuple(ScaleLabel(str(code), code) for code in range(1, 6))
    plan = PlanFacts(comparison=ComparisonPlan(criterion, margin=margin))
    limits = [str(limit) for limit in wide_margins(replace(made, study=replace(made.study, scale=scale), plan=plan))]
    expected = f"The declared margin of equivalence, {margin:g} points, is {share} of the largest difference"
    assert [limit.startswith(expected) for limit in limits] == ([True] if share else [])
