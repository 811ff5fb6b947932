"""HJ against log corpus frequency (Hashimoto et al. 2019, Fig. 2): is what people call typical what is frequent?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics.data.number_format import estimate, number
from metrics.errors import DegenerateInput
from metrics.figures.chart import Axis, Chart, Points, decades, ends, padded, ticks
from metrics.figures.interactive import figure as interactive
from metrics.types import Estimate, Interval

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class Phrase:
    """One text: how often it stands in the corpus (a count > 0), its HJ with its interval, and its ratings."""

    text: str
    frequency: float
    hj: float
    interval: Interval | None
    ratings: int


@dataclass(frozen=True, slots=True)
class Typicality:
    """What the picture shows. pearson: of log frequency and HJ. excluded: texts of frequency 0, which have no log."""

    phrases: tuple[Phrase, ...]
    pearson: Estimate
    spearman: Estimate
    excluded: int = 0


def data(found: Typicality) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
    """The table behind the picture: one row for each text, natural log of its frequency beside it."""
    columns = ("text", "frequency", "log_frequency", "hj", "low", "high", "ratings")
    rows: list[tuple[str | float | None, ...]] = []
    for one in found.phrases:
        bounds = (one.interval.low, one.interval.high) if one.interval else (None, None)
        rows.append((one.text, one.frequency, math.log(one.frequency), one.hj, *bounds, one.ratings))
    return columns, rows


def chart(found: Typicality, *, name: str = "hj-by-frequency") -> Chart:
    """The picture: each text by its frequency (powers of ten) and its HJ, with the interval of its HJ.

    Raises DegenerateInput without a text, or with a frequency of 0 or less.
    """
    if not found.phrases or min(one.frequency for one in found.phrases) <= 0:
        raise DegenerateInput("HJ by frequency needs texts, each with a frequency above 0.")
    xs = tuple(math.log10(one.frequency) for one in found.phrases)
    reached = [end for one in found.phrases if one.interval for end in (one.interval.low, one.interval.high)]
    wide, high = padded(xs), padded((*(one.hj for one in found.phrases), *reached))
    return Chart(
        name=name,
        title="HJ by corpus frequency",
        alt=alt(found),
        x=Axis("frequency in the corpus (log scale)", *wide, decades(*wide)),
        y=Axis("HJ (mean rating, scale points)", *high, ticks(*high)),
        points=(
            Points(
                look="s0",
                name="texts",
                x=xs,
                y=tuple(one.hj for one in found.phrases),
                hover=tuple(_hover(one) for one in found.phrases),
                shape="diamond",
                y_bounds=tuple(ends(one.interval) for one in found.phrases),
            ),
        ),
    )


def figure(found: Typicality) -> go.Figure:
    """The picture in Plotly."""
    return interactive(chart(found))


def alt(found: Typicality) -> str:
    """The finding in words: the correlation with its interval, over how many texts, and what could not be shown."""
    left_out = f" {found.excluded} of frequency 0 are not shown." if found.excluded else ""
    bars = {one.interval.level for one in found.phrases if one.interval}
    level = f" Bars: {min(bars):.0%} intervals of each HJ." if len(bars) == 1 else ""
    return f"{_finding(found)}{level}{left_out}"


def _finding(found: Typicality) -> str:
    value, n = found.pearson.value, found.pearson.n
    if value is None:
        return f"Over {n} texts no correlation of HJ and log frequency is defined."
    span = found.pearson.interval
    if span is None:
        verdict = "HJ and log frequency"
    elif span.low <= 0 <= span.high:
        verdict = "no clear relation of HJ to log frequency"
    else:
        verdict = f"HJ {'rises' if value > 0 else 'falls'} with log frequency"
    level = f" ({span.level:.0%} interval)" if span else " (no interval)"
    rank = f"; Spearman {estimate(found.spearman)}" if found.spearman.value is not None else ""
    return f"Over {n} texts, {verdict}: Pearson {estimate(found.pearson)}{level}{rank}."


def _hover(one: Phrase) -> str:
    span = f" [{number(one.interval.low)}, {number(one.interval.high)}]" if one.interval else ""
    return f"{one.text}\nHJ {number(one.hj)}{span} from {one.ratings} ratings; frequency {one.frequency:,g}"
