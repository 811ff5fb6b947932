"""The shading of the scatter: what the classifier behind HUSE would answer at every place of the plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.figures.chart import Shade
from metrics.figures.huse_scatter import Point
from metrics.neighbors import FLOAT_TOLERANCE
from metrics.types import REFERENCE

STEPS = 36  # cells a side


def shading(
    points: Sequence[Point], hj_range: tuple[float, float], rate_range: tuple[float, float], *, k: int
) -> Shade | None:
    """Share of references among the k nearest texts (all tied ones included) of each cell's centre.

    Both axes are divided by their population sd over the texts, as the score does. Texts of probability 0 have no
    place in the plane and no vote here. None where an axis does not vary or fewer than k texts have a place.
    """
    placed = np.array([(point.hj, point.rate, point.source == REFERENCE) for point in points], dtype=np.float64)
    placed = placed[np.isfinite(placed[:, 1])]
    if len(placed) < k or not np.ptp(placed[:, :2], axis=0).all():
        return None
    scale = placed[:, :2].std(axis=0)
    x, y = (_centres(*bounds) for bounds in (hj_range, rate_range))
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    rows = np.array_split(places, max(1, len(places) * len(placed) // 2_000_000))
    share = np.concatenate([_share(row / scale, placed[:, :2] / scale, placed[:, 2], k) for row in rows])
    grid = np.round(share, 4).reshape(STEPS, STEPS).tolist()
    return Shade(tuple(np.round(x, 6).tolist()), tuple(np.round(y, 6).tolist()), tuple(tuple(row) for row in grid))


def _centres(low: float, high: float) -> np.ndarray:
    return low + (np.arange(STEPS) + 0.5) * (high - low) / STEPS


def _share(places: np.ndarray, texts: np.ndarray, is_reference: np.ndarray, k: int) -> np.ndarray:
    squared = ((places[:, None, :] - texts[None, :, :]) ** 2).sum(axis=2)
    cut = np.partition(squared, k - 1, axis=1)[:, k - 1 : k]
    near = squared <= cut * (1 + FLOAT_TOLERANCE)
    return np.asarray((near @ is_reference) / near.sum(axis=1))
