"""Samples of numbers (one an evaluator), checked: size, mean and sd."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput, InsufficientData

# Values whose spread is below this share of their size differ by rounding only.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """n >= 2 finite numbers: mean and sample sd; sd is 0 where they are equal but for rounding."""

    n: int
    mean: float
    sd: float

    @property
    def mean_variance(self) -> float:
        """Variance of the mean."""
        return self.sd**2 / self.n


def check_sample(values: Iterable[float], name: str) -> Sample:
    """Size, mean and sd. Raises InsufficientData below two values, BadInput for one that is not a finite number."""
    listed = list(values)
    if len(listed) < 2:
        raise InsufficientData(f"{name} needs at least 2 values, and has {len(listed)}.")
    try:
        array = np.array([float(value) for value in listed])
    except (TypeError, ValueError, OverflowError):
        raise BadInput("every value must be a number", column=name) from None
    largest = float(np.abs(array).max())
    if not math.isfinite(largest):
        raise BadInput("every value must be finite", column=name)
    if largest > 1e100:
        raise BadInput("every value must lie between -1e100 and 1e100", column=name)
    if float(np.ptp(array)) <= ROUNDING * largest:
        return Sample(len(array), float(array[0]), 0.0)
    return Sample(len(array), float(array.mean()), float(array.std(ddof=1)))
