"""Estimates with their intervals, one below the other: means of sources, preferences, shares of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import estimate, share
from metrics.data.sentence import template
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import (
    Axis,
    Chart,
    Guide,
    Note,
    Points,
    interval_ends,
    name_intervals,
    pad_range,
    place_ticks,
)
from metrics.figures.texts import ROW_LETTERS, noun_of, shorten
from metrics.types import MODEL, REFERENCE, Estimate, Source

ROW = 34  # SVG units of a row
CAPTION = template("figures.estimates", "Estimates{bars}; n counts {counted}.", "ratings.text", "options.level")


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One estimate by its name. source: of which side it is, for its look; None: of neither."""

    name: str
    estimate: Estimate
    source: Source | None = None


def chart(
    rows: Sequence[ForestRow],
    *,
    name: str,
    title: str,
    x_title: str,
    shares: bool = False,
    guide: float | None = None,
    counted: str = "texts",
    span: tuple[float, float] | None = None,
) -> Chart:
    """The picture: a row an estimate, the first on top, n beside its name.

    shares: values are shares in [0, 1], shown as percentages. guide: a value that matters (no preference). counted:
    what n counts. span: range of the values, of several pictures on one scale. Raises DegenerateInput without a value.
    """
    known = [row for row in rows if row.estimate.value is not None]
    if not known:
        raise DegenerateInput("The figure needs an estimate with a value.")
    low, high = span or value_range(known, guide)
    heights = [float(len(known) - 1 - at) for at in range(len(known))]
    bottom, top = -0.7, len(known) - 0.2
    ticks = place_ticks(low, high)
    return Chart(
        name=name,
        title=title,
        alt=alt(known, shares=shares, counted=counted),
        x=Axis(x_title, low, high, tuple((at, f"{100 * at:g}%") for at, _ in ticks) if shares else ticks),
        y=Axis("", bottom, top),
        guides=() if guide is None else (Guide((guide, guide), (bottom, top)),),
        points=_points(known, heights, shares),
        notes=tuple(
            Note(low + (high - low) * 0.01, height + 0.3, _label(row))
            for row, height in zip(known, heights, strict=True)
        ),
        legend=False,
        height=84 + ROW * len(known),
        caption=CAPTION.fill(bars=name_intervals(row.estimate.interval for row in known), counted=counted),
    )


def _label(row: ForestRow) -> str:
    """The name with n, which a long name leaves room for."""
    counted = f", n = {row.estimate.n}"
    return f"{shorten(row.name, ROW_LETTERS - len(counted))}{counted}"


def value_range(rows: Sequence[ForestRow], guide: float | None = None) -> tuple[float, float]:
    """A range that holds every value with its interval, and the guide."""
    reached = [] if guide is None else [guide]
    for row in rows:
        interval, value = row.estimate.interval, row.estimate.value
        reached += [*((interval.low, interval.high) if interval else ()), *(() if value is None else (value,))]
    return pad_range(tuple(reached), share=0.08)


def alt(rows: Sequence[ForestRow], *, shares: bool, counted: str) -> str:
    """The finding in words: the highest and the lowest estimate, with their intervals."""
    ordered = sorted(rows, key=lambda row: -(row.estimate.value or 0.0))
    shown = {"Highest": ordered[0], **({"Lowest": ordered[-1]} if len(ordered) > 1 else {})}
    return " ".join(
        f"{place}: {_words(row, shares)} {noun_of(row.estimate.n, counted)}." for place, row in shown.items()
    )


def _points(rows: Sequence[ForestRow], heights: Sequence[float], shares: bool) -> tuple[Points, ...]:
    """One layer for each look: references, models, and what is neither."""
    points = []
    for source in (REFERENCE, MODEL, None):
        layer = [(row, y) for row, y in zip(rows, heights, strict=True) if row.source == source]
        if layer:
            look = source or "ink"
            points.append(
                Points(
                    look=look,
                    name="",
                    x=tuple(row.estimate.value or 0.0 for row, _ in layer),
                    y=tuple(y for _, y in layer),
                    hover=tuple(_words(row, shares) for row, _ in layer),
                    shape=theme.look_shape(look),
                    x_bounds=tuple(interval_ends(row.estimate.interval) for row, _ in layer),
                )
            )
    return tuple(points)


def _words(row: ForestRow, shares: bool) -> str:
    shown = share(row.estimate.value, row.estimate.interval) if shares else estimate(row.estimate)
    return f"{row.name} {shown}, n = {row.estimate.n}"
