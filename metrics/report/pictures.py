"""What the figures of a report show: HJ by source, and one scatter a generator, all on the same axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metrics.data.human_judgment import quantile
from metrics.figures.chart import Shade
from metrics.figures.hj_by_source import SourceRow
from metrics.figures.huse_scatter import Panel, Point, ranges
from metrics.figures.tradeoff import Region, System
from metrics.huse.decision_surface import reference_share
from metrics.huse.quality_diversity import dominance_region
from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.result import JudgedText
from metrics.types import MODEL, REFERENCE, Estimate, HuseResult, Interval, Mode, Source
from metrics.version import __version__

FEWEST_IN_REGION = 2  # models of a task: one dominates a segment, which has no area
STEPS = 36  # cells of the shading a side
Range = tuple[float, float]


def build_panels(
    report_input: ReportInput,
    judged: Mapping[str, Sequence[JudgedText]],
    modes: Mapping[str, Mapping[Mode, HuseResult]],
    k: int,
) -> list[Panel]:
    """One panel a generator, shaded by the classifier of exact mode."""
    bodies = {text.id: text.body for text in report_input.texts}
    points = {name: _points(judgments, bodies) for name, judgments in judged.items()}
    if not points:
        return []
    every = [point for points_of_generator in points.values() for point in points_of_generator]
    hj_range, rate_range = ranges(every) if every else ((0.0, 1.0), (-1.0, 0.0))
    return [
        Panel(
            name=f"scatter-{at}",
            generator=facts.name,
            points=points[facts.name],
            unit=facts.length_unit,
            huse=modes[facts.name]["exact"].huse,
            shade=_shade(facts, hj_range, rate_range, k),
            hj_range=hj_range,
            rate_range=rate_range,
        )
        for at, facts in enumerate(report_input.generators, 1)
    ]


def source_rows(
    report_input: ReportInput, judged: Mapping[str, Sequence[JudgedText]], level: float
) -> tuple[SourceRow, ...]:
    """HJ by source: the references once (all generators share them), then each generator."""
    bodies = {text.id: text.body for text in report_input.texts}
    references = {
        judgment.item.id: judgment
        for judgments in judged.values()
        for judgment in judgments
        if judgment.item.source == REFERENCE
    }
    if not judged:
        return ()
    rows = [_source("reference", REFERENCE, list(references.values()), bodies, level)]
    for name, judgments in judged.items():
        rows.append(
            _source(name, MODEL, [judgment for judgment in judgments if judgment.item.source == MODEL], bodies, level)
        )
    return tuple(rows)


def _points(judgments: Sequence[JudgedText], bodies: Mapping[str, str]) -> tuple[Point, ...]:
    return tuple(
        Point(
            judgment.item.id,
            judgment.item.source,
            float(judgment.hj),
            judgment.item.log_prob / judgment.item.length,
            bodies[judgment.item.id],
        )
        for judgment in judgments
        if judgment.hj is not None and judgment.item.log_prob is not None
    )


def _shade(facts: GeneratorFacts, hj_range: Range, rate_range: Range, k: int) -> Shade | None:
    """The classifier's answer at the centre of each cell; None where no text has a place in the plane."""
    if not any(item.log_prob is not None and math.isfinite(item.log_prob) for item in facts.items):
        return None
    hj, rate = _centres(*hj_range), _centres(*rate_range)
    share = reference_share(facts.items, hj, rate, "exact", k)
    return Shade(hj, rate, tuple(tuple(round(cell, 4) for cell in row) for row in share.tolist()))


def _centres(low: float, high: float) -> tuple[float, ...]:
    return tuple(round(low + (at + 0.5) * (high - low) / STEPS, 6) for at in range(STEPS))


def _source(
    name: str, source: Source, judgments: Sequence[JudgedText], bodies: Mapping[str, str], level: float
) -> SourceRow:
    texts = tuple(
        (judgment.item.id, float(judgment.hj), bodies[judgment.item.id])
        for judgment in judgments
        if judgment.hj is not None
    )
    values = [hj for _, hj, _ in texts]
    mean = Estimate(
        value=math.fsum(values) / len(values) if values else None,
        n=len(values),
        interval=_interval(values, level),
        settings={"source": name, "level": level},
        flags=() if values else ("no_ratings",),
        signature=f"hj_mean|source:{source}|n:{len(values)}|interval:t over texts|v:{__version__}",
    )
    return SourceRow(name, source, texts, mean)


def _interval(values: Sequence[float], level: float) -> Interval | None:
    """Student's interval of the mean over texts; None for fewer than two texts, and where their values are equal."""
    n = len(values)
    if len(set(values)) < 2:
        return None
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = quantile(level, "t", n - 1) * sd / math.sqrt(n)
    return Interval(mean - half, mean + half, level, "t")


def dominated_regions(systems: Sequence[System]) -> tuple[Region, ...]:
    """Return what each task's models dominate in the plane of HUSE-Q and HUSE-D (paper's Figure 3).

    Of tasks with at least two models whose HUSE-Q and HUSE-D lie above 0; retrieval does not count.
    """
    points: dict[str, dict[str, tuple[float, float]]] = {}
    for system in systems:
        quality, diversity = system.huse_q.value, system.huse_d.value
        if system.generates and quality is not None and diversity is not None and min(quality, diversity) > 0:
            points.setdefault(system.task, {})[system.name] = (quality, diversity)
    return tuple(
        Region(task, dominance_region(models).polygon)
        for task, models in points.items()
        if len(models) >= FEWEST_IN_REGION
    )
