"""Human or machine, as a section: the papers' tables, tests, comparisons of conditions, histograms, comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from metrics.agreement.krippendorff import krippendorff_alpha
from metrics.data.answer_types import AnswerType
from metrics.data.arm_assignment import UNKNOWN as ASSIGNMENT_UNKNOWN
from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment
from metrics.data.sentence import Sentence, plain, template
from metrics.errors import InsufficientData, MetricsError
from metrics.evaluators.conditions import SHARED, ConditionComparison, compare_conditions, mixed_accuracy
from metrics.evaluators.conditions_to_json import anova_estimate
from metrics.evaluators.evaluate import Condition, Evaluation, evaluate_judgments
from metrics.evaluators.exclusion_sensitivity import OVERALL
from metrics.figures import accuracy_by_arm, score_histogram
from metrics.figures.chart import Chart
from metrics.inference.equivalence import Equivalence, Margin
from metrics.inference.mixed_model import INTERCEPT, MixedModel
from metrics.report.records import ReportInput
from metrics.report.section import Measured, Reference, Section
from metrics.report.section_kind import Options, written
from metrics.report.sections import equivalence
from metrics.report.sections.judgments import files, judgments, varying_factors
from metrics.report.wording import number, p_value, plural, share
from metrics.tables.evaluators import EvaluatorRow, evaluator_table
from metrics.tables.record import Column, Row, Table
from metrics.types import MODEL, REFERENCE, Estimate, Source

KEY, TITLE = "human-or-machine", "Human or machine"
CLARK = Reference(
    "clark2021human",
    "inproceedings",
    (
        (
            "author",
            "Clark, Elizabeth and August, Tal and Serrano, Sofia and Haduong, Nikita and Gururangan, Suchin and "
            "Smith, Noah A.",
        ),
        ("title", "All That's `Human' Is Not Gold: Evaluating Human Evaluation of Generated Text"),
        ("booktitle", "Proceedings of ACL-IJCNLP 2021"),
        ("year", "2021"),
    ),
)
ANSWERED = ("ratings.value", "ratings.kept", "ratings.rater", "texts.source")
UNCERTAIN = template(
    "summary.accuracy-without-interval",
    "Evaluators were right in {value} of their answers on average; no interval is defined.",
    *ANSWERED,
)
SHARED_NOTE = (
    "Some evaluators judged in several conditions and count once in each; these tests take conditions as independent."
)
MIXED = plain("Mixed model of right answers, texts and evaluators crossed.")
BOOTSTRAPPED = plain("Least squares with a cluster bootstrap of right answers, texts and evaluators crossed.")
LINEAR = (
    "The model is linear in shares: its limits can lie outside 0 to 100%, those of accuracy in the first table cannot."
)
BETTER = template(
    "summary.accuracy-better",
    "Evaluators distinguished machine from human texts better than chance: {words} right, at {evaluators}.",
    *ANSWERED,
    "options.level",
)
WORSE = template(
    "summary.accuracy-worse",
    "Evaluators did worse than chance: {words} right, at {evaluators}.",
    *ANSWERED,
    "options.level",
)
CHANCE = template(
    "summary.accuracy-chance",
    "Evaluators were not shown to do better than chance: {words} right, an interval that holds 50%, at {evaluators}.",
    *ANSWERED,
    "options.level",
)
BY_CONDITION = template(
    "summary.accuracy-conditions",
    "Accuracy by condition: {conditions}.",
    *ANSWERED,
    "ratings.condition",
    "options.level",
)
MAX_CONDITIONS = 6  # of which each has its accuracy in the summary
EMPTY = template(
    "summary.empty-arms",
    "Empty, without a judgment that counts: {conditions}.",
    "conditions.name",
    "ratings.condition",
    "ratings.kept",
)
NOTHING = Estimate(None, 0, None, {}, ("no_judgments",), "")  # of an arm without answers


def gather(report_input: ReportInput) -> ReportInput | None:
    """None without judgments of who wrote a text that count."""
    return report_input if report_input.ratings_of(AnswerType.TWO_SIDED) else None


def write(report_input: ReportInput, options: Options) -> Section:
    """Accuracy, its tests and comparisons, and what evaluators said."""
    options.announce("evaluators")
    level, seed = options.level, options.seed
    included = judgments(report_input)
    by = varying_factors(included)
    missing: list[tuple[str, str]] = []
    agreement = partial(krippendorff_alpha, confidence=level, seed=seed)
    try:
        evaluation = evaluate_judgments(included, by, level=level, agreement=agreement)
    except MetricsError as error:
        return Section(KEY, TITLE, missing=(("Accuracy of evaluators", str(error)),))
    empty = empty_arms(report_input)
    # Where it is not known, the methods say so, once.
    known = report_input.assignment not in ("", ASSIGNMENT_UNKNOWN)
    notes = (report_input.assignment,) if by and known else ()
    tables = [_noted(_main(evaluation, included, by, empty), notes), _tests(evaluation), _confusion(evaluation)]
    margin = equivalence.margin_of(report_input.plan)
    compared = _compared(included, by, level, margin, missing)
    if compared is not None:
        tables += comparison_tables(compared, notes)
    alike = _alike(included, compared, margin, missing)
    tables += [_noted(equivalence.table(alike), notes if compared else ())] if alike else []
    try:
        tables.append(_noted(_mixed(mixed_accuracy(included, by, level=level, seed=seed), _first(evaluation)), notes))
    except MetricsError as error:
        missing.append(("Mixed model of right answers", str(error)))
    tables += _exclusions(evaluation, judgments(report_input, every=True), len(included), by, level)
    tables.append(_items(included))
    lead = (*conclude(evaluation, alike.get(OVERALL), empty), *notes)
    return Section(
        key=KEY,
        title=TITLE,
        lead=lead,
        tables=tuple(tables),
        charts=tuple(_charts(report_input, evaluation, empty, notes)),
        missing=tuple(missing),
        measures=tuple(_measures(evaluation)),
        references=(CLARK, *((equivalence.LAKENS,) if alike else ())),
    )


def empty_arms(report_input: ReportInput) -> tuple[str, ...]:
    """Conditions of the design in which no answer counts."""
    answered = {rating.condition for rating in report_input.ratings_of(AnswerType.TWO_SIDED)}
    return tuple(
        condition.name or condition.training for condition in report_input.conditions if condition.name not in answered
    )


def _noted(table: Table, notes: Sequence[str]) -> Table:
    return replace(table, notes=(*table.notes, *notes))


def conclude(evaluation: Evaluation, alike: Equivalence | None, empty: Sequence[str]) -> tuple[Sentence, ...]:
    """What is concluded of all evaluators. alike: the test of equivalence with chance, where one was declared."""
    return (
        _verdict(evaluation),
        *([_by_condition(evaluation.conditions)] if len(evaluation.conditions) > 1 else []),
        *([equivalence.sentence(alike)] if alike else []),
        *([EMPTY.fill(conditions=", ".join(empty))] if empty else []),
    )


def _verdict(evaluation: Evaluation) -> Sentence:
    accuracy = evaluation.overall.accuracy.accuracy
    span = accuracy.interval
    if span is None:
        return UNCERTAIN.fill(value=share(accuracy.value))
    words = share(accuracy.value, span)
    outcome = BETTER if span.low > 0.5 else WORSE if span.high < 0.5 else CHANCE
    number = len(evaluation.conditions)
    pooled = f" in {number} conditions together" if number > 1 else ""
    return outcome.fill(words=words, evaluators=f"{plural(accuracy.n, 'evaluator')}{pooled}")


def _by_condition(conditions: Mapping[str, Condition]) -> Sentence:
    """The accuracy of each condition; of many the lowest and the highest."""
    stated = {name: condition.accuracy.accuracy for name, condition in conditions.items()}
    if len(stated) <= MAX_CONDITIONS:
        return BY_CONDITION.fill(conditions="; ".join(_of_condition(name, stated[name]) for name in stated))
    ordered = sorted(stated, key=lambda name: stated[name].value or 0.0)
    ends = [_of_condition(name, stated[name]) for name in (ordered[0], ordered[-1])]
    return BY_CONDITION.fill(conditions=f"lowest {ends[0]}; highest {ends[1]}; {len(stated)} conditions")


def _of_condition(name: str, accuracy: Estimate) -> str:
    return f"{name} {share(accuracy.value, accuracy.interval)}, {plural(accuracy.n, 'evaluator')}"


def _condition_rows(evaluation: Evaluation) -> list[tuple[str, Condition]]:
    return [*evaluation.conditions.items(), (OVERALL, evaluation.overall)]


def _measures(evaluation: Evaluation) -> list[Measured]:
    """Accuracy in each condition, then of all evaluators."""
    return [
        Measured(name if name != OVERALL else "all", "Accuracy", condition.accuracy.accuracy)
        for name, condition in _condition_rows(evaluation)
    ]


def _main(
    evaluation: Evaluation, judgments: Sequence[EvaluatorJudgment], by: Sequence[str], empty: Sequence[str]
) -> Table:
    named: dict[str, dict[str, str]] = {}
    from metrics.data.evaluator_judgments import by_condition

    for name, group in (by_condition(judgments, by) if by else {}).items():
        named[name] = dict(group[0].factors)
    rows = []
    for name, condition in _condition_rows(evaluation):
        factors = named.get(name, {})
        accuracy, agreed = condition.accuracy, condition.agreement
        rows.append(
            EvaluatorRow(
                model=factors.get("generator", "all") if name != OVERALL else "all",
                domain=factors.get("domain", "all"),
                training=factors.get("training", "all"),
                accuracy=accuracy.accuracy,
                f1=accuracy.f1,
                precision=accuracy.precision,
                recall=accuracy.recall,
                alpha_nominal=agreed.get("alpha_nominal_binary"),
                alpha_ordinal=agreed.get("alpha_ordinal"),
                human=accuracy.percent_human,
                confident=accuracy.percent_confident,
                evaluators=accuracy.accuracy.n,
                ratings=int(accuracy.accuracy.settings["judgments"] or 0),
            )
        )
    note = f"Empty, without a judgment that counts: {', '.join(empty)}."
    return evaluator_table(rows, notes=(note,) if empty else ())


def _tests(evaluation: Evaluation) -> Table:
    columns = (
        Column("condition", "Condition"),
        Column("difference", "Accuracy less 50%", "share_estimate", n="evaluators", digits=1, points=True),
        Column("t", "t", "number"),
        Column("df", "df", "number", digits=0),
        Column("p", "p", "p"),
        Column("p_bonferroni", "p, Bonferroni", "p"),
        Column("p_holm", "p, Holm", "p"),
        Column("p_bh", "p, BH", "p"),
        Column("d", "Cohen's d", "estimate", n="evaluators"),
        Column("g", "Hedges' g", "estimate", n="evaluators"),
        Column("evaluators", "Evaluators", "count"),
    )
    rows: list[Row] = []
    for name, condition in _condition_rows(evaluation):
        test = condition.against_chance
        settings = test.accuracy_minus_chance.settings
        values = [_number(settings.get(key)) for key in ("t", "df", "p", "p_bonferroni", "p_holm", "p_bh")]
        rows.append(
            (name, test.accuracy_minus_chance, *values, test.cohens_d, test.hedges_g, test.accuracy_minus_chance.n)
        )
    family = evaluation.family
    is_tested = any(row[4] is not None for row in rows)
    notes: tuple[str, ...] = (
        family.describe() if family else "One test.",
        "A difference from chance that is not significant does not show that there is none.",
        equivalence.BY_T,
    )
    notes = notes if is_tested else ("Not tested: a test needs two evaluators whose accuracies differ.",)
    title = plain("Accuracy against chance, two-sided one-sample t-tests over evaluators.")
    return Table("evaluators-against-chance", title, columns, tuple(rows), notes)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _confusion(evaluation: Evaluation) -> Table:
    columns = (
        Column("condition", "Condition"),
        Column("tp", "Machine, called machine", "count"),
        Column("fn", "Machine, called human", "count"),
        Column("fp", "Human, called machine", "count"),
        Column("tn", "Human, called human", "count"),
    )
    rows = tuple(
        (
            name,
            condition.accuracy.confusion.tp,
            condition.accuracy.confusion.fn,
            condition.accuracy.confusion.fp,
            condition.accuracy.confusion.tn,
        )
        for name, condition in _condition_rows(evaluation)
    )
    return Table("evaluators-confusion", plain("Answers by source of the text, in ratings."), columns, rows)


def _alike(
    judgments: Sequence[EvaluatorJudgment],
    compared: ConditionComparison | None,
    margin: Margin | None,
    missing: list[tuple[str, str]],
) -> dict[str, Equivalence]:
    """Tests of equivalence by condition and pair, then of all judgments; none without a declared margin."""
    if margin is None:
        missing.append((equivalence.PART, equivalence.UNDECLARED))
        return {}
    try:
        overall = equivalence.of_all(judgments, margin)
        pairs = {f"{pair.a} - {pair.b}": f"{pair.a} less {pair.b}" for pair in (compared.pairs if compared else ())}
        tests = compared.equivalence if compared else {}
        return {**{pairs.get(name, name): test for name, test in tests.items()}, OVERALL: overall}
    except MetricsError as error:
        missing.append((equivalence.PART, str(error)))
        return {}


def _compared(
    judgments: Sequence[EvaluatorJudgment],
    by: Sequence[str],
    level: float,
    margin: Margin | None,
    missing: list[tuple[str, str]],
) -> ConditionComparison | None:
    try:
        if not by:
            raise InsufficientData("There is one condition only.")
        return compare_conditions(judgments, by, level=level, margin=margin, alpha=equivalence.ALPHA)
    except MetricsError as error:
        missing.append(("Conditions against each other", str(error)))
        return None


def comparison_tables(compared: ConditionComparison, notes: Sequence[str] = ()) -> list[Table]:
    """Each pair of conditions by Welch's test, and all pairs together where there are not too many.

    notes: what each table must say of how raters came to the conditions.
    """
    tables = [_pairs(compared), _tukey(compared)] if compared.tukey else [_pairs(compared)]
    return [_noted(table, notes) for table in tables]


def _pairs(compared: ConditionComparison) -> Table:
    columns = (
        Column("a", "First"),
        Column("b", "less second"),
        Column("difference", "Difference of accuracy", "share_estimate", digits=1, points=True),
        Column("t", "t", "number"),
        Column("df", "df", "number", digits=0),
        Column("p", "p", "p"),
        Column("p_bonferroni", "p, Bonferroni", "p"),
        Column("p_holm", "p, Holm", "p"),
        Column("d", "Cohen's d", "estimate"),
        Column("smallest", "Smallest d found with power .8", "estimate"),
    )
    rows: list[Row] = []
    for pair in compared.pairs:
        settings = pair.difference.settings
        values = [_number(settings.get(key)) for key in ("t", "df", "p", "p_bonferroni", "p_holm")]
        rows.append((pair.a, pair.b, pair.difference, *values, pair.cohens_d, pair.smallest_effect))
    anova = anova_estimate(compared.anova)
    p, eta = _number(anova.settings.get("p")), _number(anova.settings.get("eta_squared"))
    f = "not defined" if anova.value is None or p is None else f"F = {number(anova.value)}, {p_value(p)}"
    explained = "" if eta is None else f", eta squared {number(eta, 3)}"
    df = f"({compared.anova.df_between}, {compared.anova.df_within} degrees of freedom)"
    notes = [
        f"One-way ANOVA over evaluators: {f}{explained} {df}.",
        compared.family.describe(),
        equivalence.BY_T,
        "Cohen's d is in the SD of the two conditions, pooled.",
    ]
    if SHARED in compared.flags:
        notes.append(SHARED_NOTE)
    if compared.left_out:
        notes.append(f"Excluded because they have one evaluator only: {', '.join(compared.left_out)}.")
    title = plain("Conditions against each other, Welch's t-tests over evaluators.")
    return Table("evaluators-conditions", title, columns, tuple(rows), tuple(notes))


def _tukey(compared: ConditionComparison) -> Table:
    columns = (
        Column("a", "First"),
        Column("b", "less second"),
        Column("difference", "Difference of accuracy", "share_estimate", digits=1, points=True),
        Column("q", "q", "number"),
        Column("p", "p, all pairs", "p"),
        Column("d", "Cohen's d", "estimate"),
    )
    rows = tuple((pair.a, pair.b, pair.difference, pair.q, pair.p, pair.cohens_d) for pair in compared.tukey)
    title = plain("Tukey-Kramer comparison of all pairs of conditions; intervals for all pairs together.")
    note = "Cohen's d is in the SD within all conditions, pooled."
    return Table("evaluators-tukey", title, columns, rows, (note,))


def _first(evaluation: Evaluation) -> str:
    """The condition that the mixed model starts from; "" without conditions."""
    return next(iter(evaluation.conditions), "")


def _mixed(model: MixedModel, first: str) -> Table:
    """The model with its intercept as the share of the first condition ("": of human texts, of one condition)."""
    columns = (
        Column("effect", "Effect"),
        Column("value", "Share right", "share_estimate", n="n", digits=1),
        Column("difference", "Difference", "share_estimate", n="n", digits=1, points=True),
        Column("n", "n", "count"),
    )
    base = first or "human texts"
    rows: list[Row] = []
    for name, estimate in model.effects.items():
        if name == INTERCEPT:
            rows.append((base, estimate, None, estimate.n))
        else:
            rows.append((f"{name if first else 'machine texts'}, less {base}", None, estimate, estimate.n))
    notes = [LINEAR, *([model.note] if model.note else [])]
    if model.is_fitted:
        notes.append(
            "Variances: " + ", ".join(f"{name} {number(value, 4)}" for name, value in model.variances.items()) + "."
        )
    title = MIXED if model.is_fitted else BOOTSTRAPPED
    return Table("evaluators-mixed", title, columns, tuple(rows), tuple(notes))


def _only_arm(report_input: ReportInput) -> str:
    """What the one arm is called in which anybody answered."""
    answers = report_input.ratings_of(AnswerType.TWO_SIDED)
    named = {rating.condition for rating in answers if rating.condition}
    return named.pop() if len(named) == 1 else "all evaluators"


def _exclusions(
    evaluation: Evaluation, everything: Sequence[EvaluatorJudgment], included: int, by: Sequence[str], level: float
) -> list[Table]:
    """Return accuracy with and without exclusions; no table where nothing was excluded."""
    if len(everything) == included:
        return []
    without_exclusions = evaluate_judgments(everything, by, level=level)
    rows: list[Row] = []
    for words, evaluated in (("as reported", evaluation), ("with every judgment", without_exclusions)):
        for name, condition in _condition_rows(evaluated):
            accuracy = condition.accuracy.accuracy
            rows.append((name, words, accuracy, int(accuracy.settings["judgments"] or 0), accuracy.n))
    columns = (
        Column("condition", "Condition"),
        Column("which", "Judgments"),
        Column("accuracy", "Accuracy", "share_estimate", n="evaluators", digits=1),
        Column("ratings", "Ratings", "count"),
        Column("evaluators", "Evaluators", "count"),
    )
    title = plain("Accuracy with and without the exclusions of the section Quality.")
    return [Table("evaluators-exclusions", title, columns, tuple(rows))]


def _items(judgments: Sequence[EvaluatorJudgment]) -> Table:
    by_item: dict[tuple[str, str], list[int]] = {}
    for judgment in judgments:
        right = (judgment.rating > 2) == (judgment.truth == MACHINE)
        by_item.setdefault((judgment.item, judgment.truth), []).append(int(right))
    columns = (
        Column("item", "Text"),
        Column("truth", "Written by"),
        Column("right", "Right", "share", digits=0),
        Column("ratings", "Ratings", "count"),
    )
    ordered = sorted(by_item.items(), key=lambda entry: (sum(entry[1]) / len(entry[1]), entry[0]))
    rows = tuple((item, truth, sum(answers) / len(answers), len(answers)) for (item, truth), answers in ordered)
    return Table("evaluators-items", plain("Share of right answers by text, the hardest first."), columns, rows)


def _charts(
    report_input: ReportInput, evaluation: Evaluation, empty: Sequence[str], notes: Sequence[str]
) -> list[Chart]:
    # All judgments together are no arm: they are shown only where there is one arm, under its name.
    shown = evaluation.conditions or {_only_arm(report_input): evaluation.overall}
    arms = [accuracy_by_arm.Arm(name, condition.accuracy.accuracy) for name, condition in shown.items()]
    arms += [accuracy_by_arm.Arm(f"{name} (empty)", NOTHING) for name in empty]
    # No figure of one point: the table has it.
    charts = [accuracy_by_arm.chart(arms, name="accuracy-by-condition", assigned=notes)] if len(arms) > 1 else []
    scale = sorted(report_input.study.scale, key=lambda label: label.code)
    names = [label.name for label in scale] if len(scale) == 4 else ["1", "2", "3", "4"]
    drawn: list[tuple[str, str, list[score_histogram.Scores]]] = []
    for at, (name, condition) in enumerate(_condition_rows(evaluation), 1):
        sides: list[score_histogram.Scores] = []
        side: tuple[tuple[str, str, Source], ...] = (
            (HUMAN, "human texts", REFERENCE),
            (MACHINE, "machine texts", MODEL),
        )
        for truth, words, source in side:
            bins = [entry for entry in condition.accuracy.histogram if entry.truth == truth]
            counts, spans = tuple(b.count for b in bins), tuple(b.share.interval for b in bins)
            sides.append(score_histogram.Scores(words, source, counts, spans, condition.accuracy.accuracy.n))
        if all(scores.n for scores in sides):
            drawn.append((f"scores-{at}", f"Ratings of human and machine texts, {name}", sides))
    top = score_histogram.largest_share([scores for *_, sides in drawn for scores in sides])
    return [
        *charts,
        *(score_histogram.chart(names, sides, name=at, title=title, max_share=top) for at, title, sides in drawn),
    ]


SECTIONS = (written(KEY, TITLE, 40, gather, write, files),)
