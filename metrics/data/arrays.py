"""Names of array types, and fractions as whole numbers in one unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

EPSILON = float(np.finfo(np.float64).eps)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Numbers = NDArray[Any]  # int64, float64, or Python integers (object)


def common_numerators(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators over the least common denominator, and that denominator."""
    return _over_common([value.as_integer_ratio() for value in values])


def quotient_numerators(values: Floats, divisors: Ints) -> Numbers:
    """value / divisor as whole numbers in one unit; a float counts as its shortest decimal."""
    unit = math.lcm(*set(divisors.tolist()))
    millionths = np.rint(values * 1e6)
    largest = float(np.abs(millionths).max())
    if largest < 1e15 and largest * unit < 2**61 and np.array_equal(millionths / 1e6, values):
        # At most 15 digits, read back unchanged: these are the shortest decimals.
        return np.asarray(millionths.astype(np.int64) * (unit // divisors))
    ratios = [Decimal(repr(value)).as_integer_ratio() for value in values.tolist()]
    return integer_array(_over_common([(a, b * n) for (a, b), n in zip(ratios, divisors.tolist(), strict=True)])[0])


def _over_common(pairs: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    denominator = math.lcm(*{below for _, below in pairs})
    return [above * (denominator // below) for above, below in pairs], denominator


def integer_array(numerators: Sequence[int]) -> Numbers:
    """int64 where every difference fits, else an array of Python integers: slower, as exact."""
    low, high = min(numerators), max(numerators)
    small = low > -(2**61) and high < 2**61
    return np.array(numerators, dtype=np.int64 if small else object)
