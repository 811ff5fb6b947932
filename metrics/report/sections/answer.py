"""Which is better? One sentence that leads the results, one on the other criteria, and the tables behind them.

Pages, terminal, LaTeX and JSON print these sentences: they are the first of `Report.verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metrics.data.criterion_names import SEVERITY
from metrics.data.sentence import Sentence, plain, template
from metrics.inference.cluster_variances import ITEMS_UNKNOWN
from metrics.inference.rank_sets import rank_sets, significance_groups
from metrics.inference.rating_differences import LARGEST_USED, UNPAIRED, RatingDifference
from metrics.inference.verdicts import Outcome, Verdict, not_comparable
from metrics.report.records import ReportInput
from metrics.report.row_records import ComparisonPlan
from metrics.report.section import Reference
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.equivalence import LAKENS
from metrics.report.sections.rating_scales import UNCUT
from metrics.report.sections.source_comparisons import (
    REFERENCES,
    Judged,
    Kind,
    compare_sources,
    declared_comparison,
    has_comparison,
)
from metrics.report.wording import describe_range, name_criterion, number, p_value, plural
from metrics.tables.record import CRITERION, Cell, Column, Row, Table
from metrics.types import Estimate, Interval

KEY, TITLE = "answer", "Comparison of sources"
MAX_WORDS = 60
MAX_NAMED = 6  # pairs in a note
COMPARED = ("texts.context_id", "texts.generator", "plan.comparison")
RATED = ("ratings.value", "ratings.kept", "ratings.rater", *COMPARED, "options.level")
MEASURED = "{on}: {shown}, {p}; {n}. The {level:g}% interval is for {target}. {declared}"
BETTER = template("answer.better", "{first} {is_better} {second}" + MEASURED, *RATED)
WORSE = template("answer.worse", "{first} {is_worse} {second}" + MEASURED, *RATED)
WITHIN = "the margin of {margin}: {shown}; {n}. The {level:g}% interval is for {target}. {declared}"
EQUIVALENT = template("answer.equivalent", "{first} and {second} are equivalent{on} within " + WITHIN, *RATED)
BETTER_WITHIN = template(
    "answer.better-within", "{first} {is_better} {second}{on} ({p}), but by less than " + WITHIN, *RATED
)
WORSE_WITHIN = template(
    "answer.worse-within", "{first} {is_worse} {second}{on} ({p}), but by less than " + WITHIN, *RATED
)
UNDECIDED = template("answer.undecided", "Undecided between {first} and {second}" + MEASURED, *RATED)
TOO_SMALL = template(
    "answer.too-small", "Not tested whether {first} {is_better} {second}{on}: {reason}. {declared}", *COMPARED
)
OTHERS = template(
    "answer.others",
    "{first} less {second} on the other {criteria}: {verdicts}{intervals}.{more}",
    *RATED,
    "ratings.criterion",
)
BETWEEN_SOURCES = plain("Differences between sources, criterion by criterion.")
BETWEEN_TRAININGS = plain("Differences between sources, and of accuracy between trainings.")
NOT_COMPARABLE = template(
    "answer.not-comparable",
    "{first} and {second} are not comparable{on}: {reason}. {declared}",
    *COMPARED,
)
# What better and worse are, by what was judged; and on what, after the names.
WORDS: dict[Kind, tuple[str, str, str]] = {
    "rating": ("is better than", "is worse than", " on {criterion}"),
    "human": ("is taken for human more often than", "is taken for human less often than", ""),
    "preference": ("is preferred to", "is preferred less often than", " on “{criterion}”"),
    "accuracy": ("gives a higher accuracy than", "gives a lower accuracy than", ""),
}
# Where a higher rating is worse, neither source is called better.
SEVERE = ("is rated higher than", "is rated lower than", " on {criterion}")
SEVERE_OUTCOMES: dict[Outcome, str] = {"better": "rated higher", "worse": "rated lower"}
MEANS: dict[Kind, str] = {"human": "share", "accuracy": "accuracy", "preference": "log strength"}
FAMILY = "Families, each adjusted by Holm's method: {families}."
UNADJUSTED = "Not adjusted across criteria."
UNDECLARED = "No setting declared before the data names a comparison of sources or its margin"
WITHOUT_MARGIN = (
    "No setting declared before the data names a margin for differences between sources, so their equivalence is not "
    "tested."
)
EQUIVALENCE = (
    "Equivalent in {criterion}: within {margin} on either side of 0, the declared margin, by two one-sided tests at "
    "alpha {alpha:g}, which is where a {narrow:g}% interval lies inside it; adjusted within the family."
)
UNITS: dict[Kind, str] = {
    "rating": "points of the scale, as its labels are coded",
    "human": "the share of texts taken for human",
    "preference": "log odds of preference",
    "accuracy": "the share of right answers",
}
# Where all numbers of the table are shares.
POINTS: dict[Kind, str] = {
    "human": "percentage points of texts taken for human",
    "accuracy": "percentage points of right answers",
}
NOT_TESTED = "not tested"
EITHER = "Contexts or texts"
UNPAIRED_HEADS: dict[Kind, str] = {"accuracy": EITHER}
SHARES: tuple[Kind, ...] = ("human", "accuracy")
MEANS_OVER = "Means and shares are over contexts that count alike, or over texts where no context is recorded."
RANKS = "Ranks count from the highest and follow from the adjusted differences below."
GROUPS = "A group ends only where every source so far was shown to be higher than every source below it."
SHARED_CONTEXTS = "Ratings are paired by context; contexts rated for one of the two sources only are not used."
HUSE_DIFFERENCES = (
    "Differences of HUSE, HUSE-Q and HUSE-D between generators are under HUSE; they detect a difference of ratings far "
    "more seldom than this table does."
)
LARGEST = (
    "Where the two-way variance came out below that over contexts or that over raters, the larger is used: {n} of "
    "{comparisons}."
)
CAMERON = Reference(
    "cameron2011multiway",
    "article",
    (
        ("author", "Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L."),
        ("title", "Robust Inference With Multiway Clustering"),
        ("journal", "Journal of Business \\& Economic Statistics"),
        ("volume", "29"),
        ("number", "2"),
        ("pages", "238--249"),
        ("year", "2011"),
    ),
)
HOLM = Reference(
    "holm1979simple",
    "article",
    (
        ("author", "Holm, Sture"),
        ("title", "A Simple Sequentially Rejective Multiple Test Procedure"),
        ("journal", "Scandinavian Journal of Statistics"),
        ("volume", "6"),
        ("number", "2"),
        ("pages", "65--70"),
        ("year", "1979"),
    ),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The main comparison, the sentences on it, and every comparison behind it. scored: generators that HUSE is of.

    sentences: on the main comparison, and where there are other criteria, on the same sources there.
    """

    judged: Judged
    verdict: Verdict
    sentences: tuple[Sentence, ...]
    criteria: tuple[Judged, ...]
    plan: ComparisonPlan
    scored: int


def gather(report_input: ReportInput) -> ReportInput | None:
    """The study; None where no criterion has ratings of two sources."""
    return report_input if has_comparison(report_input) else None


def compute(report_input: ReportInput, options: Options) -> Answer:
    """Every comparison, and the sentence on the main one."""
    options.announce("comparison of sources")
    criteria = tuple(compare_sources(report_input, level=options.level, these_raters=options.these_raters))
    plan = declared_comparison(report_input)
    judged, verdict, chosen = _main(criteria, plan)
    declared = _declared(report_input, plan, chosen)
    sentence = _sentence(judged, verdict, declared, options.level)
    others = [each for each in criteria if each is not judged and each.kind != "accuracy"]
    further = (_on_others(others, verdict, options.level),) if others else ()
    return Answer(judged, verdict, (sentence, *further), criteria, plan, len(report_input.generators))


def tables(result: Answer) -> tuple[Table, ...]:
    """Sources by criterion, then every pair."""
    means = _means(result.criteria)
    return (*([means] if means else []), _comparisons(result))


# --- the main comparison ---


def _main(criteria: Sequence[Judged], plan: ComparisonPlan) -> tuple[Judged, Verdict, str]:
    """The criterion, its verdict, and in words how the comparison was chosen ("" where it was declared)."""
    judged = next((each for each in criteria if each.criterion == plan.criterion), criteria[0])
    if plan.first and plan.second:
        verdict = judged.of(plan.first, plan.second)
        return judged, verdict or not_comparable(plan.first, plan.second, "they were not both rated"), ""
    generators = [name for name in judged.names if name != REFERENCES]
    if len(generators) < 2:
        return judged, judged.verdicts[0], "the generator against the references"
    if len(generators) == 2:
        pair, chosen = generators, "the two generators"
    else:
        pair, chosen = order(judged, generators)[:2], f"the highest two of {len(generators)} generators"
    verdict = judged.of(*pair)
    return judged, verdict or not_comparable(pair[0], pair[1], "they were not both rated"), chosen


def order(judged: Judged, names: Sequence[str]) -> list[str]:
    """Names by their mean difference from the others, highest first; those with none last."""

    def height(name: str) -> float:
        values = [
            (each.comparison.difference.value or 0.0) * (1 if each.first == name else -1)
            for each in judged.verdicts
            if each.comparison and name in (each.first, each.second) and {each.first, each.second} <= {*names}
        ]
        return sum(values) / len(values) if values else float("-inf")

    return sorted(names, key=lambda name: -height(name))


# --- the sentence ---


def _sentence(judged: Judged, verdict: Verdict, declared: str, level: float) -> Sentence:
    better, worse, on = _words(judged, verdict.first)
    names = {"first": _named(verdict.first, capital=verdict.outcome not in ("undecided", "too small"))}
    names |= {"second": _named(verdict.second), "on": on.format(criterion=name_criterion(judged.criterion))}
    if verdict.outcome == "not comparable" or verdict.comparison is None:
        return NOT_COMPARABLE.fill(**names, reason=_clause(verdict.reason), declared=declared)
    if verdict.outcome == "too small":
        return TOO_SMALL.fill(**names, is_better=better, reason=verdict.reason, declared=declared)
    compared = verdict.comparison
    values = {
        **names,
        "shown": _shown(judged.kind, compared.difference.value or 0.0, compared.difference.interval),
        "n": _n(judged.kind, compared),
        "target": _target(compared),
        "level": 100 * level,
        "declared": declared,
    }
    values |= {"p": _p(verdict), "is_better": better, "is_worse": worse}
    if verdict.outcome == "equivalent" and verdict.margin and verdict.narrow:
        values |= {
            "shown": _shown(judged.kind, compared.difference.value or 0.0, verdict.narrow),
            "level": 100 * verdict.narrow.level,
            "margin": _margin(judged.kind, verdict.margin.high),
        }
        outcome = _difference(judged, verdict)
        return {"better": BETTER_WITHIN, "worse": WORSE_WITHIN}.get(outcome, EQUIVALENT).fill(**values)
    return {"better": BETTER, "worse": WORSE}.get(verdict.outcome, UNDECIDED).fill(**values)


def _on_others(criteria: Sequence[Judged], main: Verdict, level: float) -> Sentence:
    """The sources of the main comparison on the other criteria: on as many as the sentence has room for."""
    stated = [_briefly(judged, main) for judged in criteria]
    verdicts = [verdict for judged in criteria if (verdict := judged.of(main.first, main.second))]
    targets = dict.fromkeys(_target(each.comparison) for each in verdicts if each.comparison and _is_decided(each))
    intervals = f" ({100 * level:g}% intervals for {' or '.join(targets)}, p not adjusted across criteria)"
    values = {
        "first": _named(main.first, capital=True),
        "second": _named(main.second),
        "criteria": "criterion" if len(stated) == 1 else "criteria",
        "intervals": intervals if targets else "",
    }
    sentences = (
        OTHERS.fill(
            verdicts="; ".join(stated[: len(stated) - left]),
            more=f" The appendix has {plural(left, 'more criterion', 'more criteria')}." if left else "",
            **values,
        )
        for left in range(len(stated))
    )
    return next(
        (sentence for sentence in sentences if len(sentence.split()) <= MAX_WORDS),
        OTHERS.fill(verdicts=f"see the appendix for {plural(len(stated), 'criterion', 'criteria')}", more="", **values),
    )


def _is_decided(verdict: Verdict) -> bool:
    return verdict.outcome not in ("too small", "not comparable")


def _briefly(judged: Judged, main: Verdict) -> str:
    """The verdict of a further criterion on the sources of the main comparison, as its first less its second."""
    name, verdict = name_criterion(judged.criterion), judged.of(main.first, main.second)
    if verdict is None:
        return f"{name}, not both rated"
    outcome, compared = verdict.outcome, verdict.comparison
    if compared is None or not _is_decided(verdict):
        return f"{name}, {NOT_TESTED if outcome == 'too small' else outcome}"
    value, span = compared.difference.value or 0.0, compared.difference.interval
    if verdict.first != main.first:
        value, span = -value, span and replace(span, low=-span.high, high=-span.low)
    if (difference := _difference(judged, verdict)) in ("better", "worse"):
        words = _words(judged, verdict.first)[difference == "worse"].removesuffix(" than").removesuffix(" to")
        within = " within the margin" if difference != outcome else ""
        return f"{name} {_shown(judged.kind, value, span)}, {_p(verdict)}, {_named(verdict.first)} {words}{within}"
    if outcome == "equivalent":  # p is of a difference, not of this
        return f"{name} {_shown(judged.kind, value, span)}, equivalent within the margin"
    return f"{name} {_shown(judged.kind, value, span)}, {_p(verdict)}, {outcome}"


def _words(judged: Judged, first: str) -> tuple[str, str, str]:
    """Better and worse than, and on what; the references are several."""
    better, worse, on = SEVERE if judged.criterion == SEVERITY else WORDS[judged.kind]
    if first != REFERENCES:
        return better, worse, on
    return better.replace("is ", "are ", 1), worse.replace("is ", "are ", 1), on


def _difference(judged: Judged, verdict: Verdict) -> Outcome:
    """What the test of a difference says, whatever the margin."""
    better = judged.better()
    if (verdict.first, verdict.second) in better:
        return "better"
    return "worse" if (verdict.second, verdict.first) in better else verdict.outcome


def _named(name: str, *, capital: bool = False) -> str:
    if name != REFERENCES:
        return name
    return "The references" if capital else "the references"


def _clause(sentence: str) -> str:
    """A sentence as a part of another one."""
    return (sentence[:1].lower() + sentence[1:]).removesuffix(".")


def _shown(kind: Kind, value: float, span: Interval | None) -> str:
    """The difference with its interval, in its unit."""
    if kind in SHARES:
        ends = f" [{number(100 * span.low, 1)}, {number(100 * span.high, 1)}]" if span else ""
        unit = "percentage points of accuracy" if kind == "accuracy" else "percentage points of texts taken for human"
        return f"{number(100 * value, 1)}{ends} {unit}"
    ends = f" [{number(span.low)}, {number(span.high)}]" if span else ""
    return f"{number(value)}{ends} {'in log odds' if kind == 'preference' else 'points'}"


def _margin(kind: Kind, margin: float) -> str:
    if kind in SHARES:
        return f"{100 * margin:g} percentage points"
    return f"{margin:g} {'in log odds' if kind == 'preference' else 'points'}"


def _n(kind: Kind, compared: RatingDifference) -> str:
    if UNPAIRED in compared.difference.flags:
        unit = "context or text" if kind == "accuracy" else "text"
        counted = plural(compared.contexts, unit, "contexts or texts" if kind == "accuracy" else "texts")
    else:
        counted = plural(compared.contexts, "context")
    raters = "raters not known" if compared.raters is None else plural(compared.raters, "rater")
    return f"{counted}, {raters}"


def _target(compared: RatingDifference) -> str:
    unit = "texts" if UNPAIRED in compared.difference.flags else "contexts"
    return {
        "items and raters": f"new {unit} and new raters",
        "items": f"new {unit} with these raters",
        "raters": f"new raters on these {unit}",
    }[str(compared.difference.settings["target"])]


def _p(verdict: Verdict) -> str:
    raw = p_value(verdict.comparison.p if verdict.comparison else None)
    if verdict.tests == 1:
        return raw
    adjusted = p_value(verdict.adjusted_p).removeprefix("p").lstrip()
    return f"{raw}, adjusted for {verdict.tests} comparisons {adjusted}"


def _declared(report_input: ReportInput, plan: ComparisonPlan, chosen: str) -> str:
    """What was declared before the data, and the default where nothing was."""
    by = report_input.plan.name if report_input.plan else "the plan"
    raters = {"": "", "new": ", new raters", "these": ", these raters"}[plan.raters]
    if not chosen:
        margin = "and margin" if plan.margin is not None else "without a margin"
        return f"Declared by {by}: comparison {margin}{raters}."
    if plan.margin is not None:
        return f"Declared by {by}: the margin{raters}; compared by default: {chosen}."
    if raters:
        return f"Declared by {by}: {raters.removeprefix(', ')}; compared by default: {chosen}."
    return f"{UNDECLARED}; compared by default: {chosen}."


# --- tables ---


def _means(criteria: Sequence[Judged]) -> Table | None:
    """Each source of each criterion, highest first, with the ranks that it can have, and groups where there are any."""
    rows: list[Row] = []
    for judged in criteria:
        means = dict(judged.means)
        ordered = sorted(means, key=lambda name: -(means[name].value or 0.0))
        better = judged.better()
        ranks, groups = rank_sets(ordered, better), significance_groups(ordered, better)
        for name in ordered:
            shown = describe_range(*ranks[name])
            rows.append((judged.criterion, name, means[name], shown, str(groups[name]), means[name].n))
    kinds = dict.fromkeys(judged.kind for judged in criteria if judged.means)
    mean = " or ".join(dict.fromkeys(MEANS.get(kind, "mean") for kind in kinds)).capitalize()
    columns = [
        CRITERION,
        Column("source", "Source"),
        Column("mean", mean, "share_estimate", n="n", digits=1)
        if _are_shares(criteria)
        else Column("mean", mean, "estimate", n="n"),
        Column("ranks", "Ranks it can have", "range"),
        Column("group", "Group"),
        Column("n", "Judgments", "count"),
    ]
    notes = [
        *([RANKS] if _is_tested(criteria) else []),
        *([MEANS_OVER] if any(kind != "preference" for kind in kinds) else []),
        *([UNCUT] if any(_has_interval(row[2]) for row in rows) and "rating" in kinds else []),
    ]
    if any(row[4] != "1" for row in rows):
        notes.append(GROUPS)
    else:  # a column that says 1 everywhere would read as if no pair differed
        at = [column.key for column in columns].index("group")
        columns.pop(at)
        rows = [(*row[:at], *row[at + 1 :]) for row in rows]
    title = plain("Sources by criterion, highest first; intervals as for the differences.")
    return Table("answer-sources", title, tuple(columns), tuple(rows), tuple(notes)) if rows else None


def _has_interval(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.interval is not None


def _are_shares(criteria: Sequence[Judged]) -> bool:
    """Whether all numbers of a table are shares and their differences."""
    return all(judged.kind in SHARES for judged in criteria)


def _is_tested(criteria: Sequence[Judged]) -> bool:
    """Whether any pair has an adjusted p-value."""
    return any(
        verdict.adjusted_p is not None and _is_decided(verdict) for judged in criteria for verdict in judged.verdicts
    )


def _comparisons(result: Answer) -> Table:
    """Every pair with its verdict."""
    rows: list[Row] = []
    for judged in result.criteria:
        rows += [_row(judged, verdict) for verdict in judged.verdicts]
    columns = (
        CRITERION,
        Column("first", "First"),
        Column("second", "less second"),
        Column("difference", "Difference", "share_estimate", n="n", digits=1, points=True)
        if _are_shares(result.criteria)
        else Column("difference", "Difference", "estimate", n="n"),
        Column("p", "p", "p"),
        Column("p_holm", "p, Holm", "p"),
        Column("superiority", "First above second, ties half", "share_estimate", n="n", digits=1),
        Column("verdict", "The first is"),
        Column("contexts", _items_head(result), "count"),
        Column("dropped", "not used", "count"),
        Column("raters", "Raters", "count"),
        Column("shared", "of both", "count"),
        Column("n", "Judgments", "count"),
    )
    is_of_trainings = any(judged.kind == "accuracy" for judged in result.criteria)
    title = BETWEEN_TRAININGS if is_of_trainings else BETWEEN_SOURCES
    return Table("answer-comparisons", title, columns, tuple(rows), tuple(_notes(result)))


def _items_head(result: Answer) -> str:
    """What the items are that a comparison counts: without contexts, its texts."""
    heads = {
        "Contexts" if UNPAIRED not in each.comparison.difference.flags else UNPAIRED_HEADS.get(judged.kind, "Texts")
        for judged in result.criteria
        for each in judged.verdicts
        if each.comparison
    }
    return heads.pop() if len(heads) == 1 else EITHER


def _row(judged: Judged, verdict: Verdict) -> Row:
    criterion, compared = judged.criterion, verdict.comparison
    difference = _difference(judged, verdict)
    outcome = SEVERE_OUTCOMES.get(difference, difference) if criterion == SEVERITY else difference
    outcome = f"{outcome}, within the margin" if difference != verdict.outcome else outcome
    outcome = NOT_TESTED if verdict.outcome == "too small" else outcome
    if compared is None:
        return (criterion, verdict.first, verdict.second, *[None] * 4, outcome, *[None] * 5)
    # Of preferences it stands in their own table, with an interval of its own.
    known = compared.superiority.value is not None and judged.kind != "preference"
    superiority = compared.superiority if known else None
    is_unknown = ITEMS_UNKNOWN in compared.difference.flags
    tested = (compared.p, verdict.adjusted_p) if _is_decided(verdict) else (None, None)
    return (
        criterion,
        verdict.first,
        verdict.second,
        compared.difference,
        *tested,
        superiority,
        outcome,
        None if is_unknown else compared.contexts,
        None if is_unknown else compared.dropped,
        compared.raters,
        compared.shared_raters if compared.raters is not None and judged.kind != "preference" else None,
        compared.ratings,
    )


def _reasons(result: Answer) -> Iterator[str]:
    """Why pairs were not tested or are not comparable: the table has one word for several reasons."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for judged in result.criteria:
        on = f" ({name_criterion(judged.criterion)})" if len(result.criteria) > 1 else ""
        for verdict in judged.verdicts:
            if verdict.outcome in ("too small", "not comparable"):
                head = NOT_TESTED if verdict.outcome == "too small" else verdict.outcome
                pairs.setdefault((head, _clause(verdict.reason)), []).append(
                    f"{verdict.first} less {verdict.second}{on}"
                )
    for (head, reason), named in pairs.items():
        more = len(named) - MAX_NAMED
        shown = named if more <= 0 else [*named[:MAX_NAMED], plural(more, "other")]
        yield f"{head.capitalize()} ({reason}): {', '.join(shown)}."


def _notes(result: Answer) -> Iterator[str]:
    families = [
        f"{name} in {name_criterion(judged.criterion)} ({size})"
        for judged in result.criteria
        for name, size in judged.families
    ]
    if _is_tested(result.criteria):
        yield FAMILY.format(families=", ".join(families))
        if len(result.criteria) > 1:
            yield UNADJUSTED
    if result.plan.margin is None:
        yield WITHOUT_MARGIN
    yield from _tests_of_equivalence(result.criteria)
    kinds = dict.fromkeys(judged.kind for judged in result.criteria)
    units = POINTS if _are_shares(result.criteria) else UNITS
    yield f"Differences are in {'; '.join(units[kind] for kind in kinds)}."
    compared = [each.comparison for judged in result.criteria for each in judged.verdicts if each.comparison]
    if any(each.dropped for each in compared):
        yield SHARED_CONTEXTS
    if used := sum(LARGEST_USED in each.difference.flags for each in compared):
        yield LARGEST.format(n=used, comparisons=plural(len(compared), "comparison"))
    yield from _reasons(result)
    targets = dict.fromkeys(_target(each) for each in compared if each.difference.interval)
    if targets:
        yield f"Intervals are for {'; or for '.join(targets)}."
    if result.scored > 1:
        yield HUSE_DIFFERENCES


def _tests_of_equivalence(criteria: Sequence[Judged]) -> Iterator[str]:
    """The margin of each kind of numbers, and when a difference counts as inside it."""
    for judged in criteria:
        margins = {verdict.margin.high for verdict in judged.verdicts if verdict.margin}
        for margin in sorted(margins):
            yield EQUIVALENCE.format(
                criterion=name_criterion(judged.criterion),
                margin=_margin(judged.kind, margin),
                alpha=judged.alpha,
                narrow=100 * (1 - 2 * judged.alpha),
            )


def _references(result: Answer) -> tuple[Reference, ...]:
    adjusted = any(size > 1 for judged in result.criteria for _, size in judged.families)
    return (CAMERON, *((HOLM,) if adjusted else ()), *((LAKENS,) if result.plan.margin is not None else ()))


SECTIONS = (
    SectionKind(
        key=KEY,
        title=TITLE,
        order=5,
        gather=gather,
        compute=compute,
        tables=tables,
        sentences=lambda result: result.sentences,
        references=_references,
    ),
)
