"""Power by simulation where the same raters and the same items are used again (Card et al. 2020, section 6; Barr 2013).

y = base + effect x + item + rater + (slopes of x by item and by rater) + noise, x = 0 or 1. Formulas for independent
values promise too much there. Two designs: both conditions seen by every rater on every item he rates (`within`), and
conditions that have raters of their own, who rate the same items (`between`: arms of a study).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.data.arrays import Floats
from metrics.errors import BadInput
from metrics.inference.distributions import check_alpha, t_quantile
from metrics.version import __version__

Layout = Literal["within", "between"]
CELLS = 1 << 22  # ratings held at once


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations in units of y: of items, raters, the effect's between items and raters, of one rating."""

    item: float
    rater: float
    item_slope: float
    rater_slope: float
    noise: float


# Card et al.'s settings on a scale from 0 to 1 (method, 2.12).
HIGH_VARIANCE = Spreads(item=0.04, rater=0.01, item_slope=0.14, rater_slope=0.11, noise=0.26)
LOW_VARIANCE = Spreads(item=0.01, rater=0.01, item_slope=0.13, rater_slope=0.04, noise=0.16)


@dataclass(frozen=True, slots=True)
class CrossedDesign:
    """items, each rated by `raters_per_item` of `raters` people (of each condition, where it has its own)."""

    items: int
    raters: int
    raters_per_item: int
    layout: Layout = "within"

    def check(self) -> None:
        """Raise BadInput for a design that cannot be run."""
        if self.layout not in ("within", "between"):
            raise BadInput("choose 'within' or 'between'", column="layout")
        if self.items < 2 or self.raters < 2:
            raise BadInput("a design has at least 2 items and 2 raters", column="items")
        if not 1 <= self.raters_per_item <= self.raters:
            raise BadInput("an item has at least 1 rater and at most all of them", column="raters_per_item")


@dataclass(frozen=True, slots=True)
class CrossedPower:
    """power: share of the simulated studies that find the effect, in [0, 1]; error: its Monte-Carlo error (1 sd).

    mean, sd: of the estimated effect over the studies.
    """

    power: float
    error: float
    mean: float
    sd: float
    signature: str


def crossed_power(
    design: CrossedDesign,
    spreads: Spreads,
    effect: float,
    *,
    alpha: float = 0.05,
    studies: int = 1000,
    seed: int = 0,
) -> CrossedPower:
    """Simulate studies in which the same raters rate the same items, and return their power.

    The test clusters by items and by raters, with t of one less than the fewer of both: an effect of 0 is then detected
    in about `alpha` of the studies.

    Args:
        design: numbers of items and raters, raters of each item, and whether raters see both conditions.
        spreads: standard deviations of items, raters, slopes and single ratings, in units of the rating.
        effect: the difference to detect, in units of the rating.
        alpha: of the two-sided test, in (0, 1).
        studies: how many are simulated, at least 2.
        seed: at least 0; the same seed gives the same answer.

    Returns:
        Power in [0, 1] with its Monte-Carlo error (1 sd), and mean and sd of the estimated effect.

    Raises:
        BadInput: a number that is not allowed.

    Source:
        Card et al. (2020), section 6; Cameron, Gelbach and Miller (2011) for the test.

    Example:
        >>> from metrics import crossed_power
        >>> from metrics.planning.crossed import LOW_VARIANCE, CrossedDesign
        >>> design = CrossedDesign(items=40, raters=10, raters_per_item=5)
        >>> weak, strong = (crossed_power(design, LOW_VARIANCE, effect, studies=100) for effect in (0.02, 0.2))
        >>> weak.power < 0.5 < strong.power
        True
    """
    design.check()
    check_alpha(alpha)
    if studies < 2 or seed < 0 or min(_all(spreads)) < 0 or not math.isfinite(effect):
        raise BadInput("studies are at least 2, a seed and spreads at least 0, an effect is a number")
    rng = np.random.default_rng(seed)
    step = max(1, CELLS // (design.items * design.raters_per_item * 2))
    rows = [_estimates(design, spreads, effect, min(step, studies - begin), rng) for begin in range(0, studies, step)]
    estimate, error = (np.concatenate(column) for column in zip(*rows, strict=True))
    degrees = min(design.items, design.raters) - 1
    power = float((np.abs(estimate) > t_quantile(1 - alpha / 2, degrees) * error).mean())
    signature = (
        f"crossed_power|{design.layout}|items:{design.items}|raters:{design.raters}|per_item:{design.raters_per_item}"
        f"|effect:{effect:g}|alpha:{alpha:g}|studies:{studies}|seed:{seed}|v:{__version__}"
    )
    return CrossedPower(
        power,
        math.sqrt(power * (1 - power) / studies),
        float(estimate.mean()),
        float(estimate.std(ddof=1)),
        signature,
    )


def _all(spreads: Spreads) -> tuple[float, ...]:
    return spreads.item, spreads.rater, spreads.item_slope, spreads.rater_slope, spreads.noise


def _estimates(
    design: CrossedDesign, s: Spreads, effect: float, studies: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Estimated effect and its standard error, (studies,) each."""
    slopes = rng.normal(size=(studies, design.items, 1)) * s.item_slope
    if design.layout == "within":
        of_rater = rng.normal(size=(studies, design.raters)) * s.rater_slope
        noise = rng.normal(size=(studies, design.items, design.raters_per_item)) * s.noise * math.sqrt(2)
        rater = _raters(design)
        return _clustered(effect + slopes + of_rater[:, rater] + noise, rater)
    items = rng.normal(size=(studies, design.items, 1)) * s.item
    sides = []
    for change, spread in ((slopes + effect, math.hypot(s.rater, s.rater_slope)), (np.zeros_like(slopes), s.rater)):
        of_rater = rng.normal(size=(studies, design.raters)) * spread
        noise = rng.normal(size=(studies, design.items, design.raters_per_item)) * s.noise
        sides.append(items + change + of_rater[:, _raters(design)] + noise)
    return _difference(sides[0], sides[1], _raters(design))


def _raters(design: CrossedDesign) -> np.ndarray:
    """(items, raters an item): who rates what, everybody as often as everybody else within one."""
    places = np.arange(design.items * design.raters_per_item) % design.raters
    return places.reshape(design.items, design.raters_per_item)


def _clustered(values: Floats, rater: np.ndarray) -> tuple[Floats, Floats]:
    mean = values.mean(axis=(1, 2))
    left = values - mean[:, None, None]
    return mean, np.sqrt(_variance(left, rater))


def _difference(first: Floats, second: Floats, rater: np.ndarray) -> tuple[Floats, Floats]:
    """Two groups of raters on the same items: items are clusters across both, raters within theirs."""
    size = first[0].size
    means = [side.mean(axis=(1, 2)) for side in (first, second)]
    left = [side - mean[:, None, None] for side, mean in zip((first, second), means, strict=True)]
    by_item = ((left[0].sum(axis=2) - left[1].sum(axis=2)) ** 2).sum(axis=1)
    by_rater = sum(_by_rater(side, rater) for side in left)
    alone = sum((side**2).sum(axis=(1, 2)) for side in left)
    variance = _positive(by_item + by_rater - alone, np.maximum(by_item, by_rater)) / size**2
    return means[0] - means[1], np.sqrt(variance)


def _variance(left: Floats, rater: np.ndarray) -> Floats:
    by_item = (left.sum(axis=2) ** 2).sum(axis=1)
    by_rater = _by_rater(left, rater)
    both = by_item + by_rater - (left**2).sum(axis=(1, 2))
    return np.asarray(_positive(both, np.maximum(by_item, by_rater)) / left[0].size ** 2)


def _by_rater(left: Floats, rater: np.ndarray) -> Floats:
    member = np.zeros((rater.size, int(rater.max()) + 1))
    member[np.arange(rater.size), rater.ravel()] = 1.0
    return np.asarray(((left.reshape(len(left), -1) @ member) ** 2).sum(axis=1))


def _positive(value: Floats, instead: Floats) -> Floats:
    """The two-way variance can come out at or below 0; then the larger one-way variance is used."""
    return np.asarray(np.where(value > 0, value, instead))
