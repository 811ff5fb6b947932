"""Pass rates over the size of a model and over training steps, as rows to draw (Laban et al. 2022, Figures 3 and 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from metrics.errors import BadInput
from metrics.nnd.rates import PassRate, PassRates

OVERALL = "all"

Axis = Literal["parameters", "checkpoint_step"]


@dataclass(frozen=True, slots=True)
class Place:
    """A model's place on a curve. family: the curve it belongs to. x: parameters (> 0) or a training step (>= 0)."""

    family: str
    x: float
    rates: PassRates


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point: the pass rate of a model on one category (`all` for every test), its interval, and the n behind it."""

    family: str
    category: str
    axis: Axis
    x: float
    model: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def curve_points(places: Iterable[Place], axis: Axis = "parameters") -> list[CurvePoint]:
    """Points by category (all tests first), family (as first met) and x. Raises BadInput.

    A scale of parameters is logarithmic, so x lies above 0 there. One family has one model at an x.
    """
    listed = list(places)
    seen: set[tuple[str, float]] = set()
    for place in listed:
        floor = place.x > 0 if axis == "parameters" else place.x >= 0
        if not (floor and math.isfinite(place.x)):
            rule = "parameters lie above 0" if axis == "parameters" else "a step is at least 0"
            raise BadInput(rule, where=f"model {place.rates.model}", column=axis)
        if (place.family, place.x) in seen:
            rule = f"the family {place.family!r} has two models at {place.x:g}"
            raise BadInput(rule, where=f"model {place.rates.model}", column=axis)
        seen.add((place.family, place.x))
    families = list(dict.fromkeys(place.family for place in listed))
    ordered = sorted(listed, key=lambda place: (families.index(place.family), place.x))
    categories = dict.fromkeys(name for place in ordered for name in place.rates.by_category)
    points = [_point(place, OVERALL, place.rates.overall, axis) for place in ordered]
    for name in categories:
        points += [
            _point(place, name, place.rates.by_category[name], axis)
            for place in ordered
            if name in place.rates.by_category
        ]
    return points


def _point(place: Place, category: str, rate: PassRate, axis: Axis) -> CurvePoint:
    interval = rate.estimate.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    model, value = place.rates.model, rate.estimate.value
    return CurvePoint(place.family, category, axis, place.x, model, value, low, high, rate.estimate.n)
