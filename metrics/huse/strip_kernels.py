"""Compiled search for the nearest neighbours of many points: strips along one axis, each sorted by the other.

Points that follow each other in a strip share their candidates: those within a radius that the k + 1 nearest in the
strip bound and the cuts before foretell. Each then has its distances in one run, which wide registers serve. Points
that coincide are one point with a weight. Without a bound the radius is infinite: every point is a candidate.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.kernels import REFERENCE_WEIGHT, compile_loop, weight_of_nearest, widen_cut
from metrics.data.arrays import Floats, Ints

BLOCK = 8  # points that share their candidates at most, in a box so tall and broad, in radii
TALL, BROAD = 1.5, 2.0
STEPS, MANY = 24, 8  # halvings of a radius, while there are so many times k points within it
WIDER = 1.25  # than the farthest cut of the points before
SMALLEST = 1e-150  # its square is a number still


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

    low, high: smallest and largest x of each strip, none of which is empty. Points that follow each other in a strip
    share their candidates, all within a radius of any of them; one whose limit lies beyond it looks for its own.
    """
    room = (np.empty(len(x)), np.empty(len(x)), np.empty(len(x)), np.empty(len(x), dtype=np.int64))
    spans = np.empty((2, len(start) - 1), dtype=np.int64)
    inside, near = 0, 0.0
    for s in range(first, last):
        spans[0], spans[1] = start[:-1], start[:-1]
        window, farthest = _wide_strip(start, s, k), np.inf
        at, begin = start[max(window, 0)], start[s]
        while begin < start[s + 1]:
            bound = np.inf
            if window >= 0:
                at = begin if window == s else _forward(y, at, start[window + 1], y[begin])
                bound = _bound(x, y, x[begin], y[begin], at, start[window], start[window + 1], k)
            radius = min(_radius(widen_cut(bound, slack)), WIDER * farthest)
            if radius < WIDER * farthest:  # of this strip alone, which is far in the tails
                single = (x[begin], x[begin], y[begin], y[begin])
                radius = _narrow(y, start, low, high, s, single, radius, k, spans)
            end, left, right = _block(x, y, begin, start[s + 1], radius)
            box = (left, right, y[begin], y[end - 1])
            reach = np.sqrt(bound) + (right - left) + (box[3] - box[2])
            n, total = _gather(x, y, weight, start, low, high, s, box, radius, spans, room)
            farthest, again = 0.0, False
            for p in range(begin, end):
                if again:
                    n, total = _gather(x, y, weight, start, low, high, s, box, radius, spans, room)
                    again = False
                limit = np.inf
                if total > k:
                    inside, near = _weight_near(x[p], y[p], room, n, k + 1, near, slack)
                    limit = widen_cut(near, slack)
                if not limit < radius * radius:
                    single, again = (x[p], x[p], y[p], y[p]), True
                    wide = _radius(widen_cut(reach * reach, slack) if limit == np.inf else limit)
                    n, total = _gather(x, y, weight, start, low, high, s, single, wide, spans, room)
                    inside, near = _weight_near(x[p], y[p], room, n, k + 1, near, slack)
                result[p] = inside
                farthest = max(farthest, np.sqrt(near))
            begin = end


@compile_loop
def _block(x: Floats, y: Floats, begin: int, stop: int, radius: float) -> tuple[int, float, float]:
    """How far points from `begin` on lie near enough to each other to share candidates; their lowest and highest x."""
    end, left, right = begin + 1, x[begin], x[begin]
    while end < stop and end - begin < BLOCK and y[end] - y[begin] <= TALL * radius:
        lower, upper = min(left, x[end]), max(right, x[end])
        if upper - lower > BROAD * radius:
            break
        left, right, end = lower, upper, end + 1
    return end, left, right


@compile_loop
def _radius(limit: float) -> float:
    """Beyond this in one coordinate a squared distance is certainly beyond the limit."""
    return float(np.sqrt(limit) * (1 + 1e-9) + SMALLEST)


@compile_loop
def _weight_near(
    xp: float,
    yp: float,
    room: tuple[Floats, Floats, Floats, Ints],
    n: int,
    rank: int,
    guess: float,
    slack: tuple[float, float, float],
) -> tuple[int, float]:
    """`weight_of_nearest` of a point among the first n candidates."""
    xs, ys, squared, weights = room
    for j in range(n):
        dx, dy = xp - xs[j], yp - ys[j]
        squared[j] = dx * dx + dy * dy
    nearest: tuple[int, float] = weight_of_nearest(squared[:n], weights[:n], rank, guess, slack)
    return nearest


@compile_loop
def _gather(
    x: Floats,
    y: Floats,
    weight: Ints,
    start: Ints,
    low: Floats,
    high: Floats,
    s: int,
    box: tuple[float, float, float, float],
    radius: float,
    spans: Ints,
    room: tuple[Floats, Floats, Floats, Ints],
) -> tuple[int, int]:
    """Copy all points within the radius of a box in strip s, and some more; how many, and how many with their weights.

    box: lowest and highest x, lowest and highest y. spans: (2, strips) where the last candidates of each strip began
    and ended; they are moved from there. A point is left out only if one of its differences is above the radius.
    """
    strips, n, total = len(start) - 1, 0, 0
    for step in (0, -1, 1):
        t = s + step
        while 0 <= t < strips:
            gap = box[0] - high[t] if step < 0 else low[t] - box[1]
            if step and gap > radius:
                break
            _move_span(y, start[t], start[t + 1], box[2], box[3], radius, spans, t)
            for j in range(spans[0, t], spans[1, t]):
                room[0][n], room[1][n], room[3][n] = x[j], y[j], weight[j]
                total += weight[j] & (REFERENCE_WEIGHT - 1)
                n += 1
            if not step:
                break
            t += step
    return n, total


@compile_loop
def _narrow(
    y: Floats,
    start: Ints,
    low: Floats,
    high: Floats,
    s: int,
    box: tuple[float, float, float, float],
    radius: float,
    k: int,
    spans: Ints,
) -> float:
    """A smaller radius around the box, where there are many points within this one."""
    for _ in range(STEPS):
        count = _count(y, start, low, high, s, box, radius / 2, spans)
        if count <= MANY * k:
            return radius if count <= 2 * k else radius / 2
        radius /= 2
    return radius


@compile_loop
def _count(
    y: Floats,
    start: Ints,
    low: Floats,
    high: Floats,
    s: int,
    box: tuple[float, float, float, float],
    radius: float,
    spans: Ints,
) -> int:
    """How many points `_gather` would copy."""
    strips, count = len(start) - 1, 0
    for step in (0, -1, 1):
        t = s + step
        while 0 <= t < strips:
            gap = box[0] - high[t] if step < 0 else low[t] - box[1]
            if step and gap > radius:
                break
            _move_span(y, start[t], start[t + 1], box[2], box[3], radius, spans, t)
            count += spans[1, t] - spans[0, t]
            if not step:
                break
            t += step
    return count


@compile_loop
def _move_span(
    y: Floats, start: int, end: int, lowest: float, highest: float, radius: float, spans: Ints, t: int
) -> None:
    """Positions start..end of one strip, ascending in y: those from lowest - radius to highest + radius."""
    a, b = spans[0, t], spans[1, t]
    while a < end and lowest - y[a] > radius:
        a += 1
    while a > start and lowest - y[a - 1] <= radius:
        a -= 1
    b = max(a, b)
    while b < end and y[b] - highest <= radius:
        b += 1
    while b > a and y[b - 1] - highest > radius:
        b -= 1
    spans[0, t], spans[1, t] = a, b


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
