"""Restricted likelihood of y = X b + random effects of items and raters + residual, by block elimination.

With relative covariance factors L the random part is Z L u, u ~ N(0, s^2). Items (or whichever side has more levels)
are a diagonal block of L'Z'ZL + I and are eliminated first; what remains is a dense Schur complement on the other
side, with one column a rater for the intercept and one more where a slope varies by rater. Bates, Maechler, Bolker
and Walker (2015), sections 3.4 and 5.4; memory and time never depend on N x levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics.data.arrays import Floats, Ints

WIDEST = 4000  # columns of the dense block: 128 MB, and as much again while it is factored


@dataclass(frozen=True, slots=True)
class Design:
    """Cross-products of one data set: everything the likelihood needs, independent of N.

    counts: (d,) ratings of each level of the diagonal side. cross: (d, w) sparse, Z_d'Z_w. block: (w, w) dense,
    Z_w'Z_w. grams: for each distinct count c, c and Z_w'Z_d Z_d'Z_w over the levels with that count, as places in the
    flattened block and values. diagonal_xy: (d, p + 1) and dense_xy: (w, p + 1), Z'[X y]. xy: (p + 1, p + 1),
    [X y]'[X y]. slopes: columns of a level in the dense block (1: intercept; 2: slope besides).
    """

    n: int
    p: int
    slopes: int
    counts: Floats
    cross: Any
    block: Floats
    grams: tuple[tuple[float, Ints, Floats], ...]
    diagonal_xy: Floats
    dense_xy: Floats
    xy: Floats

    @property
    def levels(self) -> int:
        """Levels of the dense side."""
        return len(self.dense_xy) // self.slopes


@dataclass(frozen=True, slots=True)
class Solution:
    """At one set of relative factors: the criterion -2 log L (REML), estimates (p,), residual variance, and C with
    sampling covariance s^2 C (p, p)."""

    criterion: float
    effects: Floats
    residual: float
    covariance: Floats


def build_design(y: Floats, x: Floats, diagonal: Ints, dense: Ints, slope: Floats | None = None) -> Design:
    """Cross-products. y: (N,), x: (N, p); diagonal, dense: (N,) codes 0..; slope: (N,) what varies by dense level."""
    from scipy.sparse import csr_array

    n, xy = len(y), np.column_stack((x, y))
    rows = np.arange(n)
    z_diagonal = csr_array((np.ones(n), (rows, diagonal)))
    columns = np.ones((n, 1)) if slope is None else np.column_stack((np.ones(n), slope))
    k = columns.shape[1]
    at = dense[:, None] * k + np.arange(k)
    z_dense = csr_array((columns.ravel(), (np.repeat(rows, k), at.ravel())))
    counts = np.bincount(diagonal).astype(np.float64)
    cross, block = (z_diagonal.T @ z_dense).tocsr(), (z_dense.T @ z_dense).toarray()
    grams = tuple(_gram(cross, counts, count) for count in np.unique(counts))
    return Design(n, x.shape[1], k, counts, cross, block, grams, z_diagonal.T @ xy, z_dense.T @ xy, xy.T @ xy)


def _gram(cross: Any, counts: Floats, count: float) -> tuple[float, Ints, Floats]:
    part = cross[np.flatnonzero(counts == count)]
    gram = (part.T @ part).tocoo()
    row, column = gram.coords
    return float(count), row.astype(np.int64) * cross.shape[1] + column, gram.data


def solve_blocks(products: Design, theta: Floats) -> Solution | None:
    """Profile everything but theta out; None where the fixed effects are not identified.

    theta: (1 + slopes (slopes + 1) / 2,) relative standard deviation of the diagonal side, then the lower triangle,
    by rows, of the dense side's relative factor.
    """
    from scipy.linalg import cho_factor, solve_triangular

    side = theta[0]
    pivot = 1 + side**2 * products.counts
    schur = products.block.copy()
    flat = schur.reshape(-1)
    for count, place, value in products.grams:
        flat[place] -= side**2 / (1 + side**2 * count) * value
    triangle = np.zeros((products.slopes, products.slopes))
    triangle[np.tril_indices(products.slopes)] = theta[1:]
    schur = _scale(triangle, _scale(triangle, schur).T)
    schur[np.diag_indices_from(schur)] += 1
    lower = cho_factor(schur, lower=True, overwrite_a=True, check_finite=False)[0]
    weighted = products.diagonal_xy * (side**2 / pivot)[:, None]
    right = _scale(triangle, products.dense_xy - products.cross.T @ weighted)
    half = solve_triangular(lower, right, lower=True, check_finite=False)
    left = products.xy - products.diagonal_xy.T @ weighted - half.T @ half
    logdet = float(np.log(pivot).sum() + 2 * np.log(np.diag(lower)).sum())
    return _profile(left, logdet, products)


def _scale(triangle: Floats, block: Floats) -> Floats:
    """The transposed relative factor, the same small triangle for each level, times a block (w, columns)."""
    if len(triangle) == 1:
        return np.asarray(block * triangle[0, 0])
    levels = block.reshape(-1, len(triangle), block.shape[1])
    return np.asarray(np.einsum("ab,lac->lbc", triangle, levels).reshape(block.shape))


def _profile(left: Floats, logdet: float, products: Design) -> Solution | None:
    p, df = products.p, products.n - products.p
    xx, xy = left[:p, :p], left[:p, p]
    sign, logdet_x = np.linalg.slogdet(xx)
    if sign <= 0 or np.linalg.cond(xx) > 1e13:
        return None
    covariance = np.asarray(np.linalg.inv(xx), dtype=np.float64)
    effects = np.asarray(covariance @ xy)
    squares = max(float(left[p, p] - xy @ effects), 1e-14 * float(products.xy[p, p]) + 1e-300)
    criterion = logdet + logdet_x + df * (1 + math.log(2 * math.pi * squares / df))
    return Solution(float(criterion), effects, squares / df, covariance)
