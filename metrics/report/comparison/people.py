"""Evaluators of several studies: how often they distinguished machine from human texts, with differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metrics.data.evaluator_judgments import EvaluatorJudgment
from metrics.data.sentence import Sentence, plain, template
from metrics.errors import MetricsError
from metrics.evaluators.conditions import SHARED, compare_conditions
from metrics.evaluators.evaluate import Evaluation, evaluate_judgments
from metrics.figures import accuracy_by_arm
from metrics.report.records import ReportInput
from metrics.report.section import Section
from metrics.report.sections import human_or_machine
from metrics.report.sections.judgments import FACTORS
from metrics.report.sections.judgments import judgments as judgments_of
from metrics.report.wording import plural, quote
from metrics.tables.record import Column, Row, Table

STUDY = "study"
KEY, TITLE = "human-or-machine", "Human or machine"
ASKING = template(
    "comparison.evaluators",
    "{studies} asked who wrote a text; the unit is the evaluator.{several}",
    "ratings.criterion",
    "ratings.rater",
)
SEVERAL = " Some evaluators took part in several: the tests take them for different people."


def section(studies: Sequence[ReportInput], *, level: float) -> Section | None:
    """None where fewer than two studies asked who wrote a text."""
    asking = [report_input for report_input in studies if judgments_of(report_input)]
    if len(asking) < 2:
        return None
    judgments = [judged for report_input in asking for judged in _of(report_input)]
    by = (
        STUDY,
        *(factor for factor in FACTORS if len({judgment.factors[factor] for judgment in judgments}) > 1),
    )
    try:
        evaluation = evaluate_judgments(judgments, by, level=level)
    except MetricsError as error:
        return Section(KEY, TITLE, missing=(("Accuracy of evaluators", str(error)),))
    missing: list[tuple[str, str]] = []
    notes = tuple(
        dict.fromkeys(
            f"{quote(report_input.study.name)}: {report_input.assignment}"
            for report_input in asking
            if report_input.assignment
        )
    )
    tables = [_accuracies(evaluation)]
    try:
        compared = compare_conditions(judgments, by, level=level)
        tables += human_or_machine.comparison_tables(compared, notes)
        shared = SHARED in compared.flags
    except MetricsError as error:
        missing.append(("Differences between studies", str(error)))
        shared = False
    arms = [accuracy_by_arm.Arm(name, condition.accuracy.accuracy) for name, condition in evaluation.conditions.items()]
    chart = accuracy_by_arm.chart(arms, name="accuracy-by-study")
    return Section(
        key=KEY,
        title=TITLE,
        lead=(*_lead(asking, shared=shared), *notes),
        tables=tuple(tables),
        charts=(chart,),
        missing=tuple(missing),
        references=(human_or_machine.CLARK,),
    )


def _of(report_input: ReportInput) -> list[EvaluatorJudgment]:
    """Texts of different studies are different texts, whatever their ids are."""
    name = report_input.study.name
    return [
        replace(judgment, item=f"{name} / {judgment.item}", factors={STUDY: name, **judgment.factors})
        for judgment in judgments_of(report_input)
    ]


def _lead(asking: Sequence[ReportInput], *, shared: bool) -> tuple[Sentence, ...]:
    return (ASKING.fill(studies=plural(len(asking), "study", "studies"), several=SEVERAL if shared else ""),)


def _accuracies(evaluation: Evaluation) -> Table:
    columns: tuple[Column, ...] = (
        Column("condition", "Condition"),
        Column("accuracy", "Right", "share_estimate", n="evaluators", digits=1),
        Column("f1", "F1", "estimate", n="ratings"),
        Column("human", "Called human", "share_estimate", n="ratings", digits=1),
        Column("confident", "Definitely", "share_estimate", n="ratings", digits=1),
        Column("evaluators", "Evaluators", "count"),
        Column("ratings", "Ratings", "count"),
    )
    rows: list[Row] = []
    for name, condition in evaluation.conditions.items():
        accuracies: Any = condition.accuracy
        judged = int(accuracies.accuracy.settings["judgments"] or 0)
        rows.append(
            (
                name,
                accuracies.accuracy,
                accuracies.f1,
                accuracies.percent_human,
                accuracies.percent_confident,
                accuracies.accuracy.n,
                judged,
            )
        )
    title = plain("Right answers about who wrote a text: mean over evaluators, intervals over evaluators.")
    return Table("evaluators-by-study", title, columns, tuple(rows))
