"""HUSE of the generators of several studies at one number of ratings per text, with paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations

from metrics.data.sentence import Sentence, plain, template
from metrics.errors import MetricsError
from metrics.figures import tradeoff
from metrics.figures.chart import Chart
from metrics.huse.estimate import evaluate
from metrics.huse.model_differences import FEWEST_RATERS, NO_RATERS, Comparison, Difference, compare_models
from metrics.huse.variance_components import evaluate_rated
from metrics.report.comparison.rating_scales import Relations, comparable
from metrics.report.comparison.systems import System, studies_share_contexts
from metrics.report.pictures import dominated_regions
from metrics.report.section import Section
from metrics.report.sections.huse import HASHIMOTO
from metrics.report.sections.source_comparisons import turn_round
from metrics.report.wording import describe_range, estimate, join_names, plural, quote
from metrics.tables.record import Column, Row, Table
from metrics.types import Estimate, HuseResult, Missing

TITLES = (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))
MAX_VERDICTS = 10
THESE_RATERS = "new contexts, with these raters"
EQUALISED_FLAG = "equalised"
HIGHER = template(
    "comparison.higher",
    "{more} has the higher {title}; {more} less {less}: {shown}. {less} is easier to distinguish from the "
    "references.{others}{reserve}",
    "ratings.value",
    "options.level",
    "texts.context",
)
NO_DIFFERENCE = template(
    "comparison.no-difference",
    "{first} and {second}: no difference of {title} is shown ({shown}).{others}{reserve}",
    "ratings.value",
    "options.level",
    "texts.context",
)
NO_INTERVAL = template(
    "comparison.no-interval",
    "{first} less {second}: {title} {shown}; no interval is defined, so no verdict is given.",
    "ratings.value",
)
ALL_PAIRS = template(
    "comparison.all-pairs",
    "{differ} of all {pairs} pairs differ in {title}; the table holds every pair.",
    "generators.name",
)
OTHER_SCALES = template(
    "comparison.other-scales",
    "No verdict is drawn from {pairs} whose generators were judged on different scales.",
    "study.scale",
)
AT = template("comparison.at", "At {at}.", "ratings.text")
EQUALISED = template(
    "comparison.equalised",
    "Texts had more than {ratings} in places: each value is the mean over 200 draws of {ratings} of every text, "
    "without replacement.",
    "ratings.text",
)
WITHOUT_RATERS = template(
    "comparison.without-raters",
    "{why}: intervals of differences between {which} omit the variation of raters and are too narrow.",
    "ratings.text",
    "ratings.rater",
)
ACROSS_SCALES = template(
    "comparison.across-scales",
    "Across scales that differ, a difference may be the scales', so that no verdict is drawn from it.",
    "study.scale",
)
MAY_CAUSE = " The two share no context, which may be the cause."
MAY_HIDE = " The two share no context, which may hide one."
COMMON = plain("Generators of all studies, the highest HUSE first.")
COMMON_WITH_INTERVALS = plain(
    "Generators of all studies, the highest HUSE first; intervals over new contexts, with these raters."
)
PAIRS_ALONE = plain("Differences of every pair.")
PAIRS = plain("Differences of every pair; contexts drawn once for all generators that share them.")
PAIRS_OF_STUDIES = plain("Differences of every pair; each study's texts drawn separately.")
LEVEL = template("comparison.level", "Intervals: {level:g}%.", "options.level")


@dataclass(frozen=True, slots=True)
class HuseComparison:
    """The section, its sentences, how many pairs were compared, and at how many ratings a text (None: not known).

    values: of each measure by study and generator, at that number of ratings. equalised: whether that number was drawn
    from the ratings of texts that have more. without_raters: why intervals of differences between studies omit the
    raters' part; None: they hold it. generators_share_contexts: whether any two generators have a context in common, be
    they of one study; whether two studies have is `studies_share_contexts`. has_intervals: whether any difference has
    an interval.
    """

    section: Section
    verdicts: tuple[str, ...]
    pairs: int
    ratings: int | None
    equalised: bool = False
    without_raters: Sentence | None = None
    generators_share_contexts: bool = False
    has_intervals: bool = False
    values: Mapping[str, Mapping[tuple[str, str], Estimate]] = field(default_factory=dict)


def compare_huse(systems: Sequence[System], scales: Relations, *, k: int, seed: int, level: float) -> HuseComparison:
    """Estimates as each study has them, estimates at the common number of ratings, and the difference of every pair.

    scales: how the scales of each two studies relate; no verdict is drawn across different ones.
    """
    if not systems:
        return HuseComparison(Section("huse", "HUSE"), (), 0, None)
    measures = TITLES[1:2] if any(system.quality_only for system in systems) else TITLES
    missing: list[tuple[str, str]] = []
    tables = [_alone(systems, missing, k, seed, level)]
    try:
        compared = _compared(systems, k, seed, level)
    except MetricsError as error:
        missing.append(("Differences between generators", str(error)))
        section = Section("huse", "HUSE", (), tuple(tables), missing=tuple(missing), references=(HASHIMOTO,))
        return HuseComparison(section, (), 0, None)
    if len(measures) < len(TITLES):
        missing.append(("Comparison of HUSE and HUSE-D", "a study has no log-probabilities; HUSE-Q needs none"))
    block = {system.name: system.block for system in systems}
    pairs = [(difference.first, difference.second) for difference in compared.differences]
    across_scales = {pair for pair in pairs if not comparable(scales, block[pair[0]], block[pair[1]])}
    without_raters, shared = _without_raters(systems, compared), _generators_share_contexts(systems)
    title = PAIRS if shared else PAIRS_OF_STUDIES
    differences = _differences(compared, measures, across_scales, title, without_raters)
    tables += [_at_common(systems, compared, measures), differences]
    section = Section(
        key="huse",
        title="HUSE",
        tables=tuple(tables),
        charts=_charts(systems, compared, measures),
        missing=tuple(missing),
        references=(HASHIMOTO,),
    )
    judged = [
        difference for difference in compared.differences if (difference.first, difference.second) not in across_scales
    ]
    shown = sorted(judged, key=lambda difference: not _differs(difference, measures[0][0]))[:MAX_VERDICTS]
    by_name = {system.name: system for system in systems}
    sentences = tuple(_verdict(difference, compared, measures[0], by_name) for difference in shown)
    verdicts = (*sentences, *_rest(judged, measures[0]), *_unjudged(len(across_scales)))
    values = {
        title: {(system.block, system.facts.name): compared.estimates[system.name][key] for system in systems}
        for key, title in measures
    }
    return HuseComparison(
        section=section,
        verdicts=verdicts,
        pairs=len(compared.differences),
        ratings=compared.ratings,
        equalised=EQUALISED_FLAG in compared.flags,
        without_raters=without_raters,
        generators_share_contexts=shared,
        has_intervals=_have_intervals(differences),
        values=values,
    )


def _compared(systems: Sequence[System], k: int, seed: int, level: float) -> Comparison:
    """Where a study has no log p, every text gets the same one, which leaves HUSE-Q as it is."""
    bare = any(system.quality_only for system in systems)
    items = {
        system.name: [replace(i, log_prob=0.0) for i in system.items] if bare else system.items for system in systems
    }
    every = (
        {(r.item, r.rater): r for system in systems for r in system.ratings} if all(s.rated for s in systems) else None
    )
    ratings = None if every is None else list(every.values())
    blocks = {system.name: system.block for system in systems}
    return compare_models(items, ratings, blocks=blocks, k=k, seed=seed, level=level)


def _alone(systems: Sequence[System], missing: list[tuple[str, str]], k: int, seed: int, level: float) -> Table:
    rows: list[Row] = []
    for system in systems:
        try:
            result = _huse(system, k, seed, level)
        except MetricsError as error:
            missing.append((f"HUSE of {system.name}", str(error)))
            continue
        values = [getattr(result, key) for key, _ in TITLES]
        rows.append((system.block, system.facts.name, *values, result.huse_q.n, _range(system)))
    columns = (
        Column("study", "Study"),
        Column("generator", "Generator"),
        *(Column(key, title, "estimate", n="n") for key, title in TITLES),
        Column("n", "n", "count"),
        Column("ratings", "Ratings per text", "range"),
    )
    title = plain("HUSE as in each study, at its own number of ratings per text, exact ties.")
    note = "HUSE depends on the number of ratings: do not compare rows with different numbers."
    table = Table("huse-alone", title, columns, tuple(rows), (note,))
    return replace(table, notes=(LEVEL.fill(level=100 * level), note)) if _have_intervals(table) else table


def _have_intervals(table: Table) -> bool:
    return any(isinstance(cell, Estimate) and cell.interval for row in table.rows for cell in row)


def _huse(system: System, k: int, seed: int, level: float) -> HuseResult:
    if system.rated:
        return evaluate_rated(
            system.items, system.ratings, ["exact"], k=k, seed=seed, level=level, missing=_missing(system)
        )["exact"]
    return evaluate(system.items, ["exact"], k=k, seed=seed, level=level, missing=_missing(system))["exact"]


def _missing(system: System) -> Missing:
    return "quality_only" if system.quality_only else "error"


def _range(system: System) -> str:
    counts = sorted({item.ratings for item in system.items})
    if counts in ([], [0]):
        return "not recorded"
    return describe_range(counts[0], counts[-1])


def _at_common(systems: Sequence[System], compared: Comparison, measures: Sequence[tuple[str, str]]) -> Table:
    by_name = {system.name: system for system in systems}
    rows: list[Row] = []
    for name in compared.order:
        estimates = compared.estimates[name]
        values = [estimates[key] for key, _ in measures]
        rows.append((by_name[name].block, by_name[name].facts.name, *values, estimates["huse"].n))
    columns = (
        Column("study", "Study"),
        Column("generator", "Generator"),
        *(Column(key, title, "estimate", n="n") for key, title in measures),
        Column("n", "n", "count"),
    )
    table = Table("huse-common", COMMON, columns, tuple(rows), (AT.fill(at=_at(compared)), *_equalised(compared)))
    return replace(table, title=COMMON_WITH_INTERVALS) if _have_intervals(table) else table


def _at(compared: Comparison) -> str:
    return "the ratings as they are" if compared.ratings is None else f"{plural(compared.ratings, 'rating')} per text"


def _equalised(compared: Comparison) -> tuple[str, ...]:
    if EQUALISED_FLAG not in compared.flags:
        return ()
    return (EQUALISED.fill(ratings=plural(compared.ratings or 0, "rating")),)


def _differences(
    compared: Comparison,
    measures: Sequence[tuple[str, str]],
    across_scales: Set[tuple[str, str]],
    title: str,
    without_raters: Sentence | None,
) -> Table:
    """Return the table of differences. across_scales: pairs whose scales differ; a column marks them."""
    columns = (
        Column("first", "First"),
        Column("second", "less second"),
        *((Column("scale", "Scale"),) if across_scales else ()),
        *(Column(key, title, "estimate", n="n") for key, title in measures),
        Column("n", "n", "count"),
    )
    rows: list[Row] = []
    for difference in compared.differences:
        scale = (
            ("different" if (difference.first, difference.second) in across_scales else "the same",)
            if across_scales
            else ()
        )
        rows.append(
            (
                difference.first,
                difference.second,
                *scale,
                *(getattr(difference, key) for key, _ in measures),
                difference.huse.n,
            )
        )
    notes: list[str] = [AT.fill(at=_at(compared))]
    table = Table("huse-pairs", PAIRS_ALONE, columns, tuple(rows), ())
    if _have_intervals(table):
        table = replace(table, title=title)
        notes.append("An interval of a difference that holds 0 does not show that two generators are alike.")
        notes += [without_raters] if without_raters is not None else []
    notes += [ACROSS_SCALES.fill()] if across_scales else []
    return replace(table, notes=tuple(notes))


def _generators_share_contexts(systems: Sequence[System]) -> bool:
    """Whether any two generators, of one study or of several, have a context in common."""
    contexts = [{item.context for item in system.items} - {None} for system in systems]
    return any(first & second for first, second in combinations(contexts, 2))


def _without_raters(systems: Sequence[System], compared: Comparison) -> Sentence | None:
    """Say why intervals of differences between studies omit the raters' part; None where all that there are hold it."""
    across = [pair for pair in compared.differences if _block(systems, pair.first) != _block(systems, pair.second)]
    bare = [pair for pair in across if NO_RATERS in pair.huse.flags and (pair.huse.interval or pair.huse_q.interval)]
    if not bare:
        return None
    unrated = {system.block for system in systems if not system.rated}
    few = {system.block for system in systems if len({each.rater for each in system.ratings}) < FEWEST_RATERS}
    if unrated:
        why = f"{_quoted(unrated)} {'lacks' if len(unrated) == 1 else 'lack'} single ratings"
    elif few:
        why = f"{_quoted(few)} {'has' if len(few) == 1 else 'have'} fewer than {FEWEST_RATERS} raters"
    else:
        why = "In too many draws of raters HUSE is not defined"
    every = unrated or not few or len(bare) == len(across)
    return WITHOUT_RATERS.fill(why=why, which="studies" if every else f"{_quoted(few)} and other studies")


def _block(systems: Sequence[System], name: str) -> str:
    return next(system.block for system in systems if system.name == name)


def _quoted(blocks: Set[str]) -> str:
    return join_names([quote(block) for block in sorted(blocks)])


def _charts(systems: Sequence[System], compared: Comparison, measures: Sequence[tuple[str, str]]) -> tuple[Chart, ...]:
    """Quality against diversity at the common number of ratings; nothing without log p."""
    if len(measures) < len(TITLES) or len(systems) < 2:
        return ()
    points = []
    for system in systems:
        estimates = compared.estimates[system.name]
        points.append(
            tradeoff.System(
                system.facts.name, system.block, estimates["huse"], estimates["huse_q"], estimates["huse_d"]
            )
        )
    return (tradeoff.chart(points, dominated_regions(points), over=THESE_RATERS),)


def _verdict(
    difference: Difference, compared: Comparison, measure: tuple[str, str], systems: Mapping[str, System]
) -> Sentence:
    """The higher less the lower, where a difference is shown."""
    key, title = measure
    span = getattr(difference, key).interval
    if span is not None and span.high < 0:
        difference = _turned(difference)
    first, second = difference.first, difference.second
    value: Estimate = getattr(difference, key)
    shown = f"{estimate(value)} at {_at(compared)}, {value.n} texts"
    if span is None:
        return NO_INTERVAL.fill(first=first, second=second, title=title, shown=shown)
    of_pair = [systems[first], systems[second]]
    unshared = of_pair[0].block != of_pair[1].block and not studies_share_contexts(of_pair)
    others = _others(difference, key)
    if span.low <= 0 <= span.high:
        reserve = MAY_HIDE if unshared else ""
        return NO_DIFFERENCE.fill(first=first, second=second, title=title, shown=shown, others=others, reserve=reserve)
    reserve = MAY_CAUSE if unshared else ""
    return HIGHER.fill(more=first, less=second, title=title, shown=shown, others=others, reserve=reserve)


def _turned(difference: Difference) -> Difference:
    """The second less the first."""
    values = (turn_round(value) for value in (difference.huse, difference.huse_q, difference.huse_d))
    return Difference(difference.second, difference.first, *values)


def _others(difference: Difference, main_measure: str) -> str:
    """The other measures that differ with their whole interval."""
    differing = []
    for key, title in TITLES[1:] if main_measure == "huse" else ():
        if _differs(difference, key):
            differing.append(f"{title} by {estimate(getattr(difference, key))}")
    return f" They differ in {' and in '.join(differing)}." if differing else ""


def _differs(difference: Difference, key: str) -> bool:
    """Whether the interval of a measure's difference excludes 0."""
    span = getattr(difference, key).interval
    return span is not None and (span.low > 0 or span.high < 0)


def _rest(judged: Sequence[Difference], measure: tuple[str, str]) -> tuple[str, ...]:
    if len(judged) <= MAX_VERDICTS:
        return ()
    differ = sum(_differs(difference, measure[0]) for difference in judged)
    return (ALL_PAIRS.fill(differ=differ, pairs=len(judged), title=measure[1]),)


def _unjudged(pairs: int) -> tuple[str, ...]:
    if not pairs:
        return ()
    return (OTHER_SCALES.fill(pairs=plural(pairs, "pair")),)
