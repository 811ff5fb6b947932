"""MAUVE between two histograms (Pillutla et al. 2021): the area under the curve of two kinds of error.

With R = w P + (1 - w) Q the curve runs through exp(-c KL(Q|R)), exp(-c KL(P|R)). The histograms are the caller's,
or made here: texts counted by cluster of their features, both sources clustered together.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.columns import from_zero
from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.huse.subsampling import context_numbers, disjoint_pairs
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.inference.proportions import logit_interval
from metrics.types import Estimate, Interval
from metrics.version import __version__

CLUSTERED, MAX_CLUSTERS = 10, 100  # texts a cluster, on average
FEWEST = 10
STARTS = 3
DRAWS = 200
# The clusters stay, so that halves do not show what other clusters would change: in simulated worlds (40 to 200 texts a
# source, MAUVE .08 to .9) the estimate varied by .6 to 1.5 times what they show. With this 95 % intervals held 94 to
# 100 % (`tests/metrics/text_scores/test_mauve.py` repeats the outermost worlds).
WIDER = 1.6
METHOD = "pairs of halves of the texts in these clusters, logit scale; new texts"


def mauve(p: ArrayLike, q: ArrayLike, *, scale: float = 5.0, mixtures: int = 25) -> Estimate:
    """MAUVE, in (0, 1]: 1 for equal histograms, near 0 for disjoint ones; no interval (resample the texts).

    p, q: (k,) counts or shares of the same k clusters, at least 0, each with a sum above 0. scale: c of the paper.
    mixtures: points of the curve between its ends. n is the number of clusters. Raises BadInput, DegenerateInput.
    """
    if not 0 < scale < 1e6 or mixtures < 1:
        raise BadInput("scale lies above 0, and there is at least one mixture")
    first, second = _shares(p, "p"), _shares(q, "q")
    if first.shape != second.shape:
        raise DegenerateInput(f"Both histograms need the same clusters, and they have {len(first)} and {len(second)}.")
    weights = np.linspace(1e-6, 1 - 1e-6, mixtures)[:, None]
    mixed = weights * first + (1 - weights) * second
    x = np.concatenate(([1.0], np.exp(-scale * _divergence(second, mixed)), [0.0]))
    y = np.concatenate(([0.0], np.exp(-scale * _divergence(first, mixed)), [1.0]))
    settings = {"scale": scale, "mixtures": mixtures, "clusters": len(first)}
    signature = f"mauve|n:{len(first)}|c:{scale:g}|mixtures:{mixtures}|v:{__version__}"
    return Estimate(_area(x, y), len(first), None, settings, (), signature)


def mauve_of_features(
    reference: ArrayLike,
    model: ArrayLike,
    *,
    clusters: int | None = None,
    seed: int = 0,
    scale: float = 5.0,
    level: float = 0.95,
    draws: int = DRAWS,
    contexts: tuple[Sequence[str | None], Sequence[str | None]] | None = None,
) -> Estimate:
    """MAUVE of texts by their features, in (0, 1], with an interval for new texts. n is the number of texts.

    reference, model: (n, d) finite features, one row per text; each is divided by its sd over both sources. clusters:
    of k-means (the best of three seeded starts); None: one for ten texts, 2 to 100. It grows as texts are added, so
    that only values at equal numbers of texts compare. draws: halves of the texts behind the interval, 0 for none;
    there is none either where they do not differ (`no_variation`). contexts: of the texts of each source; where every
    context is on both sides equally often, texts of one are drawn together. Raises InsufficientData below 10 texts a
    source, DegenerateInput where no feature varies, BadInput.
    """
    p, q = _features(reference, "reference"), _features(model, "model")
    if p.shape[1] != q.shape[1]:
        raise BadInput(f"both sources need the same features, and have {p.shape[1]} and {q.shape[1]}", column="model")
    place, k = _partition(p, q, clusters, seed)
    z, n = np.arange(len(p) + len(q)) < len(p), len(p) + len(q)
    estimate = mauve(_counts(place, z, k), _counts(place, ~z, k), scale=scale)
    settings = {**estimate.settings, "clusters": k, "features": p.shape[1], "seed": seed}
    signature = f"mauve|n:{n}|clusters:{k}|c:{scale:g}|seed:{seed}|v:{__version__}"
    value = float(estimate.value or 0.0)
    if not draws:
        return Estimate(value, n, None, settings, (), signature)
    shared = None if contexts is None else context_numbers([*contexts[0], *contexts[1]], z)
    sd, quantile = _sd(place, z, k, shared, seed, scale=scale, draws=draws), normal_quantile(level)
    if sd == 0:  # whichever texts are drawn, the sources differ as much in these clusters
        return Estimate(value, n, None, {**settings, "draws": draws}, ("no_variation",), signature)
    span = Interval(*_ends(value, quantile * sd), level, METHOD)
    return Estimate(value, n, span, {**settings, "draws": draws}, (), signature)


def _ends(value: float, reach: float) -> tuple[float, float]:
    """On the logit scale; but near 1, where that has no end, no further down than on the scale of MAUVE itself."""
    low, high = logit_interval(value, reach, 1.0) if value < 1 else (0.0, 1.0)
    return max(low, value - reach), high


def _partition(p: Floats, q: Floats, clusters: int | None, seed: int) -> tuple[Ints, int]:
    """The cluster of each text of both sources, and how many clusters there are."""
    both = np.concatenate((p, q))
    both = both / np.maximum(
        np.abs(both).max(axis=0), np.finfo(np.float64).tiny
    )  # squares of large ones would overflow
    sd = both.std(axis=0)
    if not (varies := sd > 0).any():
        raise DegenerateInput("No feature varies, so that texts cannot be clustered.")
    different = len(np.unique(both, axis=0))
    k = clusters or min(max(2, round(len(both) / CLUSTERED)), MAX_CLUSTERS, different)
    if not 1 < k <= different:
        rule = f"there are 2 clusters at least, and no more than the {different} different texts"
        raise BadInput(rule, column="clusters")
    return _clustered(both[:, varies] / sd[varies], k, seed), k


def _counts(place: Ints, of: Bools, k: int) -> Ints:
    return np.bincount(place[of], minlength=k)


def _sd(place: Ints, z: Bools, k: int, contexts: Ints | None, seed: int, *, scale: float, draws: int) -> float:
    """By pairs of halves without a text in common: half the variance of a half, as for HUSE. The clusters stay."""
    pairs, squares = max(1, draws // 2), []
    for chosen in disjoint_pairs(z, contexts, np.random.default_rng([seed, DRAWS]), pairs):
        values = [
            mauve(_counts(place, half & z, k), _counts(place, half & ~z, k), scale=scale).value for half in chosen
        ]
        halves = np.array(values, dtype=np.float64).reshape(2, -1)
        squares.append((halves[0] - halves[1]) ** 2)
    return WIDER * math.sqrt(float(np.concatenate(squares).mean()) / 4)


def _features(values: ArrayLike, name: str) -> Floats:
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
        raise BadInput("features are finite numbers, one row per text", column=name)
    if len(rows) < FEWEST:
        raise InsufficientData(f"MAUVE needs {FEWEST} texts of each source, and {name} has {len(rows)}.")
    return rows


def _clustered(rows: Floats, k: int, seed: int) -> Ints:
    """The cluster of each row, by k-means: the tightest of several starts."""
    from scipy.cluster.vq import kmeans2

    solutions = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a cluster may stay empty: it then counts no text
        for start in range(STARTS):
            rng = np.random.default_rng([seed, start])
            centres, place = kmeans2(rows, k, iter=50, minit="++", rng=rng)
            solutions.append((float(((rows - centres[place]) ** 2).sum()), start, place))
    return np.asarray(min(solutions)[2], dtype=np.int64)


def _shares(counts: ArrayLike, name: str) -> Floats:
    values = from_zero(counts, name)
    if not values.sum() > 0:
        raise DegenerateInput(f"The histogram {name} is empty.")
    return np.asarray(values / values.max() / (values / values.max()).sum())


def _divergence(from_: Floats, mixed: Floats) -> Floats:
    """KL(from | row) for each row of mixed (m, k); 0 log 0 is 0, and a mixture is above 0 where `from_` is."""
    held = from_ > 0
    return np.asarray((from_[held] * np.log(from_[held] / mixed[:, held])).sum(axis=1))


def _area(x: Floats, y: Floats) -> float:
    """Trapezia under the points by x, and by descending y where x is equal: the order of an unstable sort would
    decide the area of a curve that falls straight down."""
    order = np.lexsort((-y, x))
    x, y = x[order], y[order]
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
