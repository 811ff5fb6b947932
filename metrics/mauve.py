"""MAUVE between two histograms (Pillutla et al. 2021): the area under the curve of two kinds of error.

With R = w P + (1 - w) Q the curve runs through exp(-c KL(Q|R)), exp(-c KL(P|R)). The histograms are the caller's:
texts counted by cluster of their features, both sources clustered together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metrics.arrays import Floats
from metrics.columns import from_zero
from metrics.errors import BadInput, DegenerateInput
from metrics.types import Estimate
from metrics.version import __version__


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
