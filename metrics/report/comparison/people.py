"""Evaluators of several studies: how often they distinguished machine from human texts, with differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metrics.data.evaluator_judgments import EvaluatorJudgment
from metrics.data.sentence import Sentence, plain, template
from metrics.errors import MetricsError
from metrics.evaluators.conditions import SHARED, ConditionComparison, ConditionPair, compare_conditions
from metrics.evaluators.evaluate import Evaluation, evaluate_judgments
from metrics.figures import accuracy_by_arm
from metrics.report.records import ReportInput
from metrics.report.section import Section
from metrics.report.sections import human_or_machine
from metrics.report.sections.equivalence import BY_T
from metrics.report.sections.judgments import FACTORS
from metrics.report.sections.judgments import judgments as judgments_of
from metrics.report.wording import number, p_value, plural, quote
from metrics.tables.record import Column, Row, Table

STUDY = "study"
STUDIES, CONDITIONS = ("study", "studies"), ("condition", "conditions")
KEY, TITLE = "human-or-machine", "Human or machine"
ASKING = template(
    "comparison.evaluators",
    "{studies} asked who wrote a text; the unit is the evaluator.{several}",
    "ratings.criterion",
    "ratings.rater",
)
SEVERAL = " {some} evaluators took part in {several}: the tests take them for different people."
DIFFERENCE = template("comparison.accuracy", "{finding}: {difference}.", "ratings.value", "options.level")
HIGHER = "Evaluators were right more often in {} than in {}"
NO_DIFFERENCE = "No difference of accuracy is shown between {} and {}"
OF_F1 = "The n of F1 counts ratings of machine texts, and of human texts that were called machine."
WELCH = plain("Studies against each other, Welch's t-test over evaluators.")


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
    alone = len(by) == 1
    tables = [_accuracies(evaluation, "Study" if alone else "Condition")]
    lead: list[Sentence] = []
    try:
        compared = compare_conditions(judgments, by, level=level)
        single = alone and len(compared.pairs) == 1
        tables += _of_two(compared, notes) if single else human_or_machine.comparison_tables(compared, notes)
        lead += [_difference(compared.pairs[0])] if single else []
        shared = SHARED in compared.flags
    except MetricsError as error:
        missing.append(("Differences between studies", str(error)))
        shared = False
    arms = [accuracy_by_arm.Arm(name, condition.accuracy.accuracy) for name, condition in evaluation.conditions.items()]
    chart = accuracy_by_arm.chart(arms, name="accuracy-by-study", nouns=STUDIES if alone else CONDITIONS)
    return Section(
        key=KEY,
        title=TITLE,
        lead=(*lead, *_lead(asking, shared=shared), *notes),
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
    raters = [{judgment.rater for judgment in judgments_of(report_input)} for report_input in asking]
    every = all(names == raters[0] for names in raters)
    both = "both studies" if len(asking) == 2 else f"all {len(asking)} studies"
    several = SEVERAL.format(some="All" if every else "Some", several=both if every else "several studies")
    return (ASKING.fill(studies=plural(len(asking), "study", "studies"), several=several if shared else ""),)


def _difference(pair: ConditionPair) -> Sentence:
    """The higher less the lower, where a difference is shown."""
    value, span = pair.difference.value or 0.0, pair.difference.interval
    first, second = pair.a, pair.b
    if span is not None and span.high < 0:
        value, span = -value, replace(span, low=-span.high, high=-span.low)
        first, second = second, first
    ends = f" [{number(100 * span.low, 1)}, {number(100 * span.high, 1)}]" if span else ""
    p = pair.difference.settings.get("p")
    difference = f"{number(100 * value, 1)}{ends} percentage points, {p_value(p if isinstance(p, float) else None)}"
    words = HIGHER if span is not None and span.low > 0 else NO_DIFFERENCE
    return DIFFERENCE.fill(finding=words.format(quote(first), quote(second)), difference=difference)


def _of_two(compared: ConditionComparison, notes: Sequence[str]) -> list[Table]:
    """Welch's test alone: of two studies, tests of all pairs together would be a second test of one difference."""
    pairs = human_or_machine.comparison_tables(compared, notes)[0]
    return [replace(pairs, title=WELCH, notes=(BY_T, *notes))]


def _accuracies(evaluation: Evaluation, head: str) -> Table:
    columns: tuple[Column, ...] = (
        Column("condition", head),
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
    return Table("evaluators-by-study", title, columns, tuple(rows), (OF_F1,))
