"""Leave-one-out votes of the nearest neighbours on a line, all points tied at the k-th distance included.

The cut of a point is its k-th smallest distance to the others, and every other point not farther than the cut votes.
Arrays in, arrays out; the callers have validated them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import EPSILON, Bools, Floats, Ints, Numbers

DISTINCT = 128  # values on a line; up to here a matrix of them is the fastest
STEPS = 8  # before bisection takes over
CELLS = 1 << 16  # distances held at once: 512 kB, so that a block stays in the cache


@dataclass(frozen=True, slots=True)
class Votes:
    """Per point: `count` of its neighbours and `balance` = reference votes - model votes among them.

    balance: (points,), or (points, labellings) where the signs came as such a matrix.
    """

    balance: Ints
    count: Ints

    def weighed(self, n_ref: int, n_model: int) -> Ints:
        """r * n_model - m * n_ref, per point, of r references and m model texts among its neighbours.

        Above 0 the vote is for the reference: each vote weighs 1 / size of its source. (1, 1): the raw majority.
        n_ref, n_model: sizes of the whole sources, the held-out text included. Shape of `balance`; whole numbers.
        """
        count = self.count if self.balance.ndim == 1 else self.count[:, None]
        # Both sums are even: count and balance are r + m and r - m. In place: of many labellings each array is large.
        reference, model = np.asarray(count + self.balance), np.asarray(count - self.balance)
        for votes, size in ((reference, n_model), (model, n_ref)):
            votes //= 2
            votes *= size
        reference -= model
        return reference

    def share(self, n_ref: int = 1, n_model: int = 1) -> Floats:
        """Share of reference votes, in [0, 1], each weighing 1 / size of its source; the raw share by default."""
        reference = (self.count + self.balance) // 2 * n_model
        model = (self.count - self.balance) // 2 * n_ref
        return np.asarray(reference / (reference + model), dtype=np.float64)


def kth_distance(s: Numbers, k: int) -> Numbers:
    """Distance to the k-th nearest other value along the last axis of `s`, which is sorted ascending.

    The k nearest of a value lie in one of the k+1 runs of k+1 neighbours in order that hold it; the best run wins.
    """
    m = s.shape[-1] - k
    low, high = s[..., :m], s[..., k:]
    out = np.empty_like(s)
    out[..., m:] = s[..., -1:] - s[..., :1]
    out[..., :m] = high - low
    for t in range(1, k + 1):
        starts, best = s[..., t : t + m], out[..., t : t + m]
        np.minimum(best, np.maximum(starts - low, high - starts), out=best)
    return out


def line_votes(x: Numbers, sign: Ints, k: int, *, tolerance: float = 0.0) -> Votes:
    """Votes on a line. Integers are exact with tolerance 0; `tolerance` is relative and on the squared cut."""
    order = np.argsort(x, kind="stable")
    s = x[order]
    limit = kth_distance(s, k)
    if tolerance:
        limit = limit * (1 + tolerance / 2)
    left = np.searchsorted(s, s - limit, side="left")
    right = np.searchsorted(s, s + limit, side="right")
    return _range_votes(order, sign, left, right)


def clear_line_votes(x: Floats, sign: Ints, k: int) -> Votes | None:
    """Votes on a line of rounded numbers where rounding cannot matter; None where some distances nearly tie."""
    order = np.argsort(x, kind="stable")
    s = x[order]
    limit = kth_distance(s, k) + 16 * EPSILON * max(-s[0], s[-1])
    left, right = np.searchsorted(s, s - limit, side="left"), np.searchsorted(s, s + limit, side="right")
    return _range_votes(order, sign, left, right) if (right - left == k + 1).all() else None


def line_votes_squared(x: Floats, sign: Ints, k: int) -> Votes:
    """Votes on a line as the original's floats give them: squares of rounded differences, compared with `<=`."""
    order = np.argsort(x, kind="stable")
    s = x[order]
    limit = kth_distance(s, k)
    cut = limit * limit
    starts = np.flatnonzero(np.concatenate(([True], s[1:] != s[:-1])))
    if len(starts) <= DISTINCT:
        return _distinct_votes(order, s, starts, sign, cut)
    left, right = _ends(s, limit, cut)
    return _range_votes(order, sign, left, right + 1)


def _ends(s: Floats, limit: Floats, cut: Floats) -> tuple[Ints, Ints]:
    """The first and last neighbour of each point: a range surely wide enough, narrowed by the rounded squares."""
    wide = limit + 16 * EPSILON * max(-s[0], s[-1])
    left, right = np.searchsorted(s, s - wide, side="left"), np.searchsorted(s, s + wide, side="right") - 1

    def within(positions: Ints) -> Bools:
        gap = s - s[positions]
        return np.asarray(gap * gap <= cut)

    for _ in range(STEPS):
        left_in, right_in = within(left), within(right)
        if left_in.all() and right_in.all():
            return left, right
        left, right = left + ~left_in, right - ~right_in
    places = np.arange(len(s))
    return _last_within(places, left, within), _last_within(places, right, within)


def _distinct_votes(order: Ints, s: Floats, starts: Ints, sign: Ints, cut: Floats) -> Votes:
    """The same by a matrix of the distinct values, each with the votes of its points."""
    values, ordered = s[starts], sign[order]
    sizes = np.diff(starts, append=len(s))
    squared, near = room_for(2 * len(values) ** 2).reshape(2, len(values), -1)
    np.subtract(values[:, None], values, out=squared)
    np.multiply(squared, squared, out=squared)
    np.less_equal(squared, cut[starts, None], out=near)
    weights = np.stack((sizes, np.add.reduceat(ordered, starts)), axis=1).astype(np.float64)
    tally = np.repeat((near @ weights).astype(np.int64), sizes, axis=0)
    balance, count = np.empty_like(tally[:, 0]), np.empty_like(tally[:, 0])
    count[order] = tally[:, 0] - 1
    balance[order] = tally[:, 1] - ordered
    return Votes(balance, count)


def _last_within(inside: Ints, outside: Ints, within: Callable[[Ints], Bools]) -> Ints:
    """Bisect from positions known inside towards the far end; distances never shrink on the way."""
    good, far = inside.copy(), outside.copy()
    while True:
        gap = far - good
        if not gap.any():
            return good
        middle = good + np.where(gap > 0, (gap + 1) // 2, gap // 2)
        holds = within(middle)
        far = np.where(holds, far, middle - np.sign(gap))
        good = np.where(holds, middle, good)


def _range_votes(order: Ints, sign: Ints, left: Ints, right: Ints) -> Votes:
    """Count and balance of the sorted positions left..right-1, each point's own vote taken away."""
    ordered = sign[order]
    prefix = np.concatenate((np.zeros_like(ordered[:1]), np.cumsum(ordered, axis=0)))
    balance = np.empty_like(ordered)
    count = np.empty(len(order), dtype=np.int64)
    balance[order] = prefix[right] - prefix[left] - ordered
    count[order] = right - left - 1
    return Votes(balance, count)


_thread_rooms = threading.local()


def room_for(cells: int) -> Floats:
    """Room for floats, the same at each call of a thread where it is small: fresh pages cost more than sums."""
    if cells > 2 * CELLS:
        return np.empty(cells)
    if not hasattr(_thread_rooms, "room"):
        _thread_rooms.room = np.empty(2 * CELLS)
    return np.asarray(_thread_rooms.room[:cells])
