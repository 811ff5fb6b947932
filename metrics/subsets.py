"""HUSE of many subsets of one study at once: the inner loop of resampling and simulation.

Floats with a relative tolerance of 1e-12 on the cut decide ties here. For HJ given as whole numbers that is exact.
Arrays in, arrays out, nothing validated: callers repeat this 100,000 times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import Bools, Floats, Ints
from metrics.neighbors import FLOAT_TOLERANCE, TREE_ABOVE, plane_votes, reach, relative_slack

FAR = 1e8  # squared distance in q between an item with log p = -inf and one without, in variances
CELLS = 1 << 16  # distances held at once
SMALLEST_SD = 1e-100  # of numbers up to 1: below, a feature counts as constant
ROW_CELLS = 1 << 20  # numbers in one array over subsets x items


@dataclass(frozen=True, slots=True)
class HuseValues:
    """HUSE, HUSE-Q, HUSE-D and log p alone: arrays with one entry a subset."""

    huse: Floats
    huse_q: Floats
    huse_d: Floats
    log_prob_only: Floats


class Study:
    """Arrays of one study, prepared once: `hj` and `q` (any scale, q may hold -inf), `z` True for reference."""

    def __init__(self, hj: NDArray[Any], q: Floats, z: Bools, k: int = 16, tie: int = 1):
        self.hj = _near_one(np.asarray(hj, dtype=np.float64))
        self.infinite = np.isneginf(q)
        self.any_infinite = bool(self.infinite.any())
        self.q = _near_one(np.where(self.infinite, 0.0, q))
        # On the line of q alone, -inf is one far point; the finite q lie between -1 and about 0.
        self.q_line = np.where(self.infinite, -1e3, self.q)
        self.sign = np.where(z, 1.0, -1.0)
        self.k, self.tie = k, tie
        self.disjoint = self.any_infinite and bool((self.infinite == z).all() or (self.infinite != z).all())

    def values(self, subsets: Ints) -> HuseValues:
        """HUSE and its kin of each row of item numbers in `subsets` (subsets x size, size > k)."""
        step = max(1, ROW_CELLS // len(self.hj))
        parts = [self._values(subsets[begin : begin + step]) for begin in range(0, len(subsets), step)]
        return HuseValues(*(np.concatenate([getattr(part, name) for part in parts]) for name in HuseValues.__slots__))

    def _values(self, subsets: Ints) -> HuseValues:
        quality = self._line(self.hj, subsets)
        log_prob = self._line(self.q_line, subsets)
        both = self._plane(subsets)
        if self.disjoint:
            both, log_prob = np.zeros_like(both), np.zeros_like(log_prob)
        return HuseValues(both, quality, 1 + both - quality, log_prob)

    def huse_and_q(self, subsets: Ints) -> tuple[Floats, Floats]:
        """HUSE and HUSE-Q only."""
        both = np.zeros(len(subsets)) if self.disjoint else self._plane(subsets)
        return both, self._line(self.hj, subsets)

    def _twice_error(self, balance: Floats, sign: Floats) -> Floats:
        """Weighted by source: error among references plus error among models."""
        predicted = np.where(balance == 0, self.tie, np.sign(balance))
        miss = (1 - predicted * sign) / 2
        reference = sign > 0
        n_ref = reference.sum(axis=-1)
        ref = (miss * reference).sum(axis=-1)
        return np.asarray(ref / n_ref + (miss.sum(axis=-1) - ref) / (sign.shape[-1] - n_ref))

    def _line(self, x: Floats, subsets: Ints) -> Floats:
        """One feature: in sorted order the neighbours of a point are a run, and prefix sums count its votes."""
        n = len(x)
        order = np.argsort(x, kind="stable")
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        at = np.sort(place[subsets], axis=1)
        ordered, signs = x[order], self.sign[order][at]
        s = ordered[at]
        limit = reach(s, self.k) * (1 + FLOAT_TOLERANCE / 2)
        left, right = np.searchsorted(ordered, s - limit, side="left"), np.searchsorted(ordered, s + limit, "right")
        prefix = np.zeros((len(at), n + 1))
        np.put_along_axis(prefix, at + 1, signs, axis=1)
        np.cumsum(prefix, axis=1, out=prefix)
        balance = np.take_along_axis(prefix, right, axis=1) - np.take_along_axis(prefix, left, axis=1) - signs
        return np.where(s[:, 0] == s[:, -1], 1.0, self._twice_error(balance, signs))

    def _plane(self, subsets: Ints) -> Floats:
        size = subsets.shape[1]
        if size > TREE_ABOVE:
            return np.array([self._plane_large(chosen) for chosen in subsets])
        step = max(1, CELLS // (size * size))
        out = np.empty(len(subsets))
        room = np.empty((2, step, size, size))
        near = np.empty((step, size, size), dtype=np.float32)
        for begin in range(0, len(subsets), step):
            chosen = subsets[begin : begin + step]
            m = len(chosen)
            out[begin : begin + m] = self._plane_block(chosen, room[:, :m], near[:m])
        return out

    def _plane_large(self, chosen: Ints) -> float:
        """One subset too large for a matrix of distances; -inf lies far beyond the finite."""
        infinite = self.infinite[None, chosen] if self.any_infinite else None
        hj, q = self.hj[None, chosen], self.q[None, chosen]
        h_scale, h_varies = _inverse_sd(hj, None)
        q_scale, q_varies = _inverse_sd(q, infinite)
        if not (h_varies | q_varies).any():
            return 1.0
        away = self.infinite[chosen] * math.sqrt(FAR)
        scaled = [(hj * h_scale)[0], (q * q_scale)[0] - away]
        sign = self.sign[chosen]
        votes = plane_votes(scaled, sign.astype(np.int64), self.k, relative_slack)
        return float(self._twice_error(votes.balance.astype(np.float64), sign))

    def _plane_block(self, chosen: Ints, room: Floats, near: NDArray[np.float32]) -> Floats:
        squared, other = room
        hj, q, sign = self.hj[chosen], self.q[chosen], self.sign[chosen]
        h_scale, h_varies = _inverse_sd(hj, None)
        q_scale, q_varies = _inverse_sd(q, self.infinite[chosen] if self.any_infinite else None)
        _square_gaps(hj * h_scale, squared)
        _square_gaps(q * q_scale, other)
        if self.any_infinite:
            apart = self.infinite[chosen]
            np.copyto(other, FAR, where=apart[:, :, None] != apart[:, None, :])
        squared += other
        np.copyto(other, squared)
        other.partition(self.k, axis=-1)
        cut = other[:, :, self.k : self.k + 1] * (1 + FLOAT_TOLERANCE)
        np.less_equal(squared, cut, out=near, casting="unsafe")
        balance = np.matmul(near, sign[:, :, None].astype(np.float32))[:, :, 0] - sign
        return np.where(h_varies | q_varies, self._twice_error(balance, sign), 1.0)


def _near_one(values: Floats) -> Floats:
    """Divided by a power of two, which changes no digit, so that the squares of tiny numbers do not vanish."""
    return np.asarray(np.ldexp(values, -int(np.frexp(np.abs(values).max(initial=0.0))[1])))


def _square_gaps(x: Floats, out: Floats) -> None:
    np.subtract(x[:, :, None], x[:, None, :], out=out)
    np.multiply(out, out, out=out)


def _inverse_sd(values: Floats, infinite: Bools | None) -> tuple[Floats, Bools]:
    """1 / population sd of each row (0 where nothing varies) as a column, and whether the feature tells anything."""
    if infinite is None:
        sd = values.std(axis=1)
        varies = (values.max(axis=1) > values.min(axis=1)) & (sd > SMALLEST_SD)
        return np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)[:, None], varies
    finite = ~infinite
    count = np.maximum(finite.sum(axis=1), 1)
    mean = (values * finite).sum(axis=1) / count
    sd = np.sqrt((((values - mean[:, None]) * finite) ** 2).sum(axis=1) / count)
    varies = sd > np.maximum(1e-14 * np.abs(values).max(axis=1, initial=0.0), SMALLEST_SD)
    mixed = finite.any(axis=1) & infinite.any(axis=1)
    return np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)[:, None], varies | mixed
