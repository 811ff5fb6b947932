"""As good as chance, or as each other? Two one-sided tests, where a margin was declared before the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics.data.evaluator_judgments import EvaluatorJudgment, check_judgments
from metrics.data.sentence import Sentence, plain, template
from metrics.evaluators.accuracy import evaluator_accuracies
from metrics.evaluators.conditions_to_json import tost_estimate
from metrics.inference.equivalence import Equivalence, Margin, equivalence
from metrics.report.row_records import PlanFacts
from metrics.report.section import Reference
from metrics.report.wording import p_value, share
from metrics.tables.record import Column, Row, Table

TABLE = "evaluators-equivalence"
PART = "Equivalence (TOST)"
UNDECLARED = "no margin was declared before the data"
ALPHA = 0.05
MEASURED = ("plan.margin_points", "ratings.value", "texts.source")
UNTESTABLE = template(
    "summary.equivalence-untestable",
    "Whether accuracy is within {margin} cannot be tested: every evaluator has the same accuracy.",
    *MEASURED,
)
TESTED = template(
    "summary.equivalence",
    "Accuracy {outcome} within {margin}, the margin around chance that {declared} declared: {shown}, {p} (TOST).",
    *MEASURED,
)


BY_T = (
    "Intervals of accuracy and of its differences are those of the t-tests, symmetric around the value: with few "
    "evaluators they can reach further than shares can. Those of accuracy in the first table are "
    "Wilson's and stay within 0 and 100%."
)
LAKENS = Reference(
    "lakens2017equivalence",
    "article",
    (
        ("author", 'Lakens, Dani{\\"e}l'),
        ("title", "Equivalence Tests: A Practical Primer for t Tests, Correlations, and Meta-Analyses"),
        ("journal", "Social Psychological and Personality Science"),
        ("volume", "8"),
        ("number", "4"),
        ("pages", "355--362"),
        ("year", "2017"),
    ),
)


def margin_of(plan: PlanFacts | None) -> Margin | None:
    """The margin around 50% that the plan declares, in shares of right answers."""
    if plan is None or plan.margin_points is None:
        return None
    return Margin((50 - plan.margin_points) / 100, (50 + plan.margin_points) / 100, plan.name)


def of_all(judgments: Sequence[EvaluatorJudgment], margin: Margin) -> Equivalence:
    """Of the mean accuracy of all evaluators. Raises InsufficientData for fewer than two."""
    accuracies = evaluator_accuracies(check_judgments(judgments, repeats="keep"))
    return equivalence(accuracies.values(), margin, alpha=ALPHA)


def sentence(test: Equivalence) -> Sentence:
    """What the test says of all evaluators."""
    span, margin = test.interval, _span(test.margin)
    if test.equivalent is None or span is None or test.p is None:
        return UNTESTABLE.fill(margin=margin)
    outcome = "was shown to lie" if test.equivalent else "was not shown to lie"
    shown = f"{share(test.value, span)} at {100 * span.level:g}%"
    return TESTED.fill(outcome=outcome, margin=margin, declared=test.margin.declared, shown=shown, p=p_value(test.p))


def table(tests: Mapping[str, Equivalence]) -> Table:
    """A row a condition, and a row a pair of conditions. tests: at least one, all of one declaration."""
    columns = (
        Column("what", "Of"),
        Column("value", "Accuracy, 90% interval", "share_estimate", n="evaluators", digits=1),
        Column("difference", "Difference, 90% interval", "share_estimate", n="evaluators", digits=1, points=True),
        Column("margin", "Margin", "range"),
        Column("t_low", "t, lower bound", "number"),
        Column("t_high", "t, upper bound", "number"),
        Column("df", "df", "number", digits=0),
        Column("p", "p, the larger", "p"),
        Column("verdict", "Inside the margin"),
        Column("evaluators", "Evaluators", "count"),
    )
    rows: tuple[Row, ...] = tuple(
        (
            name,
            *((None, tost_estimate(test)) if _is_difference(test) else (tost_estimate(test), None)),
            _span(test.margin),
            test.t_low,
            test.t_high,
            test.df,
            test.p,
            _verdict(test),
            test.n,
        )
        for name, test in tests.items()
    )
    declared = next(iter(tests.values())).margin.declared
    notes = (
        f"The margin was declared before the data by {declared}. Of a difference it has the same width around 0.",
        BY_T,
        f"Each test is at alpha {ALPHA:g}, not adjusted for their number: it shows equivalence where the "
        f'{100 * (1 - 2 * ALPHA):g}% interval lies inside the margin. "Not shown" does not prove a difference.',
    )
    return Table(TABLE, plain("Equivalence by two one-sided t-tests over evaluators."), columns, rows, notes)


def _is_difference(test: Equivalence) -> bool:
    """Whether it is of two conditions: its margin lies around 0, not around chance."""
    return test.margin.low < 0


def _span(margin: Margin) -> str:
    """The margin in words; that of a difference in percentage points."""
    low, high = (f"{100 * end:g}".replace("-", "−") for end in (margin.low, margin.high))
    return f"{low} to {high} pp" if margin.low < 0 else f"{low}% to {high}%"


def _verdict(test: Equivalence) -> str:
    return {True: "shown", False: "not shown", None: "not defined"}[test.equivalent]
