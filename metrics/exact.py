"""Exact ties in the plane: floats decide where they can, whole numbers where they cannot.

The squared distance of two points is (da)^2 / var(a) + (db)^2 / var(b). Over common denominators every term is a whole
number once multiplied by both variances, so a tie is a tie of integers. Only candidates so close to the cut that
rounding could mislead are compared that way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from metrics.neighbors import Block, Floats, Ints, Numbers

EPSILON = float(np.finfo(np.float64).eps)


def common_numerators(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators over the least common denominator, and that denominator."""
    return _over_common([(value.numerator, value.denominator) for value in values])


def quotient_numerators(values: Floats, divisors: Ints) -> list[int]:
    """value / divisor as whole numbers in one unit; a float counts as its shortest decimal."""
    millionths = np.rint(values * 1e6)
    if np.abs(millionths).max() < 1e15 and np.array_equal(millionths / 1e6, values):
        # At most 15 digits, read back unchanged: these are the shortest decimals.
        pairs = list(zip(millionths.astype(np.int64).tolist(), divisors.tolist(), strict=True))
    else:
        ratios = [Decimal(repr(value)).as_integer_ratio() for value in values.tolist()]
        pairs = [(a, b * n) for (a, b), n in zip(ratios, divisors.tolist(), strict=True)]
    return _over_common(pairs)[0]


def _over_common(pairs: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    denominator = math.lcm(*{below for _, below in pairs})
    return [above * (denominator // below) for above, below in pairs], denominator


def integer_array(numerators: Sequence[int]) -> Numbers:
    """int64 where every difference fits, else an array of Python integers: slower, as exact."""
    small = max(numerators) - min(numerators) < 2**62 and max(map(abs, numerators)) < 2**62
    return np.array(numerators, dtype=np.int64 if small else object)


def spread(numerators: Sequence[int]) -> tuple[int, int]:
    """n^2 * population variance of whole numbers, and n^2: both exact."""
    n = len(numerators)
    return n * sum(a * a for a in numerators) - sum(numerators) ** 2, n * n


@dataclass(frozen=True)
class Rounding:
    """How far a squared distance between floats may lie from the true one.

    blur bounds the error of one coordinate's difference, in scaled units.
    """

    blur: float

    @classmethod
    def of(cls, features: Sequence[Floats], scales: Sequence[float]) -> Rounding:
        """Four roundings of the largest value of each coordinate, before centring."""
        return cls(sum(4 * EPSILON * float(np.abs(f).max()) / s for f, s in zip(features, scales, strict=True)))

    def limit(self, cut: Floats) -> Floats:
        """The cut, and beyond it all that might still be tied with it."""
        return np.asarray(cut + self.width(cut))

    def width(self, cut: Floats) -> Floats:
        """Half the doubtful band around a cut."""
        b = self.blur
        return np.asarray((1e-12 + 32 * b) * cut + 8 * b * np.sqrt(cut) + 16 * b * b)


class ExactPlane:
    """Points as whole numbers (one list a coordinate) with the weights that make squared distances comparable."""

    def __init__(self, columns: Sequence[Sequence[int]], spreads: Sequence[tuple[int, int]], rounding: Rounding):
        self.columns = [np.array(column, dtype=object) for column in columns]
        product = math.prod(variance for variance, _ in spreads)
        self.weights = [product // variance * square for variance, square in spreads]
        self.rounding = rounding

    def settle(self, k: int, block: Block, doubtful: Ints) -> NDArray[np.bool_]:
        """Which candidates of the doubtful rows of `block` are neighbours (themselves included), exactly."""
        width = self.rounding.width(block.cut)
        mask = np.zeros((len(doubtful), block.squared.shape[1]), dtype=np.bool_)
        for line, row in enumerate(doubtful):
            squared, cut = block.squared[row], block.cut[row]
            sure = squared < cut - width[row]
            band = np.flatnonzero(~sure & (squared <= cut + width[row]))
            columns = band if block.columns is None else block.columns[row, band]
            true = self._squared(int(block.rows[row]), columns)
            wanted = sorted(true)[k - int(sure.sum())]
            mask[line] = sure
            mask[line, band[true <= wanted]] = True
        return mask

    def _squared(self, row: int, columns: Ints) -> Numbers:
        total = np.zeros(len(columns), dtype=object)
        for values, weight in zip(self.columns, self.weights, strict=True):
            gap = values[columns] - values[row]
            total = total + gap * gap * weight
        return total
