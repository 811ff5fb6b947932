"""What a figure draws, free of any drawing library: marks, intervals, lines, bars and labels on two axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from metrics.figures.theme import Dash, Look, Shape
from metrics.types import Interval

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its title with the unit, its range, its places with their labels (() for no ticks; lines by \\n)."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()


Bounds = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Points:
    """Marks of one look, each with what to say when it is pointed at (plain text, lines by \\n).

    x_bounds, y_bounds: intervals along an axis, one for each mark (None where none is defined), or () for none at all.
    """

    look: Look
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    hover: tuple[str, ...]
    shape: Shape | None = None
    x_bounds: tuple[Bounds, ...] = ()
    y_bounds: tuple[Bounds, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A mean at height `y` with its interval along x, in ink; `low` and `high` None where none is defined."""

    x: float
    y: float
    low: float | None
    high: float | None
    hover: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through estimates in order of x, each with a mark; `low` and `high` (or () for none) make its band."""

    look: Look
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    hover: tuple[str, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    shape: Shape | None = None
    dash: Dash = "solid"


@dataclass(frozen=True, slots=True)
class Bars:
    """Upright bars from 0 of one look, `width` wide around each x, with an interval each (None, or () for none)."""

    look: Look
    name: str
    x: tuple[float, ...]
    height: tuple[float, ...]
    width: float
    hover: tuple[str, ...]
    bounds: tuple[Bounds, ...] = ()


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon by its corners."""

    look: Look
    name: str
    corners: tuple[tuple[float, float], ...]


Named = Points | Curve | Bars | Area


@dataclass(frozen=True, slots=True)
class Guide:
    """A straight line for the eye: dashed for one place that matters (chance), faint for a family of lines.

    solid: without dashes, where the line is drawn in short pieces.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    faint: bool = False
    solid: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A direct label at a place of the plot: it starts, is centred or ends there."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Shade:
    """Share of references in [0, 1] on a regular grid: `share[row][column]` at (x[column], y[row]), None = unknown."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    share: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Margin:
    """A histogram at the plot's edge: for each look the share of its texts in each bin of `width`."""

    look: Look
    centres: tuple[float, ...]
    shares: tuple[float, ...]
    width: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel. `alt` states the finding; `name` is its id in a page and a file name.

    caption: what is drawn and what its intervals or bands are, in words that repeat no number of the plot; "": none.
    top, right: histograms of the points along x and along y. legend: names what is drawn, where more than one thing
    has a name; False where notes name things directly.
    """

    name: str
    title: str
    alt: str
    x: Axis
    y: Axis
    shade: Shade | None = None
    areas: tuple[Area, ...] = ()
    guides: tuple[Guide, ...] = ()
    bars: tuple[Bars, ...] = ()
    curves: tuple[Curve, ...] = ()
    points: tuple[Points, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[Note, ...] = ()
    top: tuple[Margin, ...] = ()
    right: tuple[Margin, ...] = ()
    legend: bool = True
    height: int = 360
    caption: str = ""

    @property
    def legend_words(self) -> str:
        """What stands under the picture: its caption, the finding where it has none."""
        return self.caption or self.alt

    @property
    def is_single(self) -> bool:
        """Whether it would show one mark alone, of which a table says more."""
        layers: tuple[Points | Curve | Bars, ...] = (*self.points, *self.curves, *self.bars)
        return sum(len(layer.x) for layer in layers) < 2 and not self.shade

    @property
    def named(self) -> tuple[Named, ...]:
        """What the legend names, references first; empty where one name would say nothing."""
        drawn: tuple[Named, ...] = (*self.points, *self.curves, *self.bars, *self.areas)
        named = sorted((layer for layer in drawn if layer.name), key=lambda layer: layer.look != "reference")
        return tuple(named) if self.legend and len(named) > 1 else ()


def place_ticks(low: float, high: float, *, about: int = 5, min_step: float = 0.0) -> tuple[tuple[float, str], ...]:
    """Return about `about` round places between `low` and `high`, at least `min_step` from each other, with labels."""
    raw = (high - low) / about
    power = math.floor(math.log10(raw))
    step = max(min_step, min((factor * 10.0**power for factor in (1, 2, 5, 10)), key=lambda size: abs(size - raw)))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple((at * step, f"{at * step + 0.0:.{decimals}f}".replace("-", "−")) for at in range(first, last + 1))


def place_decades(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Places of the powers of ten between 10**low and 10**high, on an axis of log10, labelled by the value there.

    Where an axis of some length holds fewer than two of them, twice and five times a power are labelled, too; round
    values where these are fewer than two as well.
    """
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    if len(powers) > 1 or high - low < 1e-9:
        return tuple((float(power), _power(power)) for power in powers)
    between = [
        (math.log10(step) + power, _power(power, step))
        for power in range(powers.start - 1, powers.stop)
        for step in (1, 2, 5)
    ]
    steps = tuple((at, label) for at, label in between if low - 1e-9 <= at <= high + 1e-9)
    return steps if len(steps) > 1 else _round_places(low, high)


def _round_places(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Round values of a part of a decade, at their places on an axis of log10."""
    places = place_ticks(10**low, 10**high, about=4)
    return tuple((math.log10(value), _short(value, label)) for value, label in places if value > 0)


def _short(value: float, label: str) -> str:
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= 10 * size or (value >= size > 1e3):
            return f"{value / size:.4g}{letter}"
    return f"{value:,.0f}" if "." not in label else label


def _power(power: int, times: int = 1) -> str:
    if 0 <= power < 4:
        return f"{times * 10**power:,}"
    if 4 <= power < 15:
        return f"{times * 10 ** (power % 3)}{'kMBT'[power // 3 - 1]}"
    return f"{times}e{power}".replace("-", "−")


def interval_ends(interval: Interval | None) -> Bounds:
    """The two ends of an interval, None where there is none."""
    return (interval.low, interval.high) if interval else None


def name_intervals(intervals: Iterable[Interval | None], over: str = "") -> str:
    """`, with 95% intervals over texts`, of the intervals that there are; "" for none."""
    levels = sorted({interval.level for interval in intervals if interval is not None})
    named = " and ".join(f"{100 * level:g}%" for level in levels)
    return f", with {named} intervals{f' over {over}' if over else ''}" if levels else ""


def pad_range(values: tuple[float, ...], *, share: float = 0.06) -> tuple[float, float]:
    """Range of the values with `share` of it added on both sides; of width one around a single value."""
    low, high = min(values), max(values)
    pad = (high - low) * share or 0.5
    return low - pad, high + pad
