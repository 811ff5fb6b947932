"""Counting how often the intervals of accuracy, HJ, alpha and pass rates hold their target."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.simulation_studies.store import Arrays
from tests.benchmarks.simulation_studies.tallies import LEVELS, Intervals, Tally, tally
from tests.benchmarks.simulation_studies.works import Means

COUNTING = ("tests/benchmarks/simulation_studies/judging_rows.py",)


def accuracy_tallies(found: Arrays, means: Means) -> list[Tally]:
    """One a measure. Each study has a target of its own."""
    measures = range(found["values"].shape[1])
    return [tally(found["values"][:, j], found["targets"][:, j], _ends(found["intervals"][:, j])) for j in measures]


def hj_tallies(found: Arrays, means: Means) -> list[Tally]:
    """Texts whose ratings are all equal have no interval and are not counted."""
    kept = ~np.isnan(found["intervals"][:, 0, 0])
    return [tally(found["values"][kept], found["targets"][kept], _ends(found["intervals"][kept]))]


def mean_tallies(found: Arrays, means: Means) -> list[Tally]:
    """The target is the mean of the estimate."""
    return [tally(found["values"], means[0], _ends(found["intervals"]))]


def rate_tallies(rate: float, found: Arrays, means: Means) -> list[Tally]:
    """The target is known."""
    return [tally(found["values"], rate, _ends(found["intervals"]))]


def _ends(intervals: np.ndarray) -> Intervals:
    return [(intervals[:, i, 0], intervals[:, i, 1]) for i in range(len(LEVELS))]
