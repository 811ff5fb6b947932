"""Counting how often the intervals of Bradley-Terry strengths hold their target."""

from __future__ import annotations

from tests.benchmarks.simulation_studies.store import Arrays
from tests.benchmarks.simulation_studies.tallies import LEVELS, Tally, tally
from tests.benchmarks.simulation_studies.works import Means

MEASURES = ("log strength", "difference")
COUNTING = ("tests/benchmarks/simulation_studies/pairwise_rows.py",)


def strength_tallies(found: Arrays, means: Means) -> list[Tally]:
    """Log strength of the first system, and its difference from the second; the target is of the same model."""
    ends = found["intervals"]
    return [
        tally(found["values"][:, j], mean, [(ends[:, j, at, 0], ends[:, j, at, 1]) for at in range(len(LEVELS))])
        for j, mean in enumerate(means)
    ]
