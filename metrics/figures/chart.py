"""What a figure draws, free of any drawing library: points, intervals, shading and labels on two axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrics.types import Source


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its title with the unit, its range, and the places with their labels (() for no ticks)."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """Texts of one source: one mark each, with what to say when it is pointed at (plain text, lines by \\n)."""

    source: Source
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    hover: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """An estimate at height `y` with its interval along x; `low` and `high` None where none is defined."""

    source: Source
    x: float
    y: float
    low: float | None
    high: float | None
    hover: str


@dataclass(frozen=True, slots=True)
class Note:
    """A direct label at a place of the plot, its text starting there."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Shade:
    """Share of references in [0, 1] on a regular grid: `share[row][column]` at (x[column], y[row]), None = unknown."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    share: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel. `alt` states the finding; `name` is its id in a page and a file name."""

    name: str
    title: str
    alt: str
    x: Axis
    y: Axis
    shade: Shade | None = None
    points: tuple[Points, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[Note, ...] = ()
    height: int = 360


def ticks(low: float, high: float, *, about: int = 5) -> tuple[tuple[float, str], ...]:
    """Round places between `low` and `high`, roughly `about` of them, with labels of equal decimals."""
    raw = (high - low) / about
    power = math.floor(math.log10(raw))
    step = min((factor * 10.0**power for factor in (1, 2, 5, 10)), key=lambda size: abs(size - raw))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple((at * step, f"{at * step + 0.0:.{decimals}f}".replace("-", "−")) for at in range(first, last + 1))


def padded(values: tuple[float, ...], *, share: float = 0.06) -> tuple[float, float]:
    """Range of the values with `share` of it added on both sides; of width one around a single value."""
    low, high = min(values), max(values)
    pad = (high - low) * share or 0.5
    return low - pad, high + pad
