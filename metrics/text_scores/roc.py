"""Area under the ROC curve of a score that should be higher for one source, with an interval over new texts.

The variance is that of the placements (DeLong et al. 1988), texts of one context taken together, on the logit scale.
Where the sources are fully separated there is no variance to see, and the interval is Newcombe's (2006, method 5),
which supposes exponential scores. How often these intervals hold the area is simulated in
`tests/metrics/text_scores/test_roc.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats
from metrics.errors import InsufficientData
from metrics.inference.correlation import midranks
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.inference.proportions import logit_interval
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

METHOD = "placements by context, logit scale; new texts"
UNPAIRED = "Newcombe's method 5; new texts"
STEPS = 200  # of a bisection: far below the last digit


def auc(natural: ArrayLike, synthetic: ArrayLike) -> float:
    """P(synthetic > natural) + P(equal) / 2 over all pairs, in [0, 1]; 0.5 without any difference."""
    _, under = _placements(np.asarray(natural, np.float64), np.asarray(synthetic, np.float64))
    return float(under.mean())


def auc_estimate(
    natural: ArrayLike,
    synthetic: ArrayLike,
    *,
    contexts: tuple[Sequence[str | None], Sequence[str | None]] | None = None,
    level: float = 0.95,
    named: str = "auc",
    settings: dict[str, Setting] | None = None,
) -> Estimate:
    """The area with its interval. natural, synthetic: (n,) finite scores of the texts of each source.

    contexts: of the texts of each; texts that share one are drawn together, None: each separately. n is the number of
    texts. No interval below 2 texts a source. named: the head of the signature. Raises InsufficientData without a text.
    """
    low, high = np.asarray(natural, np.float64), np.asarray(synthetic, np.float64)
    if not (len(low) and len(high)):
        raise InsufficientData("The area under the curve needs texts of both sources.")
    n, estimate_settings = len(low) + len(high), dict(settings or {})
    signature = f"{named}|n:{n}|v:{__version__}"
    value = auc(low, high)
    if min(len(low), len(high)) < 2:
        return Estimate(value, n, None, estimate_settings, ("too_few_for_interval",), signature)
    sd = math.sqrt(_variance(low, high, contexts))
    degenerate = not 0 < value < 1 or sd == 0
    ends = (
        _newcombe(value, len(low), len(high), level)
        if degenerate
        else logit_interval(value, sd, normal_quantile(level))
    )
    interval = Interval(*ends, level, UNPAIRED if degenerate else METHOD)
    return Estimate(value, n, interval, estimate_settings, (), signature)


def _placements(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Of each text of either side, the share of the other side that it leaves a right order with; ties half."""
    ranks = midranks(np.concatenate((low, high)))
    under = (ranks[len(low) :] - midranks(high)) / len(low)
    over = 1 - (ranks[: len(low)] - midranks(low)) / len(high)
    return over, under


def _variance(low: Floats, high: Floats, contexts: tuple[Sequence[str | None], Sequence[str | None]] | None) -> float:
    """Sum of squares over contexts of what each moves the area by."""
    over, under = _placements(low, high)
    value = float(under.mean())
    moved = ((over - value) / len(low), (under - value) / len(high))
    if contexts is None or any(context is None for side in contexts for context in side):
        return sum(len(shifts) / (len(shifts) - 1) * float((shifts**2).sum()) for shifts in moved)
    number = {name: at for at, name in enumerate(dict.fromkeys([*contexts[0], *contexts[1]]))}
    place = np.array([number[name] for side in contexts for name in side])
    sums = np.bincount(place, weights=np.concatenate(moved), minlength=len(number))
    units = len(number)
    return units / (units - 1) * float((sums**2).sum()) if units > 1 else 0.0


def _newcombe(value: float, low: int, high: int, level: float) -> tuple[float, float]:
    """Where the area would lie as many standard errors of its own from the value."""
    z, more = normal_quantile(level), (low + high) / 2 - 1

    def reach(area: float) -> float:
        spread = area * (1 - area) * (1 + more * (1 - area) / (2 - area) + more * area / (1 + area))
        return z * math.sqrt(max(0.0, spread) / (low * high))

    below = _root(lambda area: value - area > reach(area), 0.0, value) if value > 0 else 0.0
    above = 1 - _root(lambda rest: 1 - rest - value > reach(1 - rest), 0.0, 1 - value) if value < 1 else 1.0
    return below, above


def _root(too_far: Callable[[float], bool], start: float, end: float) -> float:
    """By bisection, the last point from `start` on that is too far."""
    if not too_far(start):
        return start
    near = start + (end - start) * (1 - 1e-12)
    for _ in range(STEPS):
        middle = (start + near) / 2
        start, near = (middle, near) if too_far(middle) else (start, middle)
    return start
