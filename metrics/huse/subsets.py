"""HUSE of many subsets of one study, and of one study rated in many ways: what intervals and curves repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import switch
from metrics.data.arrays import Bools, Floats, Ints
from metrics.huse.batch import (
    WORTH_COMPILING,
    line_values,
    plane_values,
    scaled_near_unit,
    sorted_line_values,
    twice_error,
    vote_weights,
    votes_of,
)
from metrics.huse.neighbors import FLOAT_TOLERANCE, TREE_ABOVE
from metrics.huse.neighbors_1d import kth_distance

ROW_CELLS = 1 << 20  # numbers in one array over subsets x items
LINE_WORTH_COMPILING = 10_000_000  # texts: some seconds in numpy
WORTH_THREADS = 1e7  # distances: some 20 ms compiled


@dataclass(frozen=True, slots=True)
class HuseValues:
    """HUSE, HUSE-Q, HUSE-D and log p alone: arrays with one entry a subset."""

    huse: Floats
    huse_q: Floats
    huse_d: Floats
    log_prob_only: Floats


def diversity(huse: Floats, huse_q: Floats) -> Floats:
    """HUSE-D (eq. 8 and 9)."""
    return 1 + huse - huse_q


class Study:
    """Arrays of one study, prepared once: `hj` and `q` (any scale, q may hold -inf), `z` True for reference.

    weighed: a vote weighs 1 / size of its source in the subset at hand, as in exact mode; else the raw majority.
    """

    def __init__(self, hj: NDArray[Any], q: Floats, z: Bools, k: int = 16, tie: int = 1, weighed: bool = True):
        self.hj = scaled_near_unit(np.asarray(hj, dtype=np.float64))
        self.infinite = np.isneginf(q)
        self.any_infinite = bool(self.infinite.any())
        self.q = scaled_near_unit(np.where(self.infinite, 0.0, q))
        # On the line of q alone, -inf is one far point; the finite q lie between -1 and about 0.
        self.q_line = np.where(self.infinite, -1e3, self.q)
        self.sign = np.where(z, 1.0, -1.0)
        self.k, self.tie, self.weighed = k, tie, weighed
        self.disjoint = self.any_infinite and bool((self.infinite == z).all() or (self.infinite != z).all())

    def values(self, subsets: Ints) -> HuseValues:
        """HUSE and its kin of each row of item numbers in `subsets` (subsets x size, size > k)."""
        cells = subsets.size * subsets.shape[1]
        switch.get_kernels(cells / WORTH_COMPILING)
        step = max(1, ROW_CELLS // len(self.hj))
        if cells > WORTH_THREADS:
            step = min(step, -(-len(subsets) // switch.THREADS))
        chunks = [subsets[begin : begin + step] for begin in range(0, len(subsets), step)]
        parts = switch.in_parts(self._values, chunks, cells > WORTH_THREADS)
        return HuseValues(*(np.concatenate([getattr(part, name) for part in parts]) for name in HuseValues.__slots__))

    def of_chosen(self, chosen: Bools) -> HuseValues:
        """The same of each row of a mask (subsets x items), in the order of the rows, which may differ in size."""
        sizes = chosen.sum(axis=1)
        out = HuseValues(*(np.empty(len(chosen)) for _ in HuseValues.__slots__))
        for size in np.unique(sizes):
            rows = sizes == size
            subset_values = self.values(np.nonzero(chosen[rows])[1].reshape(-1, size))
            for name in HuseValues.__slots__:
                getattr(out, name)[rows] = getattr(subset_values, name)
        return out

    def _values(self, subsets: Ints) -> HuseValues:
        quality = self._line(self.hj, subsets)
        log_prob = self._line(self.q_line, subsets)
        both = self._plane(subsets)
        if self.disjoint:
            both, log_prob = np.zeros_like(both), np.zeros_like(log_prob)
        return HuseValues(both, quality, diversity(both, quality), log_prob)

    def quality(self, subsets: Ints) -> Floats:
        """HUSE-Q only."""
        return self._line(self.hj, subsets)

    def huse_and_q(self, subsets: Ints) -> tuple[Floats, Floats]:
        """HUSE and HUSE-Q only."""
        both = np.zeros(len(subsets)) if self.disjoint else self._plane(subsets)
        return both, self._line(self.hj, subsets)

    def rated(self, hj: NDArray[Any], subsets: Ints | None = None) -> tuple[Floats, Floats]:
        """HUSE and HUSE-Q of each row of other judgments (rows x items), of all items or of one subset a row."""
        chosen = np.broadcast_to(np.arange(hj.shape[1]), hj.shape) if subsets is None else subsets
        judged = np.take_along_axis(scaled_near_unit(np.asarray(hj, dtype=np.float64)), chosen, axis=1)
        sign = self.sign[chosen]
        quality = line_values(judged, sign, self.k, self.tie, self.weighed)
        if self.disjoint:
            return np.zeros(len(hj)), quality
        infinite = self.infinite[chosen] if self.any_infinite else None
        both = plane_values(judged, self.q[chosen], infinite, sign, self.k, self.tie, text=chosen, weighed=self.weighed)
        return both, quality

    def _line(self, x: Floats, subsets: Ints) -> Floats:
        """One feature: in sorted order the neighbours of a point are a run, and prefix sums count its votes."""
        n = len(x)
        if subsets.shape[1] > TREE_ABOVE and switch.get_kernels(subsets.size / LINE_WORTH_COMPILING):
            return line_values(x[subsets], self.sign[subsets], self.k, self.tie, self.weighed)
        order = np.argsort(x, kind="stable")
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        at = np.sort(place[subsets], axis=1)
        ordered, signs = x[order], self.sign[order][at]
        s = ordered[at]
        if (kernels := switch.get_kernels()) and at.shape[1] <= TREE_ABOVE:
            return sorted_line_values(kernels, s, signs, self.k, self.tie, self.weighed)
        limit = kth_distance(s, self.k) * (1 + FLOAT_TOLERANCE / 2)
        left, right = np.searchsorted(ordered, s - limit, side="left"), np.searchsorted(ordered, s + limit, "right")
        prefix = np.zeros((len(at), n + 1))
        votes = votes_of(signs, vote_weights(signs, self.weighed))
        np.put_along_axis(prefix, at + 1, votes, axis=1)
        np.cumsum(prefix, axis=1, out=prefix)
        lead = np.take_along_axis(prefix, right, axis=1) - np.take_along_axis(prefix, left, axis=1) - votes
        return np.where(s[:, 0] == s[:, -1], 1.0, twice_error(lead, signs, self.tie))

    def _plane(self, subsets: Ints) -> Floats:
        infinite = self.infinite[subsets] if self.any_infinite else None
        arrays = self.hj[subsets], self.q[subsets], infinite, self.sign[subsets]
        return plane_values(*arrays, self.k, self.tie, text=subsets, weighed=self.weighed)
