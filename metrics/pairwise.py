"""Bradley-Terry strengths from pairwise preferences (Bradley and Terry 1952), a tie counting half a win each.

P(i beats j) = s_i / (s_i + s_j); log strengths are centred at 0. Where wins do not link every system to every other
in both directions (somebody is never beaten, or two groups never meet) no strengths are likeliest, and a ridge keeps
them finite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from metrics.arrays import Floats
from metrics.errors import BadInput, InsufficientData
from metrics.types import Estimate, Interval, Setting
from metrics.version import __version__

RIDGE = 0.1
STEPS = 100


@dataclass(frozen=True, slots=True)
class Strengths:
    """log_strength: by system, centred at 0, higher is preferred. strengths: the same as positive shares of 1.

    flags: `no_mle` (a ridge was used: strengths lean towards equality and have no interval), as on each estimate.
    """

    log_strength: Mapping[str, Estimate]
    strengths: Mapping[str, float]
    flags: tuple[str, ...]

    def beats(self, first: str, second: str) -> float:
        """Probability that `first` is preferred to `second`. Raises KeyError for a system that is not there."""
        return self.strengths[first] / (self.strengths[first] + self.strengths[second])


def bradley_terry(
    wins: ArrayLike, names: Sequence[str] | None = None, *, ties: ArrayLike | None = None, level: float = 0.95
) -> Strengths:
    """Maximum likelihood strengths with Wald intervals of the centred log strengths.

    wins: (n, n) finite numbers from 0, row i column j: how often i was preferred to j; the diagonal is 0. ties:
    (n, n), how often a pair came out even, on either side of the diagonal or shared between both. names: n, distinct.
    The intervals take comparisons for independent; where a rater or item gives many, resample those instead.
    Raises InsufficientData (fewer than 2 systems, no comparison), BadInput.
    """
    won = _table(wins, "wins")
    if not 0 < level < 1:
        raise BadInput("a level lies between 0 and 1", column="level")
    if ties is not None:
        even = _table(ties, "ties")
        if even.shape != won.shape:
            raise BadInput("wins and ties are of the same systems", column="ties")
        won = won + (even + even.T) / 2
    n = len(won)
    named = list(names) if names is not None else [str(i + 1) for i in range(n)]
    if len(set(named)) != n or len(named) != n:
        raise BadInput(f"each of the {n} systems needs a name of its own", column="names")
    linked = _linked(won)
    ridge = 0.0 if linked else RIDGE
    theta, covariance = _maximise(won, ridge)
    return _strengths(named, theta, covariance, won, ridge, level)


def _table(values: ArrayLike, name: str) -> Floats:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("the table holds something that is no number", column=name) from None
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise BadInput("the table has a row and a column for each system", column=name)
    if not ((table >= 0) & (table <= 1e12)).all():
        row = int(np.argwhere(~((table >= 0) & (table <= 1e12)))[0, 0]) + 1
        raise BadInput("a count is a finite number of at least 0", row=row, column=name)
    if np.diag(table).any():
        raise BadInput("a system is not compared with itself", row=int(np.argmax(np.diag(table))) + 1, column=name)
    if len(table) < 2 or (name == "wins" and not table.any()):
        raise InsufficientData("Strengths need 2 systems and a comparison between them.")
    return table


def _linked(won: Floats) -> bool:
    """Every system beats every other one, directly or through others (Ford 1957)."""
    reach = (won > 0) | np.eye(len(won), dtype=bool)
    for _ in range(max(1, int(np.ceil(np.log2(len(won)))))):
        reach = (reach.astype(np.float64) @ reach) > 0
    return bool(reach.all())


def _maximise(won: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Centred log strengths and their covariance, by Newton's method with halved steps."""
    n, met = len(won), won + won.T
    theta = np.zeros(n)
    value = _log_likelihood(won, theta, ridge)
    centre = np.full((n, n), 1 / n)
    information = centre
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(theta - theta[:, None]))
        slope = won.sum(axis=1) - (met * chance).sum(axis=1) - 2 * ridge * theta
        weight = met * chance * (1 - chance)
        information = np.diag(weight.sum(axis=1) + 2 * ridge) - weight
        step = np.linalg.solve(information + centre * information.trace(), slope)
        while (reached := _log_likelihood(won, theta + step, ridge)) < value - 1e-9 * abs(value):
            step /= 2
        theta, value = theta + step - (theta + step).mean(), reached
        if np.abs(step).max() < 1e-11:
            break
    scale = information.trace()
    return theta, np.linalg.inv(information + centre * scale) - centre / scale


def _log_likelihood(won: Floats, theta: Floats, ridge: float) -> float:
    return float(-(won * np.logaddexp(0, theta - theta[:, None])).sum() - ridge * (theta**2).sum())


def _strengths(
    names: Sequence[str], theta: Floats, covariance: Floats, won: Floats, ridge: float, level: float
) -> Strengths:
    flags = ("no_mle",) if ridge else ()
    met, raised = round(float(won.sum())), np.exp(theta - theta.max())
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(np.maximum(np.diag(covariance), 0))
    settings: dict[str, Setting] = {"systems": len(names), "comparisons": met, "ridge": ridge, "ties": "half"}
    method = "Wald, comparisons independent"
    signature = f"n:{met}|systems:{len(names)}|ridge:{ridge:g}|v:{__version__}"
    estimates = {
        name: Estimate(
            float(value),
            met,
            None if ridge else Interval(float(value - h), float(value + h), level, method),
            settings,
            flags,
            f"log_strength_{name}|{signature}",
        )
        for name, value, h in zip(names, theta, half, strict=True)
    }
    shares = raised / raised.sum()
    return Strengths(estimates, dict(zip(names, shares.tolist(), strict=True)), flags)
