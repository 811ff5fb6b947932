"""Shares and mean shares with intervals that say what they are for: new evaluators, new items, or both.

A share near 0 or 1 breaks mean -+ t * se (all right means no width). So the interval is Wilson's (1927) with the
number of judgments replaced by an effective one, share * (1 - share) / variance, and z by Student's t with units - 1
degrees of freedom, as for shares in surveys (Korn and Graubard 1998; Dean and Pagano 2015). It stays in [0, 1].
Where the units show no variance at all, each judgment counts as one. `tests.benchmarks.coverage_accuracy` measures
what it covers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.inference.distributions import t_quantile
from metrics.types import Interval

WILSON = "Wilson with effective n"
TARGETS = {
    "evaluators": "expected value over new evaluators like these, on these very items",
    "items": "expected value over new items like these, with these very evaluators",
    "contexts": "expected value over new contexts like these, with as many texts each",
    "evaluators and items": "expected value over new evaluators and new items like these",
}


@dataclass(frozen=True, slots=True)
class Share:
    """A share in [0, 1], the variance of its estimate over new `units`, and the judgments it rests on.

    value: None where nothing is counted. judgments: what `units` would be if each judgment were independent.
    """

    value: float | None
    variance: float
    units: int
    judgments: float

    def interval(self, level: float, drawn: str) -> Interval | None:
        """Return the interval at `level`, None without a value or with one unit. drawn: the units that would be new."""
        if self.value is None or self.units < 2:
            return None
        effective = self.value * (1 - self.value) / self.variance if self.variance > 0 else self.judgments
        t = t_quantile((1 + level) / 2, self.units - 1)
        low, high = wilson(self.value, max(effective, np.finfo(float).tiny), t)
        return Interval(low, high, level, f"{WILSON}, for new {drawn}", TARGETS.get(drawn, ""))


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score interval of a share of n; z: the two-sided quantile. Within [0, 1], and holds the share."""
    weight = z * z / n
    centre = (share + weight / 2) / (1 + weight)
    half = math.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def logit_interval(value: float, sd: float, z: float) -> tuple[float, float]:
    """value -+ z sd on the scale of log odds, for a value strictly between 0 and 1; z: the two-sided quantile."""
    middle, half = math.log(value / (1 - value)), z * sd / (value * (1 - value))
    return _of_log_odds(middle - half), _of_log_odds(middle + half)


def _of_log_odds(at: float) -> float:
    """The share of these log odds, whatever their size."""
    return 1 / (1 + math.exp(-at)) if at >= 0 else math.exp(at) / (1 + math.exp(at))


def pooled_share(hits: Floats | Ints, totals: Floats | Ints) -> Share:
    """Sum of hits over sum of totals; each entry is one unit (an evaluator, an item), 0 <= hits <= totals.

    Units without a total say nothing and are not counted. Variance by linearisation of the ratio.
    """
    counted = totals > 0
    hits, totals = hits[counted], totals[counted]
    total, units = float(totals.sum()), len(totals)
    if not units:
        return Share(None, 0.0, 0, 0.0)
    value = float(hits.sum()) / total
    return Share(value, _spread(hits * total - totals * hits.sum()) / total**4, units, total)


def mean_share(hits: Ints, totals: Ints) -> Share:
    """Mean over units of hits / totals: each unit counts once, however many judgments it holds."""
    counted = totals > 0
    hits, totals = hits[counted], totals[counted]
    units = len(totals)
    if not units:
        return Share(None, 0.0, 0, 0.0)
    shares = hits / totals
    value = min(1.0, float(shares.mean()))
    # Equal shares have no variance, whatever the rounding of their mean.
    equal = bool((shares == shares[0]).all())
    variance = 0.0 if equal else _spread(shares - value) / units**2
    return Share(value, variance, units, units**2 / float((1 / totals).sum()))


def crossed_mean_share(correct: Ints, rater: Ints, item: Ints) -> Share:
    """Mean over raters of their share correct, with the variance over new raters *and* new items.

    correct: (n,) 0 or 1. rater, item: (n,) numbers from 0, all in use. Variance by raters plus variance by items less
    that of single judgments, which both hold (Cameron, Gelbach and Miller 2011); not below what raters alone give.
    Units: the fewer of raters and items.
    """
    totals = np.bincount(rater)
    alone = mean_share(np.bincount(rater, weights=correct).astype(np.int64), totals)
    if alone.value is None:
        return alone
    raters, items = len(totals), int(item.max()) + 1
    residual = (correct - alone.value) / (totals[rater] * raters)
    by_item = np.bincount(item, weights=residual)
    both = alone.variance + _spread(by_item) - float((residual**2).sum())
    floor = alone.variance or alone.value * (1 - alone.value) / alone.judgments
    return Share(alone.value, max(floor, both), min(raters, items), alone.judgments)


def _spread(residuals: Floats | Ints) -> float:
    """Sum of squares of unit totals that sum to 0, for the loss of one degree of freedom; 0 for one unit."""
    units = len(residuals)
    return float((residuals.astype(np.float64) ** 2).sum()) * units / (units - 1) if units > 1 else 0.0
