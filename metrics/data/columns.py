"""One column of finite numbers, checked at the door."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats
from metrics.errors import BadInput


def check_column(values: ArrayLike, name: str) -> Floats:
    """(n,) float64, n >= 0. Raises BadInput naming the column, and the row of a number that is not finite."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("the column holds a value that is not a number", column=name) from None
    if numbers.ndim != 1:
        raise BadInput("the values form one column", column=name)
    if (bad := ~(np.abs(numbers) <= 1e100)).any():
        rule = "a value is a finite number between -1e100 and 1e100"
        raise BadInput(rule, row=int(np.argmax(bad)) + 1, column=name)
    return numbers


def from_zero(values: ArrayLike, name: str) -> Floats:
    """The same with every number at least 0."""
    numbers = check_column(values, name)
    if (numbers < 0).any():
        raise BadInput("a value is at least 0", row=int(np.argmax(numbers < 0)) + 1, column=name)
    return numbers
