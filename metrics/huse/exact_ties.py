"""Exact ties in the plane: floats decide where they can, whole numbers where they cannot.

The squared distance of two points is (da)^2 / var(a) + (db)^2 / var(b). Over common denominators every term is a whole
number once multiplied by both variances, so a tie is a tie of integers. Only candidates so close to the cut that
rounding could mislead are compared that way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import EPSILON, Bools, Floats, Ints, Numbers
from metrics.huse.neighbors import Block, Slack


def exact_spread(numerators: Sequence[int]) -> tuple[int, int]:
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

    @property
    def slack(self) -> Slack:
        """Beyond the cut, all that might still be tied with it."""
        b = self.blur
        return Slack(1 + (1e-12 + 32 * b), 8 * b, 16 * b * b)

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

    def settle(self, k: int, block: Block, doubtful: Ints) -> Bools:
        """Which candidates of the doubtful rows of `block` are neighbours (themselves included), exactly."""
        width = self.rounding.width(block.cut)
        mask = np.zeros((len(doubtful), block.squared.shape[1]), dtype=np.bool_)
        for line, row in enumerate(doubtful):
            squared, cut = block.squared[row], block.cut[row]
            sure = squared < cut - width[row]
            band = np.flatnonzero(~sure & (squared <= cut + width[row]))
            columns = band if block.columns is None else block.columns[row, band]
            true = self._squared(int(block.rows[row]), columns)
            kth = sorted(true)[k - int(sure.sum())]
            mask[line] = sure
            mask[line, band[true <= kth]] = True
        return mask

    def _squared(self, row: int, columns: Ints) -> Numbers:
        total = np.zeros(len(columns), dtype=object)
        for values, weight in zip(self.columns, self.weights, strict=True):
            gap = values[columns] - values[row]
            total = total + gap * gap * weight
        return total
