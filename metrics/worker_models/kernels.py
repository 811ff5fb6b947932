"""Compiled loops over ratings: the E step of worker models, and ratings counted by item.

Of the numbers of numpy's they differ by rounding alone. See `metrics.compiled.kernels` for how they are compiled.
"""

from __future__ import annotations

import math

import numpy as np

from metrics.compiled.kernels import compile_loop
from metrics.data.arrays import Floats, Ints, Numbers

WIDE = 4  # labels side by side in one wide register; tables are filled up to a multiple


@compile_loop
def gather_logs(start: Ints, cell: Numbers, table: Floats, offset: Floats, logs: Floats) -> float:
    """logs (I, P): offset (P,) plus the rows of table (C, P) that an item's cells name, cell[start[i]:start[i + 1]],
    less the largest of the row; returns the sum of these largest. P: a multiple of WIDE."""
    width, total = len(offset), 0.0
    for i in range(len(start) - 1):
        top = -np.inf
        for b in range(0, width, WIDE):
            s0, s1, s2, s3 = offset[b], offset[b + 1], offset[b + 2], offset[b + 3]
            for n in range(start[i], start[i + 1]):
                c = np.uint64(cell[n])
                s0 += table[c, b]
                s1 += table[c, b + 1]
                s2 += table[c, b + 2]
                s3 += table[c, b + 3]
            logs[i, b], logs[i, b + 1], logs[i, b + 2], logs[i, b + 3] = s0, s1, s2, s3
            top = max(top, s0, s1, s2, s3)
        for j in range(width):
            logs[i, j] -= top
        total += top
    return total


@compile_loop
def scatter_chances(start: Ints, cell: Numbers, chances: Floats, sums: Floats) -> float:
    """Rows of chances (I, P) made to sum to 1, in place, and added to sums (C, P) at each of an item's cells; returns
    the sum of the logs of what the rows summed to."""
    width, total = chances.shape[1], 0.0
    for i in range(len(start) - 1):
        row_sum = 0.0
        for j in range(width):
            row_sum += chances[i, j]
        total += math.log(row_sum)
        for b in range(0, width, WIDE):
            for j in range(b, b + WIDE):
                chances[i, j] /= row_sum
            s0, s1, s2, s3 = chances[i, b], chances[i, b + 1], chances[i, b + 2], chances[i, b + 3]
            for n in range(start[i], start[i + 1]):
                c = np.uint64(cell[n])
                sums[c, b] += s0
                sums[c, b + 1] += s1
                sums[c, b + 2] += s2
                sums[c, b + 3] += s3
    return total


@compile_loop
def packed_counts(item: Ints, high: int, code: Numbers, weights: Ints, limit: int) -> Ints:
    """(limit,) how often each sum of weights (V,) over an item's codes (N,) occurs. item: (N,) from 0 to high. Empty
    where a sum reaches the limit."""
    packed = np.zeros(high + 1, dtype=np.int64)
    for n in range(len(item)):
        packed[np.uint64(item[n])] += weights[np.uint64(code[n])]
    seen = np.zeros(limit, dtype=np.int64)
    for i in range(len(packed)):
        if packed[i] >= limit:
            return seen[:0]
        seen[np.uint64(packed[i])] += 1
    return seen
