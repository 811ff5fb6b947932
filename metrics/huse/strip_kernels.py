"""Compiled search for the nearest neighbours of many points: strips along one axis, each sorted by the other.

A point's k + 1 nearest in its own strip bound its cut; only points within that bound, in its strip and in those near
enough, are looked at. Points that coincide are one point with a weight.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.kernels import REFERENCE_WEIGHT, compile_loop, weight_of_nearest, widen_cut
from metrics.data.arrays import Floats, Ints


@compile_loop
def number_strips(values: Floats, edges: Floats, strip: Ints, start: Ints) -> None:
    """Number the strip of each value, the edges (ascending) up to it; start[s] .. start[s + 1]: places of strip s."""
    half = 1
    while 2 * half <= len(edges):
        half *= 2
    padded = np.full(2 * half, np.inf)  # so that no step of the search depends on a branch
    padded[: len(edges)] = edges
    for i in range(len(values)):
        at, step = 0, half
        while step:
            at += step if padded[at + step - 1] <= values[i] else 0
            step //= 2
        strip[i] = at
    for s in strip:
        start[s + 1] += 1
    for s in range(len(start) - 1):
        start[s + 1] += start[s]


@compile_loop
def arrange_points(strip: Ints, start: Ints, place: Ints) -> None:
    """Points by strip: place[p] is the point at position p."""
    free = start[:-1].copy()
    for i in range(len(strip)):
        s = strip[i]
        place[free[s]] = i
        free[s] += 1


@compile_loop
def search_strips(
    x: Floats,
    y: Floats,
    weight: Ints,
    start: Ints,
    low: Floats,
    high: Floats,
    first: int,
    last: int,
    k: int,
    slack: tuple[float, float, float],
    result: Ints,
) -> None:
    """Weight of the neighbours (itself included) of each point in the strips first..last-1; k + 1 points at least.

    low, high: smallest and largest x of each strip, none of which is empty.
    """
    strips = len(start) - 1
    squared, weights = np.empty(len(x)), np.empty(len(x), dtype=np.int64)
    at = np.empty(strips, dtype=np.int64)
    inside, near = 0, 0.0
    for s in range(first, last):
        at[:] = start[:-1]
        window = _wide_strip(start, s, k)
        for p in range(start[s], start[s + 1]):
            bound = np.inf
            if window >= 0:
                at[window] = _forward(y, at[window], start[window + 1], y[p])
                bound = _bound(x, y, x[p], y[p], at[window], start[window], start[window + 1], k)
            limit = widen_cut(bound, slack) if bound < np.inf else bound
            n = _collect(x, y, weight, x[p], y[p], 0.0, p, start[s], start[s + 1], limit, squared, weights, 0)
            if window == s:
                inside, near = weight_of_nearest(squared[:n], weights[:n], k + 1, near, slack)
                limit = widen_cut(near, slack)
            start_line = n
            for step in (-1, 1):
                t = s + step
                while 0 <= t < strips:
                    gap = x[p] - high[t] if step < 0 else low[t] - x[p]
                    if gap * gap > limit:
                        break
                    at[t] = _forward(y, at[t], start[t + 1], y[p])
                    n = _collect(
                        x, y, weight, x[p], y[p], gap * gap, at[t], start[t], start[t + 1], limit, squared, weights, n
                    )
                    t += step
            if n > start_line or window != s:
                inside, near = weight_of_nearest(squared[:n], weights[:n], k + 1, near, slack)
            result[p] = inside


@compile_loop
def _wide_strip(start: Ints, s: int, k: int) -> int:
    """The nearest strip of more than k points, or -1."""
    strips = len(start) - 1
    for away in range(strips):
        for t in (s - away, s + away):
            if 0 <= t < strips and start[t + 1] - start[t] > k:
                return t
    return -1


@compile_loop
def _forward(y: Floats, at: int, end: int, value: float) -> int:
    """The first position from `at` on whose y is not below the value."""
    while at < end and y[at] < value:
        at += 1
    return at


@compile_loop
def _bound(x: Floats, y: Floats, xp: float, yp: float, at: int, start: int, end: int, k: int) -> float:
    """The largest squared distance to k + 1 points around position `at`."""
    begin = min(max(at - k // 2, start), end - k - 1)
    top = 0.0
    for j in range(begin, begin + k + 1):
        dx, dy = xp - x[j], yp - y[j]
        top = max(top, dx * dx + dy * dy)
    return top


@compile_loop
def _collect(
    x: Floats,
    y: Floats,
    weight: Ints,
    xp: float,
    yp: float,
    gap: float,
    at: int,
    start: int,
    end: int,
    limit: float,
    squared: Floats,
    weights: Ints,
    n: int,
) -> int:
    """Append the points of one strip within the limit, walking up and down from position `at`; how many there are now.

    least: smallest squared distance along x to any point of the strip.
    """
    for step in (1, -1):
        j = at if step > 0 else at - 1
        while start <= j < end:
            dy = yp - y[j]
            if dy * dy + gap > limit:
                break
            dx = xp - x[j]
            squared[n] = dx * dx + dy * dy
            weights[n] = weight[j]
            n += 1
            j += step
    return n


@compile_loop
def line_weights(value: Floats, weight: Ints, k: int, factor: float, weights: Ints) -> None:
    """Weight of the neighbours (itself included) of each distinct value on a line, ascending."""
    g = len(value)
    for i in range(g):
        low, high, total, limit = i, i, weight[i], 0.0
        while total & (REFERENCE_WEIGHT - 1) <= k:
            down = value[i] - value[low - 1] if low > 0 else np.inf
            up = value[high + 1] - value[i] if high + 1 < g else np.inf
            if down <= up:
                low, limit = low - 1, down
                total += weight[low]
            else:
                high, limit = high + 1, up
                total += weight[high]
        limit *= factor
        while low > 0 and value[low - 1] >= value[i] - limit:
            low -= 1
            total += weight[low]
        while high + 1 < g and value[high + 1] <= value[i] + limit:
            high += 1
            total += weight[high]
        weights[i] = total
