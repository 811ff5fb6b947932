"""Bradley-Terry strengths from pairwise preferences (Bradley and Terry 1952), a tie counting half a win each.

P(i beats j) = s_i / (s_i + s_j); log strengths are centred at 0. Where wins do not link every system to every other
in both directions (one is never beaten, or two groups never meet) no strengths are likeliest, and a ridge keeps
them finite.

Intervals come from the sandwich clustered by items and raters (`metrics.inference.cluster_variances`). A vote on (a, b)
has the score S = (y - p)(e_a - e_b) and the influence H^+ S, H being the information. The inverse information alone
would take votes for independent and a tie for as uncertain as a win: it is far too narrow or too wide
(docs/validity.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats, Ints
from metrics.data.columns import check_column
from metrics.data.ratings import Names, encode_names
from metrics.errors import BadInput, InsufficientData
from metrics.inference.cluster_variances import (
    NO_VARIATION,
    SINGLE_WAY_USED,
    Clusters,
    ClusterTarget,
    Spread,
    build_clusters,
)
from metrics.inference.distributions import check_level
from metrics.types import Estimate, Setting
from metrics.version import __version__

RIDGE = 0.1
STEPS = 100
DENSE = 4_000_000  # numbers in a table of clusters by systems


NO_MLE, CLUSTERS_UNKNOWN = "no_mle", "clusters_unknown"


@dataclass(frozen=True, slots=True)
class StrengthDifference:
    """Log strength of `first` less that of `second`: the log odds that it is preferred, with an interval of its own."""

    first: str
    second: str
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Strengths:
    """log_strength: by system, centred at 0, higher is preferred. strengths: the same as positive shares of 1.

    differences: of each two systems, in their order. flags: `no_mle` (a ridge was used: strengths lean towards equality
    and have no interval), `clusters_unknown` (a table of wins: no interval), and those of
    `metrics.inference.cluster_variances`, as on each estimate; there also `one_way_used` (the two-way variance came out
    at 0 or less, and the larger one-way variance is used) and `no_variation` (the clusters show none: no interval).
    Setting `se`: the standard error.
    """

    log_strength: Mapping[str, Estimate]
    strengths: Mapping[str, float]
    flags: tuple[str, ...]
    differences: tuple[StrengthDifference, ...] = ()

    def beats(self, first: str, second: str) -> float:
        """Probability that `first` is preferred to `second`. Raises KeyError for a system that is not there."""
        return self.strengths[first] / (self.strengths[first] + self.strengths[second])


@dataclass(frozen=True, slots=True)
class _Fit:
    """theta: (n,) centred log strengths; inverse: (n, n) pseudo-inverse of the information; met: comparisons."""

    names: Sequence[str]
    theta: Floats
    inverse: Floats
    met: int
    ridge: float


def bradley_terry(wins: ArrayLike, names: Sequence[str] | None = None, *, ties: ArrayLike | None = None) -> Strengths:
    """Maximum likelihood strengths of a table of wins, without intervals: a table does not say who judged what.

    wins: (n, n) finite numbers from 0, row i column j: how often i was preferred to j; the diagonal is 0. ties:
    (n, n), how often a pair came out even, on either side of the diagonal or shared between both. names: n, distinct.
    `bradley_terry_votes` gives intervals. Raises InsufficientData (fewer than 2 systems, no comparison), BadInput.
    """
    won = _table(wins, "wins")
    if ties is not None:
        even = _table(ties, "ties")
        if even.shape != won.shape:
            raise BadInput("wins and ties are of the same systems", column="ties")
        won = won + (even + even.T) / 2
    named = list(names) if names is not None else [str(i + 1) for i in range(len(won))]
    return _strengths(_fit(won, named), None, None, 0.95)


def bradley_terry_votes(
    item: Names,
    rater: Names,
    left: Names,
    right: Names,
    outcome: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    target: ClusterTarget | None = None,
    level: float = 0.95,
) -> Strengths:
    """Estimate strengths of systems from pairwise votes, with intervals clustered by items and raters.

    P(i is preferred to j) = s_i / (s_i + s_j); a tie is half a win for each.

    Args:
        item: (N,) the context for which both texts were written; None where it is not known.
        rater: (N,) the rater; None where it is not known.
        left: (N,) the first of the systems compared.
        right: (N,) the second of the systems compared.
        outcome: (N,) 1 where left was preferred, 0 where right was, 0.5 for a tie.
        names: all systems in the order to report; None: as they occur.
        target: what intervals are for: new `items and raters` (where both are known), new `items` with these raters, or
            new `raters` on these items; None: the first of these that the columns allow.
        level: of the intervals, in (0, 1).

    Returns:
        Log strengths centered at 0 (higher is preferred), the same as positive shares of 1, and the difference of each
        two systems. Where no strengths are likeliest a ridge keeps them finite, without intervals (flag `no_mle`).

    Raises:
        InsufficientData: fewer than 2 systems, or no vote.
        BadInput: columns or settings that break a rule.

    Source:
        Bradley and Terry (1952); intervals: Cameron, Gelbach and Miller (2011), docs/validity.md.

    Example:
        >>> from metrics import bradley_terry_votes
        >>> item, rater = [i for i in range(6) for _ in range(4)], ["w1", "w2", "w3", "w4"] * 6
        >>> outcome = [1 if (i + r) % 4 else 0 for i in range(6) for r in range(4)]
        >>> strengths = bradley_terry_votes(item, rater, ["gpt"] * 24, ["lstm"] * 24, outcome)
        >>> round(strengths.beats("gpt", "lstm"), 2), strengths.flags
        (0.75, ('few_clusters',))
    """
    check_level(level)
    clusters = build_clusters(item, rater, target=target)
    first, second, y, named = _votes(item, left, right, outcome, names)
    n = len(named)
    won = np.bincount(first * n + second, weights=y, minlength=n * n)
    won += np.bincount(second * n + first, weights=1 - y, minlength=n * n)
    fit = _fit(_table(won.reshape(n, n), "wins"), named)
    residual = y - 1 / (1 + np.exp(fit.theta[second] - fit.theta[first]))

    def products(code: Ints, number: int) -> Floats:
        """(n, n) sum over clusters of the influence of their votes, times itself."""
        scores = _scores if number * n <= DENSE else _sparse_scores
        of_clusters = scores(code, number, n, (first, second), residual)
        crossed = of_clusters.T @ of_clusters
        return np.asarray(
            fit.inverse @ (crossed if isinstance(crossed, np.ndarray) else crossed.toarray()) @ fit.inverse
        )

    clustered = clusters.known and not fit.ridge
    return _strengths(fit, clusters, clusters.covariances_of_products(products) if clustered else None, level)


def _scores(code: Ints, number: int, n: int, systems: tuple[Ints, Ints], residual: Floats) -> Floats:
    """(number, n) sums of the scores of the votes in each cluster."""
    score = np.bincount(code * n + systems[0], weights=residual, minlength=number * n)
    score -= np.bincount(code * n + systems[1], weights=residual, minlength=number * n)
    return np.asarray(score.reshape(number, n), dtype=np.float64)


def _sparse_scores(code: Ints, number: int, n: int, systems: tuple[Ints, Ints], residual: Floats) -> Any:
    """The same where most are 0: there are about as many cells as votes, and each holds a few systems."""
    from scipy.sparse import coo_array

    rows, columns = np.concatenate((code, code)), np.concatenate(systems)
    return coo_array((np.concatenate((residual, -residual)), (rows, columns)), shape=(number, n)).tocsr()


def _votes(
    item: Names, left: Names, right: Names, outcome: ArrayLike, names: Sequence[str] | None
) -> tuple[Ints, Ints, Floats, list[str]]:
    """Codes of both systems, the outcome, and the systems by name. Raises as `bradley_terry_votes`."""
    if not len(item) == len(left) == len(right):
        raise BadInput(f"item, left and right have {len(item)}, {len(left)} and {len(right)} entries, not one number")
    y = check_column(outcome, "outcome")
    if len(y) != len(left):
        raise BadInput(f"there are {len(left)} votes, and each needs an outcome", column="outcome")
    if not len(left):
        raise InsufficientData("Strengths need 2 systems and a comparison between them.")
    if (odd := (y != 0) & (y != 0.5) & (y != 1)).any():
        raise BadInput(
            "an outcome is 1 (left), 0 (right) or 0.5 (a tie)", row=int(np.argmax(odd)) + 1, column="outcome"
        )
    arrays = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
    code, systems = encode_names(np.concatenate((left, right)) if arrays else [*left, *right])
    named = [str(system) for system in systems]
    if names is not None:
        at = {name: place for place, name in enumerate(names)}
        if unknown := [name for name in named if name not in at]:
            raise BadInput(f"the system {unknown[0]!r} is not among the names", column="names")
        code, named = np.array([at[name] for name in named], dtype=np.int64)[code], list(names)
    first, second = code[: len(left)], code[len(left) :]
    if (same := first == second).any():
        raise BadInput("a system is not compared with itself", row=int(np.argmax(same)) + 1, column="right")
    return first, second, y, named


def _fit(won: Floats, names: Sequence[str]) -> _Fit:
    if len(set(names)) != len(won) or len(names) != len(won):
        raise BadInput(f"each of the {len(won)} systems needs a name of its own", column="names")
    ridge = 0.0 if _linked(won) else RIDGE
    theta, inverse = _maximise(won, ridge)
    return _Fit(names, theta, inverse, round(float(won.sum())), ridge)


def _table(values: ArrayLike, name: str) -> Floats:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("the table holds a value that is not a number", column=name) from None
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


def _strengths(fit: _Fit, clusters: Clusters | None, spread: Spread | None, level: float) -> Strengths:
    names, pairs = fit.names, list(combinations(range(len(fit.names)), 2))
    cluster_flags = clusters.flags if clusters else (CLUSTERS_UNKNOWN,)
    flags = ((NO_MLE,) if fit.ridge else ()) + cluster_flags
    settings: dict[str, Setting] = {
        "systems": len(names),
        "comparisons": fit.met,
        "ridge": fit.ridge,
        "ties": "half",
    }
    if clusters:
        settings |= {"items": clusters.items, "raters": clusters.raters, "target": clusters.target}
    estimates = _Estimates(fit, clusters, level, settings, flags)
    of_systems, of_differences = estimates.errors(spread, pairs)
    of_system = {name: estimates.estimate(name, fit.theta[i], of_systems[i]) for i, name in enumerate(names)}
    differences = tuple(
        StrengthDifference(
            names[i], names[j], estimates.estimate(f"{names[i]}_less_{names[j]}", fit.theta[i] - fit.theta[j], error)
        )
        for (i, j), error in zip(pairs, of_differences, strict=True)
    )
    raised = np.exp(fit.theta - fit.theta.max())
    shares = raised / raised.sum()
    return Strengths(of_system, dict(zip(names, shares.tolist(), strict=True)), flags, differences)


Error = tuple[float, bool] | None  # a standard error, and whether a one-way variance is used; None: no interval


@dataclass(frozen=True, slots=True)
class _Estimates:
    """What all estimates of one fit share."""

    fit: _Fit
    clusters: Clusters | None
    level: float
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]

    def errors(self, spread: Spread | None, pairs: Sequence[tuple[int, int]]) -> tuple[list[Error], list[Error]]:
        """Of each system, and of the difference of each pair: the rule goes to each number's own variance."""
        if spread is None or self.clusters is None:
            return [None] * len(self.fit.names), [None] * len(pairs)
        i, j = np.array(pairs, dtype=np.int64).T
        parts = (spread.item, spread.rater, spread.cell)
        of_systems = Spread(*(np.diag(part) for part in parts))
        of_differences = Spread(*(np.maximum(part[i, i] + part[j, j] - 2 * part[i, j], 0) for part in parts))
        errors_of = []  # type: list[list[Error]]
        for each in (of_systems, of_differences):
            variance, used = self.clusters.variance(each)
            errors_of.append(list(zip(np.sqrt(variance).tolist(), used.tolist(), strict=True)))
        return errors_of[0], errors_of[1]

    def estimate(self, name: str, value: float, error: Error) -> Estimate:
        """A log strength or a difference with its interval."""
        n, flags, settings, interval = self.fit.met, self.flags, dict(self.settings), None
        if error is not None and self.clusters is not None:
            se, used = error
            flags += ((SINGLE_WAY_USED,) if used else ()) + (() if se else (NO_VARIATION,))
            if se:
                settings["se"] = se
                interval = self.clusters.interval(float(value), se, self.level)
        cluster_settings = "".join(
            f"|{key}:{settings[key]}" for key in ("items", "raters", "target") if key in settings
        )
        ridge = f"{self.fit.ridge:g}"
        signature = (
            f"log_strength_{name}|n:{n}|systems:{len(self.fit.names)}|ridge:{ridge}{cluster_settings}|v:{__version__}"
        )
        return Estimate(float(value), n, interval, settings, flags, signature)
