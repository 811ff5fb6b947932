"""Compiled loops behind `metrics.compiled.switch`: each gives the same numbers as the numpy code that it replaces.

No fast-math and no fused operations, so that every distance rounds as numpy rounds it. They release the GIL; the
callers thread over coarse parts. This module imports numba; nothing imports it before work worth compiling for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from metrics.data.arrays import Floats, Ints

Kernel = Callable[..., Any]


def compile_loop(function: Kernel) -> Kernel:
    """Compile, keeping the result on disk; where no folder can be written, for this process only."""
    try:
        kernel: Kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        kernel = numba.njit(cache=False, nogil=True, error_model="numpy")(function)
    return kernel


# One sum counts points and references at once: a point weighs 1, a reference this much more.
REFERENCE_WEIGHT = 1 << 32


@compile_loop
def widen_cut(cut: float, slack: tuple[float, float, float]) -> float:
    """`neighbors.Slack` of one cut: factor, share of its root, constant."""
    if cut == np.inf:
        return cut  # 0 times infinity is no number
    return float(cut * slack[0] + slack[1] * np.sqrt(cut) + slack[2])


@compile_loop
def weight_within(squared: Floats, weight: Ints, limit: float) -> int:
    """Summed weight of the points within a squared distance: whole numbers, so that the loop runs in wide registers."""
    total = 0
    for j in range(len(squared)):
        total += weight[j] if squared[j] <= limit else 0
    return total


@compile_loop
def weight_of_nearest(
    squared: Floats, weight: Ints, rank: int, guess: float, slack: tuple[float, float, float]
) -> tuple[int, float]:
    """Weight of the points within the slack of the rank-th smallest (from 1), and a limit near it, not below it.

    A limit with exactly `rank` points below it, and none just beyond, needs no sorting. Counts grow about linearly with
    a squared radius, so each guess is a line through what is known; ties end in `_weight_by_steps`.
    """
    low, low_count, high, high_count = -1.0, 0, np.inf, len(squared)
    at = guess if guess > 0 else 0.05
    for step in range(24):
        within = weight_within(squared, weight, at)
        count = within & (REFERENCE_WEIGHT - 1)
        if count == rank:
            if weight_within(squared, weight, widen_cut(at, slack)) == within:
                return within, at
            break
        if count < rank:
            low, low_count = at, count
        else:
            high, high_count = at, count
        if high == np.inf:
            at = max(at * (rank + 1) / max(count, 1), 1e-300)
        elif low < 0:
            at = high * (rank + 0.5) / high_count
        elif step % 4 == 3:
            at = (low + high) / 2
        else:
            at = low + (high - low) * (rank + 0.5 - low_count) / (high_count - low_count)
        if at <= low or at >= high:
            break
    by_steps: tuple[int, float] = _weight_by_steps(squared, weight, rank, low, slack)
    return by_steps


@compile_loop
def _weight_by_steps(
    squared: Floats, weight: Ints, rank: int, low: float, slack: tuple[float, float, float]
) -> tuple[int, float]:
    """The same by going from each value to the next one above `low`, below which lie fewer than `rank`: for ties."""
    while True:
        above = np.inf
        for value in squared:
            if low < value < above:
                above = value
        within = weight_within(squared, weight, above)
        if above == np.inf or within & (REFERENCE_WEIGHT - 1) >= rank:
            return weight_within(squared, weight, widen_cut(above, slack)), above
        low = above


@compile_loop
def _twice_error(balance: Floats, sign: Floats, tie: int) -> float:
    """Error among references plus error among models, from one set's votes: `batch.twice_error`."""
    references, ref, model = 0, 0, 0  # errors in halves
    for i in range(len(balance)):
        vote = balance[i] * sign[i]
        halves = 2 if vote < 0 else (1 - tie * int(sign[i]) if vote == 0 else 0)
        if sign[i] > 0:
            references += 1
            ref += halves
        else:
            model += halves
    return (ref / 2) / references + (model / 2) / (len(balance) - references)


@compile_loop
def plane_values(
    hj: Floats,
    q: Floats,
    sign: Floats,
    vote: Floats,
    text: Ints,
    texts: int,
    k: int,
    factor: float,
    tie: int,
    out: Floats,
) -> None:
    """HUSE of each set (sets x points, scaled): neighbours lie within factor times the k-th squared distance.

    vote: (sets, 2) of a reference (above 0) and of a model text (below), whole numbers: `batch.vote_weights`.
    text: the number of each point's text, below `texts`; a text's cut in one set is the first guess in the next.
    """
    sets, size = hj.shape
    squared, weight, balance = np.empty(size), np.empty(size, dtype=np.int64), np.empty(size)
    near = np.zeros(texts)
    for a in range(sets):
        x, y, z, who = hj[a], q[a], sign[a], text[a]
        for_reference, for_model = vote[a, 0], vote[a, 1]
        for j in range(size):
            weight[j] = 1 + REFERENCE_WEIGHT if z[j] > 0 else 1
        for i in range(size):
            xi, yi = x[i], y[i]
            for j in range(size):
                dx, dy = xi - x[j], yi - y[j]
                squared[j] = dx * dx + dy * dy
            within, near[who[i]] = weight_of_nearest(squared, weight, k + 1, near[who[i]], (factor, 0.0, 0.0))
            references = within // REFERENCE_WEIGHT
            models = (within & (REFERENCE_WEIGHT - 1)) - references
            self_vote = for_reference if z[i] > 0 else for_model
            balance[i] = references * for_reference + models * for_model - self_vote
        out[a] = _twice_error(balance, z, tie)


@compile_loop
def line_values(s: Floats, sign: Floats, vote: Floats, k: int, factor: float, tie: int, out: Floats) -> None:
    """The same on a line: each row of `s` ascending; neighbours lie within factor times the k-th distance."""
    sets, size = s.shape
    before, balance = np.zeros(size + 1), np.empty(size)  # summed votes of the points before each
    for a in range(sets):
        x, z = s[a], sign[a]
        for i in range(size):
            before[i + 1] = before[i] + (vote[a, 0] if z[i] > 0 else vote[a, 1])
        first = 0
        for i in range(size):
            first = max(first, i - k)
            while first + k + 1 < size and x[first + k + 1] - x[i] < x[i] - x[first]:
                first += 1
            limit = max(x[i] - x[first], x[first + k] - x[i]) * factor
            low, high = x[i] - limit, x[i] + limit
            left, right = first, first + k
            while x[left] < low:
                left += 1
            while left > 0 and x[left - 1] >= low:
                left -= 1
            while x[right] > high:
                right -= 1
            while right + 1 < size and x[right + 1] <= high:
                right += 1
            balance[i] = before[right + 1] - before[left] - (vote[a, 0] if z[i] > 0 else vote[a, 1])
        out[a] = _twice_error(balance, z, tie)
