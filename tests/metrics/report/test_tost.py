"""Equivalence in a report: with a margin declared before the data, and never without one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from metrics.report.build import build_report
from metrics.report.records import RatingRow, ReportInput
from metrics.report.result import Report
from metrics.report.row_records import ConditionFacts, PlanFacts
from metrics.report.section import Section
from metrics.tables.record import Table
from metrics.types import Estimate
from tests.metrics.report.evaluators_study import LABELS, evaluators

# Method, 2.22: accuracies of ten evaluators, bounds .45 and .55.
NEAR_HALF = (0.52, 0.48, 0.5, 0.55, 0.45, 0.5, 0.47, 0.53, 0.51, 0.49)
PLAN = PlanFacts(registered_at=datetime(2026, 11, 3, tzinfo=UTC), margin_points=5)


def answers(training: str, accuracy: float, rater: str, texts: tuple) -> list[RatingRow]:
    """100 texts, so many of which the rater gets right."""
    right = round(100 * accuracy)
    made = []
    for at, text in enumerate(texts):
        code = 4 if (text.source == "model") == (at < right) else 1
        row = RatingRow(text.id, rater, LABELS[code - 1], code, "HIT 1", at + 1, True, "human_or_machine", training)
        made.append(row)
    return made


def study(plan: PlanFacts | None, *trainings: str) -> ReportInput:
    base = evaluators()
    texts = tuple(replace(base.texts[i % 20], id=f"t{i}") for i in range(100))
    ratings = [
        row
        for training in trainings
        for number, accuracy in enumerate(NEAR_HALF)
        for row in answers(training, accuracy, f"{training}-{number}", texts)
    ]
    conditions = tuple(ConditionFacts(name, training=name) for name in trainings)
    return replace(base, study=replace(base.study, texts_per_hit=len(texts)), texts=texts, ratings=tuple(ratings),
                   conditions=conditions, assignments=(), comments=(), codes=(), codebook=(), plan=plan)  # fmt: skip


def section(report: Report) -> Section:
    return next(one for one in report.sections if one.key == "human-or-machine")


def equivalences(report: Report) -> Table:
    return next(one for one in section(report).tables if one.name == "evaluators-equivalence")


def cells(table: Table, name: str) -> dict:
    row = next(row for row in table.rows if row[0] == name)
    return {column.key: cell for column, cell in zip(table.columns, row, strict=True)}


def test_the_numbers_are_those_of_the_two_one_sided_tests() -> None:
    report = build_report(study(PLAN, "none"))
    found = cells(equivalences(report), "all judgments")
    assert (found["t_low"], found["t_high"], found["p"]) == pytest.approx((5.370862, -5.370862, 0.000225), abs=1e-6)
    assert isinstance(found["value"], Estimate)
    span = found["value"].interval
    assert (span.low, span.high, span.level) == pytest.approx((0.482935, 0.517065, 0.9), abs=1e-6)
    assert (found["margin"], found["verdict"], found["evaluators"]) == ("45% to 55%", "shown", 10)


def test_conditions_and_their_differences_are_tested_too() -> None:
    table = equivalences(build_report(study(PLAN, "none", "examples")))
    assert [row[0] for row in table.rows] == ["none", "examples", "none less examples", "all judgments"]
    assert cells(table, "none less examples")["margin"] == "−5 to 5 pp"


def test_the_verdict_names_the_margin_and_when_it_was_declared() -> None:
    report = build_report(study(PLAN, "none"))
    told = section(report).lead[-1]
    assert told.startswith("Accuracy was shown to lie within 45% to 55%")
    assert "the plan of 3 November 2026 declared" in told
    assert "Lakens" in " ".join(report.methods)


def test_too_narrow_a_margin_shows_nothing() -> None:
    report = build_report(study(replace(PLAN, margin_points=1), "none"))
    assert cells(equivalences(report), "all judgments")["verdict"] == "not shown"
    assert "was not shown to lie within 49% to 51%" in section(report).lead[-1]


@pytest.mark.parametrize("plan", [None, replace(PLAN, margin_points=None)])
def test_without_a_declared_margin_nothing_is_called_the_same(plan: PlanFacts | None) -> None:
    found = section(build_report(study(plan, "none")))
    assert ("Equivalence (TOST)", "no margin was declared before the data") in found.missing
    assert "evaluators-equivalence" not in [table.name for table in found.tables]
    assert not any("indistinguishable" in line or "shown to lie" in line for line in found.lead)
