"""Headline measures of answers as plain numbers, computed again for each selection of submissions that is kept.

They are the values that a report leads with, without intervals: of studies as they were and of simulated studies alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from annotation.quality.work_table import Bools, Floats, Ints
from metrics.data.answer_types import AnswerType

MAX_LABELS = 12  # of a question, as a report prints them


@dataclass(frozen=True, slots=True)
class KeyMeasure:
    """A mean over N answers, or the difference of two such means.

    key: what it is, alike in a study and in studies that simulate it. name: in words. assignment: (N,) row of each
    answer's submission. value: (N,). unit: (N,) row of what counts alike: a text, an evaluator, or all answers as one.
    second: (N,) whether the answer belongs to the mean that is subtracted; None where nothing is. middle: at which
    value neither side is ahead; None where no side can be. answers: (N,) how many answers a value is the sum of; None:
    one.
    """

    key: str
    name: str
    assignment: Ints
    value: Floats
    unit: Ints
    second: Bools | None = None
    percent: bool = True
    middle: float | None = None
    answers: Ints | None = None
    measure_names: ClassVar[tuple[str, ...]] = ("",)  # it has one, of its own name

    def compute(self, included: Bools) -> float:
        """The value from the work of the submissions included; NaN where a side keeps no answer."""
        keep = included[self.assignment]
        if self.second is None:
            return self._mean_of_means(keep)
        return self._mean_of_means(keep & ~self.second) - self._mean_of_means(keep & self.second)

    def measures_without(self, out: Bools) -> tuple[float | None, ...]:
        """The value without the work of the submissions of a selection; None where a side keeps no answer."""
        value = self.compute(~out)
        return (None if np.isnan(value) else value,)

    def _mean_of_means(self, keep: Bools) -> float:
        unit = self.unit[keep]
        if not len(unit):
            return float("nan")
        sums = np.bincount(unit, weights=self.value[keep])
        counts = np.bincount(unit, weights=None if self.answers is None else self.answers[keep])
        met = counts > 0
        return float((sums[met] / counts[met]).mean())


def key_of(criterion: str, answer: AnswerType, label: str = "") -> str:
    """What a measure is: the criterion, how it is answered, and of labels which."""
    return "|".join(part for part in (criterion, answer.value, label) if part)


def mean_of_answers(
    key: str, name: str, assignment: Ints, value: Floats, *, percent: bool = True, middle: float | None = None
) -> KeyMeasure:
    """A mean in which every answer counts alike: a submission's answers are one row, with their sum."""
    rows, at = np.unique(assignment, return_inverse=True)
    sums, answers = np.asarray(np.bincount(at, weights=value), dtype=np.float64), np.bincount(at)
    return KeyMeasure(key, name, rows, sums, np.zeros_like(rows), percent=percent, middle=middle, answers=answers)


def random_band(headline: KeyMeasure, submissions: int, removed: int, *, draws: int, seed: int) -> tuple[float, float]:
    """The middle 90% of values after as many submissions are removed at random; NaN where a side keeps no answer."""
    rng = np.random.default_rng([seed, removed])
    values = []
    for _ in range(draws):
        included = np.ones(submissions, dtype=np.bool_)
        included[rng.choice(submissions, removed, replace=False)] = False
        values.append(headline.compute(included))
    return middle_90(values)


def middle_90(values: Sequence[float] | Floats) -> tuple[float, float]:
    """5th and 95th percentile of the values that are known; NaN without any."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.05, 0.95]).tolist()
    return low, high
