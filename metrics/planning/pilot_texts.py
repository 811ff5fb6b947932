"""The texts behind a pilot's texts: what a pilot of few texts says of others without the separation due to chance.

Two samples differ although nothing else does: squared distances between their means, and between their covariances,
come out too large by what sampling adds. A study simulated from them as they are tells the sources apart too well, and
its HUSE is too low: with 30 texts of each source and no difference by .11. Both distances are therefore drawn in to
unbiased ones. Smoothing the pilot's texts one by one adds clumps of like texts that no new study has (.03 more).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints

FEATURES = 2
SMALLEST = 1e-9
SMALLEST_SIGNAL = 0.1


@dataclass(frozen=True, slots=True)
class Separation:
    """Two sources in impression and log p. means: (2, 2), a row each; covariances: (2, 2, 2); between: (2, 2)."""

    means: Floats
    covariances: Floats
    between: Floats

    def joint(self) -> tuple[Floats, Floats]:
        """Means (4,) and covariance (4, 4) of both texts of a context: references first."""
        first, second = self.covariances
        covariance = np.block([[first, self.between], [self.between.T, second]])
        return self.means.ravel(), nearest_covariance(covariance)


def paired_rows(z: Bools, context: Ints) -> tuple[Ints, Ints]:
    """A reference and a model text of each context, row numbers in the order of the contexts."""
    sides = [np.flatnonzero(side)[np.argsort(context[side], kind="stable")] for side in (z, ~z)]
    return sides[0], sides[1]


def unbiased_separation(
    features: Floats, observed: Floats, signal: Sequence[float], z: Bools, context: Ints | None
) -> Separation:
    """Means and covariances of both sources, drawn together by what chance separates.

    features: (n, 2) impression drawn in until the raters' noise is gone from its variance, and finite log p; observed:
    the same with that noise, whose spread is that of the means; signal: part of the variance of HJ that is not noise,
    by source; z: (n,) True for reference; context: (n,) numbers, or None where texts are not paired.
    """
    rows = paired_rows(z, context) if context is not None else (np.flatnonzero(z), np.flatnonzero(~z))
    sides, noisy = [features[side] for side in rows], [observed[side] for side in rows]
    means, covariances = np.array([side.mean(axis=0) for side in sides]), np.array([np.cov(side.T) for side in sides])
    shrunk = np.sqrt(np.maximum(signal, SMALLEST_SIGNAL))
    for covariance, factor in zip(covariances, shrunk, strict=True):  # noise is in no covariance
        covariance[0, 1] = covariance[1, 0] = covariance[0, 1] / factor
    between = np.zeros((FEATURES, FEATURES))
    sizes = [len(side) for side in sides]
    chance = sum(np.cov(side.T) / len(side) for side in noisy)
    if context is not None:
        between = np.cov(np.hstack(sides).T)[:FEATURES, FEATURES:]
        between = between / np.outer((shrunk[0], 1.0), (shrunk[1], 1.0))
        chance = np.cov((noisy[0] - noisy[1]).T) / sizes[0]
    pooled = covariances.mean(axis=0) + SMALLEST * np.eye(FEATURES)
    means = _draw_in(means, pooled, np.asarray(chance), sum(sizes) - 2)
    return Separation(means, _draw_in_covariances(covariances, pooled, sizes), between)


def _draw_in(means: Floats, pooled: Floats, chance: Floats, freedom: int) -> Floats:
    """The means with the squared distance that is expected of others. chance: covariance of their difference."""
    gap = means[0] - means[1]
    distance = float(gap @ np.linalg.solve(pooled, gap))
    if distance <= 0:
        return means
    unbiased = distance * (freedom - FEATURES - 1) / freedom - float(np.trace(np.linalg.solve(pooled, chance)))
    return np.asarray(means.mean(axis=0) + np.sqrt(max(0.0, unbiased) / distance) * (means - means.mean(axis=0)))


def _draw_in_covariances(covariances: Floats, pooled: Floats, sizes: list[int]) -> Floats:
    """The covariances with the squared difference that is expected of others, around what they have in common."""
    root = np.linalg.inv(np.linalg.cholesky(pooled))
    gap = root @ (covariances[0] - covariances[1]) @ root.T
    squared = float((gap**2).sum())
    if squared <= 0:
        return covariances
    chance = FEATURES * (FEATURES + 1) * sum(1 / (size - 1) for size in sizes)
    return np.asarray(pooled + np.sqrt(max(0.0, squared - chance) / squared) * (covariances - pooled))


def nearest_covariance(matrix: Floats) -> Floats:
    """The matrix without negative eigenvalues, which drawing in can leave."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
