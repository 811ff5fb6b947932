"""How often intervals hold their target: rows of the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.simulation_studies.tallies import LEVELS, Tally

TOLERANCE = 0.015
STEP = 0.05  # values this frequent make coverage jump


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

    def off(self) -> tuple[float, ...]:
        """The levels whose coverage lies more than 1.5 points and twice its Monte-Carlo error from the stated one."""
        found = zip(LEVELS, self.coverage, strict=True)
        return tuple(level for level, c in found if abs(c - level) > TOLERANCE + 2 * self.error(level))

    def in_steps(self) -> tuple[float, ...]:
        """Those of `off` to which no cut of the few values comes nearer than the coverage found, or than 1.5 points."""
        found = zip(LEVELS, self.coverage, self.possible, strict=True)
        off = self.off()
        return tuple(
            level for level, c, pair in found if level in off and pair and self._jumped(level, abs(c - level), pair)
        )

    def _jumped(self, level: float, apart: float, pair: tuple[float, float]) -> bool:
        below, above = level - pair[0], pair[1] - level
        farthest = max(below, above) if min(below, above) > TOLERANCE else min(below, above)
        return apart <= farthest + 2 * self.error(level)


def row(world: str, measure: str, found: Tally) -> Row:
    """The row of all studies of a measure in a world."""
    truth = found.target / found.studies
    return Row(
        world,
        measure,
        truth,
        found.apart / found.studies,
        found.studies,
        tuple(held / found.studies for held in found.held),
        tuple(width / found.studies / 2 for width in found.width),
        tuple(attainable(found.seen, truth, level) for level in LEVELS),
    )


def attainable(seen: Mapping[str, int], truth: float, level: float) -> tuple[float, float] | None:
    """Shares of studies, next below and next above the level, that an interval moving with the estimate can hold.

    seen: how often each value came. An interval whose ends rise with the estimate holds the truth for a run of values.
    Runs that hold the value nearest to the truth are looked at. None where no single value has a share of 5 %.
    """
    values = sorted((float(value), count) for value, count in seen.items())
    shares = np.array([count for _, count in values]) / max(1, sum(seen.values()))
    if shares.max(initial=0.0) < STEP:
        return None
    centre = int(np.abs(np.array([value for value, _ in values]) - truth).argmin())
    upto, before = np.cumsum(shares), np.concatenate(([0.0], np.cumsum(shares)))[:-1]
    runs = (upto[centre:, None] - before[None, : centre + 1]).ravel()
    below, above = runs[runs <= level], runs[runs >= level]
    return float(below.max(initial=0.0)), float(above.min(initial=1.0))
