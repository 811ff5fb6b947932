"""Coverage of the intervals of accuracy, HJ, alpha and pass rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.benchmarks import coverage_accuracy
from tests.benchmarks.truth.coverage import LEVELS, Row, row
from tests.benchmarks.truth.judging_studies import QUIZZES
from tests.benchmarks.truth.store import Job


def joined(jobs: Sequence[Job]) -> dict[str, np.ndarray]:
    """The arrays of all chunks, end to end."""
    chunks = [job.arrays() for job in jobs]
    return {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}


def accuracy_rows(name: str, jobs: Sequence[Job]) -> list[Row]:
    """One row a measure. Each study has a target of its own, so distances to it are looked at."""
    found = joined(jobs)
    return [
        _apart(name, measure, found["values"][:, j], found["targets"][:, j], found["intervals"][:, j])
        for j, measure in enumerate(coverage_accuracy.MEASURES)
    ]


def hj_rows(name: str, jobs: Sequence[Job]) -> list[Row]:
    """Texts whose ratings are all equal have no interval and are not counted."""
    found = joined(jobs)
    kept = ~np.isnan(found["intervals"][:, 0, 0])
    return [_apart(name, "HJ", found["values"][kept], found["targets"][kept], found["intervals"][kept])]


def alpha_rows(name: str, jobs: Sequence[Job]) -> list[Row]:
    """The target is the mean of alpha over all studies."""
    own, rest = joined(jobs[:-1]), jobs[-1].arrays()["values"]
    truth = float(np.concatenate((own["values"], rest)).mean())
    return [row(name, "alpha", own["values"], truth, _ends(own["intervals"]))]


def quiz_rows(name: str, jobs: Sequence[Job]) -> list[Row]:
    """The target is the chance of a test to be passed."""
    own = joined(jobs)
    return [row(name, "pass rate", own["values"], QUIZZES[name].rate, _ends(own["intervals"]))]


def _ends(intervals: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(intervals[:, i, 0], intervals[:, i, 1]) for i in range(len(LEVELS))]


def _apart(name: str, measure: str, values: np.ndarray, targets: np.ndarray, intervals: np.ndarray) -> Row:
    centre = float(targets.mean())
    ends = [(low - targets + centre, high - targets + centre) for low, high in _ends(intervals)]
    return row(name, measure, values - targets + centre, centre, ends)
