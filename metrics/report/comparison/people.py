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
from metrics.report.sections.source_comparisons import turn_round
from metrics.report.wording import join_names, number, p_value, plural, quote
from metrics.tables.record import Column, Row, Table
from metrics.types import Estimate, Setting

STUDY = "study"
STUDIES, CONDITIONS = ("study", "studies"), ("condition", "conditions")
KEY, TITLE = "human-or-machine", "Human or machine"
ASKING = template(
    "comparison.evaluators",
    "{studies} asked who wrote a text; the unit is the evaluator.{several}{untested}",
    "ratings.criterion",
    "ratings.rater",
)
SEVERAL = " {some} evaluators took part in {several}: the tests take them for different people."
UNTESTED = " Not tested, with one evaluator only: {names}."
DIFFERENCE = template("comparison.accuracy", "{finding}: {difference}.", "ratings.value", "options.level")
LARGEST = template(
    "comparison.accuracies",
    "{differ} of {pairs} pairs of {groups} {verb} shown to differ in the accuracy of evaluators; the largest "
    "difference, {first} less {second}, is {difference} (adjusted for all pairs, {method}).",
    "ratings.value",
    "options.level",
)
NOT_TESTED = template(
    "comparison.accuracy-not-tested",
    "Whether accuracy differs between {groups} is not tested: {why}.",
    "ratings.value",
    "ratings.rater",
)
FEW = "fewer than two of them have two evaluators"
NO_VARIATION = "within each of them all evaluators have the same accuracy"
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
        lead.append(_conclude(compared, STUDIES if alone else CONDITIONS, level=level))
        shared, untested = SHARED in compared.flags, compared.left_out
    except MetricsError as error:
        missing.append(("Differences between studies", str(error)))
        lead.append(NOT_TESTED.fill(groups=(STUDIES if alone else CONDITIONS)[1], why=FEW))
        shared, untested = False, ()
    arms = [accuracy_by_arm.Arm(name, condition.accuracy.accuracy) for name, condition in evaluation.conditions.items()]
    chart = accuracy_by_arm.chart(arms, name="accuracy-by-study", nouns=STUDIES if alone else CONDITIONS)
    return Section(
        key=KEY,
        title=TITLE,
        lead=(*lead, *_lead(asking, untested, shared=shared), *notes),
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


def _lead(asking: Sequence[ReportInput], untested: Sequence[str], *, shared: bool) -> tuple[Sentence, ...]:
    raters = [{judgment.rater for judgment in judgments_of(report_input)} for report_input in asking]
    every = all(names == raters[0] for names in raters)
    both = "both studies" if len(asking) == 2 else f"all {len(asking)} studies"
    several = SEVERAL.format(some="All" if every else "Some", several=both if every else "several studies")
    return (
        ASKING.fill(
            studies=plural(len(asking), "study", "studies"),
            several=several if shared else "",
            untested=UNTESTED.format(names=join_names([quote(name) for name in untested])) if untested else "",
        ),
    )


def _conclude(compared: ConditionComparison, groups: tuple[str, str], *, level: float) -> Sentence:
    """The difference of two groups of evaluators; of more, how many pairs differ, and the largest difference."""
    if len(compared.pairs) == 1:
        return _difference(compared.pairs[0], groups)
    pairs = [(pair.a, pair.b, pair.difference, "p") for pair in compared.tukey]
    pairs = pairs or [(pair.a, pair.b, replace(pair.difference, interval=None), "p_holm") for pair in compared.pairs]
    tested = [p for *_, difference, key in pairs if (p := _number(difference.settings.get(key))) is not None]
    if not tested:
        return NOT_TESTED.fill(groups=groups[1], why=NO_VARIATION)
    differ = sum(p <= round(1 - level, 12) for p in tested)
    first, second, largest, key = max(pairs, key=lambda pair: abs(pair[2].value or 0.0))
    if (largest.value or 0.0) < 0:
        first, second, largest = second, first, turn_round(largest)
    return LARGEST.fill(
        differ=differ or "None",
        pairs=len(pairs),
        groups=groups[1],
        verb="is" if differ < 2 else "are",
        first=quote(first),
        second=quote(second),
        difference=_points(largest, key),
        method="Tukey-Kramer" if compared.tukey else "Holm",
    )


def _difference(pair: ConditionPair, groups: tuple[str, str]) -> Sentence:
    """The higher less the lower, where a difference is shown."""
    difference, first, second = pair.difference, pair.a, pair.b
    if difference.interval is None:
        return NOT_TESTED.fill(groups=groups[1], why=NO_VARIATION)
    if difference.interval.high < 0:
        difference, first, second = turn_round(difference), second, first
    words = HIGHER if difference.interval and difference.interval.low > 0 else NO_DIFFERENCE
    return DIFFERENCE.fill(finding=words.format(quote(first), quote(second)), difference=_points(difference, "p"))


def _points(difference: Estimate, key: str) -> str:
    """A difference of shares with its interval and its p-value, which is the setting `key`."""
    span = difference.interval
    ends = f" [{number(100 * span.low, 1)}, {number(100 * span.high, 1)}]" if span else ""
    p = p_value(_number(difference.settings.get(key)))
    return f"{number(100 * (difference.value or 0.0), 1)}{ends} percentage points, {p}"


def _number(setting: Setting | None) -> float | None:
    return float(setting) if isinstance(setting, int | float) else None


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
