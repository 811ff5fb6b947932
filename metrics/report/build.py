"""Compute a report: every estimate in both modes, every text's judgment, the pictures and the sentences."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from scipy import stats

from metrics import __version__
from metrics.errors import BadInput
from metrics.figures.hj_by_source import SourceRow
from metrics.figures.huse_scatter import Panel, Point, ranges
from metrics.huse import evaluate
from metrics.report import findings
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.result import GeneratorReport, Judged, Report
from metrics.report.shading import shading
from metrics.types import MODEL, REFERENCE, Estimate, HuseResult, Interval, Item, Mode, Source

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many


def build(
    given: ReportInput, *, level: float = 0.95, seed: int = 0, k: int = 16, progress: Progress | None = None
) -> Report:
    """Compute everything a report says.

    level: of every interval, in (0, 1). seed: of every draw. k: neighbours of HUSE. `progress` is told the step, how
    many generators are done, and of how many. Raises the errors of `metrics.huse.evaluate`, and BadInput where
    records contradict each other (an item without its text, an HJ that is not the mean of its ratings).
    """
    _check(given)
    ratings = _by_text(given.ratings)
    judged = {facts.name: _judged(facts, ratings, level) for facts in given.generators}
    modes: dict[str, Mapping[Mode, HuseResult]] = {}
    for done, facts in enumerate(given.generators):
        if progress:
            progress(f"HUSE of {facts.name}", done, len(given.generators))
        modes[facts.name] = evaluate(facts.items, k=k, seed=seed, level=level)
    if progress:
        progress("figures", len(given.generators), len(given.generators))
    panels = _panels(given, judged, modes, k)
    generators = tuple(
        GeneratorReport(facts, modes[facts.name], judged[facts.name], panel)
        for facts, panel in zip(given.generators, panels, strict=True)
    )
    warned = findings.warnings(given, generators)
    return Report(
        input=given,
        level=level,
        seed=seed,
        k=k,
        generators=generators,
        sources=_sources(given, judged, level),
        ratings_per_text=_distribution(judged.values()),
        warnings=warned,
        verdicts=findings.verdicts(generators),
        limits=findings.limits(generators, warned),
    )


def _check(given: ReportInput) -> None:
    """The records agree: names once, every item has its text, every rating its text."""
    names = [facts.name for facts in given.generators]
    if not names or len(set(names)) < len(names):
        raise BadInput("a report needs at least one generator, each with a name of its own", column="generators")
    texts = {text.id for text in given.texts}
    if len(texts) < len(given.texts):
        raise BadInput("every text needs an id of its own", column="texts")
    for facts in given.generators:
        for item in facts.items:
            if item.id not in texts:
                raise BadInput("the item has no text of its id", where=f"generator {facts.name}, item {item.id}")
    for rating in given.ratings:
        if rating.text not in texts:
            raise BadInput("the rating has no text of its id", where=f"rating of {rating.text} by {rating.rater}")


def _by_text(ratings: Sequence[RatingRow]) -> dict[str, list[int | Fraction]]:
    kept: defaultdict[str, list[int | Fraction]] = defaultdict(list)
    for rating in ratings:
        if rating.kept:
            kept[rating.text].append(rating.value)
    return kept


def _judged(facts: GeneratorFacts, ratings: Mapping[str, list[int | Fraction]], level: float) -> tuple[Judged, ...]:
    return tuple(_judge(item, ratings.get(item.id, []), level) for item in facts.items)


def _judge(item: Item, values: Sequence[int | Fraction], level: float) -> Judged:
    """The item's HJ with its t interval, checked against its ratings where these are known."""
    if not values:
        return Judged(item, item.hj, None, item.ratings)
    mean = Fraction(sum(values)) / len(values)
    if item.hj is None or abs(mean - item.hj) > Fraction(1, 10**9):
        raise BadInput(
            f"HJ is {item.hj}, but the mean of its {len(values)} ratings is {mean}",
            where=f"item {item.id}",
            column="hj",
        )
    return Judged(item, mean, _t_interval([float(value) for value in values], level), len(values))


def _t_interval(values: Sequence[float], level: float) -> Interval | None:
    """Student's interval of a mean; None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * sd / math.sqrt(n)
    return Interval(mean - half, mean + half, level, "t")


def _panels(
    given: ReportInput,
    judged: Mapping[str, tuple[Judged, ...]],
    modes: Mapping[str, Mapping[Mode, HuseResult]],
    k: int,
) -> list[Panel]:
    """One panel a generator, all on the same axes."""
    bodies = {text.id: text.body for text in given.texts}
    points = {name: _points(judgments, bodies) for name, judgments in judged.items()}
    hj_range, rate_range = ranges([point for own in points.values() for point in own])
    return [
        Panel(
            name=f"scatter-{at}",
            generator=facts.name,
            points=points[facts.name],
            unit=facts.length_unit,
            huse=modes[facts.name]["exact"].huse,
            shade=shading(points[facts.name], hj_range, rate_range, k=k),
            hj_range=hj_range,
            rate_range=rate_range,
        )
        for at, facts in enumerate(given.generators, 1)
    ]


def _points(judgments: Sequence[Judged], bodies: Mapping[str, str]) -> tuple[Point, ...]:
    return tuple(
        Point(one.item.id, one.item.source, float(one.hj), one.item.log_prob / one.item.length, bodies[one.item.id])
        for one in judgments
        if one.hj is not None and one.item.log_prob is not None
    )


def _sources(given: ReportInput, judged: Mapping[str, tuple[Judged, ...]], level: float) -> tuple[SourceRow, ...]:
    """References once (all generators share them), then each generator."""
    bodies = {text.id: text.body for text in given.texts}
    references = {one.item.id: one for own in judged.values() for one in own if one.item.source == REFERENCE}
    rows = [_source("reference", REFERENCE, list(references.values()), bodies, level)]
    for name, own in judged.items():
        rows.append(_source(name, MODEL, [one for one in own if one.item.source == MODEL], bodies, level))
    return tuple(rows)


def _source(
    name: str, source: Source, judgments: Sequence[Judged], bodies: Mapping[str, str], level: float
) -> SourceRow:
    texts = tuple((one.item.id, float(one.hj), bodies[one.item.id]) for one in judgments if one.hj is not None)
    values = [hj for _, hj, _ in texts]
    mean = Estimate(
        value=math.fsum(values) / len(values) if values else None,
        n=len(values),
        interval=_t_interval(values, level),
        settings={"source": name},
        flags=() if values else ("no_ratings",),
        signature=f"hj_mean|n:{len(values)}|interval:t over texts|v:{__version__}",
    )
    return SourceRow(name, source, texts, mean)


def _distribution(judged: Iterable[tuple[Judged, ...]]) -> tuple[tuple[int, int], ...]:
    counts = {one.item.id: one.ratings for own in judged for one in own}
    return tuple(sorted(Counter(counts.values()).items()))
