"""HUSE's scatter (Hashimoto et al. 2019, Fig. 4): every text by its HJ and its log p per unit of length.

References are squares, the generator's texts circles. The shading is the share of references among the neighbours
of a place, by the classifier behind the score (same k, same scaling), so colour says what it would answer there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import pstdev

from metrics.data.number_format import number, share
from metrics.data.sentence import Sentence, template
from metrics.figures.chart import Axis, Chart, Margin, Points, Shade, pad_range, place_ticks
from metrics.figures.texts import shorten
from metrics.types import MODEL, REFERENCE, Estimate, Source

BIN = 0.3  # standard deviations per bin of the histograms at the plot's edges
MAX_BINS = 80
CAPTION = template(
    "figures.scatter",
    "Each mark is a text; log p is natural and divided by its length.{ground}{edges}",
    "results.generators",
)
UNITS = {"whitespace": "word", "model_token": "token", "char": "character"}


@dataclass(frozen=True, slots=True)
class Point:
    """One text: HJ in the coding shown, natural log p per unit of length (-inf allowed), and its body for hovering."""

    id: str
    source: Source
    hj: float
    rate: float
    body: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One generator's picture.

    name: id of the picture. generator: what its texts are called. unit: length unit (`whitespace` ...).
    huse: the estimate the picture explains. shade: the classifier's grid, None to leave the plane white.
    hj_range, rate_range: axis ranges, to be shared by the panels of a report; None takes the points' own.
    """

    name: str
    generator: str
    points: tuple[Point, ...]
    unit: str
    huse: Estimate
    shade: Shade | None = None
    hj_range: tuple[float, float] | None = None
    rate_range: tuple[float, float] | None = None


def ranges(points: Sequence[Point]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of the two axes that hold all (finite) points."""
    finite = tuple(point.rate for point in points if math.isfinite(point.rate)) or (0.0,)
    return pad_range(tuple(point.hj for point in points)), pad_range(finite)


def chart(panel: Panel, *, margins: bool = False) -> Chart:
    """The picture as points, shading and axes. Texts of probability 0 lie on a separate line at the bottom.

    margins: histograms of each source along both axes, bins 0.3 standard deviations wide.
    """
    point_ranges = ranges(panel.points)
    hj_range, (low, high) = panel.hj_range or point_ranges[0], panel.rate_range or point_ranges[1]
    marks = place_ticks(low, high)
    floor = low
    if any(math.isinf(point.rate) for point in panel.points):
        low -= 0.12 * (high - low)
        floor = low + 0.04 * (high - low)
        marks = ((floor, "−∞"), *marks)
    unit = UNITS.get(panel.unit, panel.unit)
    points = tuple(_points(panel, source, floor) for source in (REFERENCE, MODEL))
    return Chart(
        name=panel.name,
        title=f"{panel.generator}: HJ and log p",
        alt=alt(panel),
        x=Axis("HJ (mean rating, scale points)", *hj_range, place_ticks(*hj_range)),
        y=Axis(f"log p per {unit} (nats)", low, high, marks),
        shade=panel.shade,
        points=points,
        top=_margins([(source_points.look, source_points.x) for source_points in points], hj_range) if margins else (),
        right=_margins([(source_points.look, source_points.y) for source_points in points], (low, high))
        if margins
        else (),
        caption=_caption(panel, margins),
    )


def _caption(panel: Panel, margins: bool) -> Sentence:
    """What marks, ground and edges are."""
    ground = " Ground: blue where the classifier of HUSE answers reference, orange where it answers the generator."
    return CAPTION.fill(
        ground="" if panel.shade is None else ground,
        edges=" At the edges: share of each source's texts." if margins else "",
    )


def alt(panel: Panel) -> str:
    """The finding in words: how well the two are distinguished, and where the generator's texts lie."""
    reference, model = (_means(panel, source) for source in (REFERENCE, MODEL))
    unit = UNITS.get(panel.unit, panel.unit)
    where = (
        f"Mean HJ is {number(model[0])} for {panel.generator} and {number(reference[0])} for the references; mean log "
        f"p per {unit} is {number(model[1])} and {number(reference[1])}."
    )
    value = panel.huse.value
    if value is None:
        return f"{where} HUSE is not defined for these texts."
    weighted = ", both sources weighing the same" if "unbalanced" in panel.huse.flags else ""
    return (
        f"By both axes together, {share(1 - value / 2, digits=0)} of {panel.huse.n} texts are attributed to the right "
        f"source{weighted} (HUSE {number(value)}; guessing would give 50%). {where}"
    )


def _margins(sides: Sequence[tuple[str, tuple[float, ...]]], span: tuple[float, float]) -> tuple[Margin, ...]:
    """Share of each source's texts in bins of 0.3 sd of all texts; at most 80 bins, none if all are alike."""
    every = [value for _, values in sides for value in values]
    width = BIN * pstdev(every) if len(every) > 1 else 0.0
    if not width:
        return ()
    width = max(width, (span[1] - span[0]) / MAX_BINS)
    count = math.ceil((span[1] - span[0]) / width)
    centres = tuple(span[0] + (at + 0.5) * width for at in range(count))
    margins = []
    for look, values in sides:
        places = Counter(min(count - 1, int((value - span[0]) / width)) for value in values)
        margins.append(Margin(look, centres, tuple(places[at] / max(1, len(values)) for at in range(count)), width))
    return tuple(margins)


def _points(panel: Panel, source: Source, floor: float) -> Points:
    source_points = [point for point in panel.points if point.source == source]
    name = "reference" if source == REFERENCE else panel.generator
    return Points(
        look=source,
        name=f"{shorten(name)} ({len(source_points)})",
        x=tuple(point.hj for point in source_points),
        y=tuple(point.rate if math.isfinite(point.rate) else floor for point in source_points),
        hover=tuple(_hover(point, name) for point in source_points),
    )


def _hover(point: Point, name: str) -> str:
    first = f"{name} {point.id}: HJ {number(point.hj)}, log p per unit {number(point.rate)}"
    return f"{first}\n{point.body}" if point.body else first


def _means(panel: Panel, source: Source) -> tuple[float, float]:
    source_points = [point for point in panel.points if point.source == source]
    finite = [point.rate for point in source_points if math.isfinite(point.rate)]
    rate = math.fsum(finite) / len(finite) if finite else -math.inf
    return math.fsum(point.hj for point in source_points) / len(source_points), rate
