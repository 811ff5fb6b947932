"""How often intervals hold their target: rows of the tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEVELS = (0.90, 0.95)
TOLERANCE = 0.03
STEP = 0.05  # values this frequent make coverage jump
ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """One measure in one world. coverage, width (half of it, on average) and possible: one entry for each of LEVELS.

    possible: the coverages next below and above the stated one that cutting the distribution of the estimate can give,
    where the estimate takes few values; None elsewhere.
    """

    world: str
    measure: str
    truth: float
    bias: float
    studies: int
    coverage: tuple[float, ...]
    width: tuple[float, ...]
    possible: tuple[tuple[float, float] | None, ...]

    def error(self, level: float) -> float:
        """Monte-Carlo standard error of a coverage that is as stated."""
        return math.sqrt(level * (1 - level) / self.studies)

    def off(self) -> bool:
        """Whether a coverage lies more than 3 points and twice its Monte-Carlo error from the stated one."""
        slack = [TOLERANCE + 2 * self.error(level) for level in LEVELS]
        return any(abs(c - level) > more for c, level, more in zip(self.coverage, LEVELS, slack, strict=True))


def row(
    world: str,
    measure: str,
    values: np.ndarray,
    truth: float,
    intervals: Sequence[tuple[np.ndarray, np.ndarray]],
) -> Row:
    """values: (studies,); intervals: low and high (studies,) for each of LEVELS."""
    held = [np.mean((low <= truth + ROUNDING) & (truth <= high + ROUNDING)) for low, high in intervals]
    width = [float(np.mean(high - low) / 2) for low, high in intervals]
    possible = tuple(attainable(values, truth, level) for level in LEVELS)
    bias = float(values.mean() - truth)
    return Row(world, measure, truth, bias, len(values), tuple(map(float, held)), tuple(width), possible)


def attainable(values: np.ndarray, truth: float, level: float) -> tuple[float, float] | None:
    """Shares of studies, next below and next above the level, that an interval moving with the estimate can hold.

    An interval whose ends rise with the estimate holds the truth for a run of values. Runs that hold the value nearest
    to the truth are looked at. None where no single value has a share of 5 %.
    """
    seen, counts = np.unique(np.round(values, 9), return_counts=True)
    shares = counts / len(values)
    if shares.max() < STEP:
        return None
    centre = int(np.abs(seen - truth).argmin())
    upto, before = np.cumsum(shares), np.concatenate(([0.0], np.cumsum(shares)))[:-1]
    runs = (upto[centre:, None] - before[None, : centre + 1]).ravel()
    below, above = runs[runs <= level], runs[runs >= level]
    return float(below.max(initial=0.0)), float(above.min(initial=1.0))
