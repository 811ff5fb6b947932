"""The leave-one-out nearest-neighbour classifier behind HUSE (Hashimoto, Zhang and Liang 2019, Algorithm 1).

Two features, q = log p per unit of length and HJ, each divided by its population sd over all items.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from metrics.data.arrays import EPSILON, Bools, Floats, Ints, Numbers, common_numerators, quotient_numerators
from metrics.data.items import Table
from metrics.huse.exact_ties import ExactPlane, Rounding, exact_spread
from metrics.huse.neighbors import FLOAT_TOLERANCE, NO_SLACK, RELATIVE_SLACK, Block, plane_votes
from metrics.huse.neighbors_1d import Votes, clear_line_votes, line_votes, line_votes_squared
from metrics.types import Mode

PAPER_MINUS_INFINITY = -1000.0  # what the original puts for a log-probability of -inf, before dividing by length

Feature = str  # "hj" or "log_prob"
HJ, LOG_PROB = "hj", "log_prob"


class Classifier:
    """Votes over a checked table in one mode. The callers drop features that do not vary.

    sign: other labels than the table's, +1 reference, -1 model: (items,), or (items, labellings) in exact mode.
    """

    def __init__(self, table: Table, mode: Mode, k: int, sign: Ints | None = None):
        self.table, self.mode, self.k = table, mode, k
        self.sign = table.sign if sign is None else sign
        self.rational = mode == "exact" and table.exact

    @cached_property
    def hj(self) -> Floats:
        """HJ as floats: in exact mode placed on [0, 1], so that neither unit nor zero point can matter."""
        scaled_hj = self.table.hj_integers
        if scaled_hj.dtype == np.int64 and int(np.abs(scaled_hj).max()) < 2**53 and self.table.hj_denominator < 2**53:
            low = scaled_hj.min() if self.mode == "exact" else 0
            size = (scaled_hj.max() - low or 1) if self.mode == "exact" else self.table.hj_denominator
            return np.asarray((scaled_hj - low) / size)
        return self._place(self.table.hj_numerators, 1)

    def place_hj(self, values: Sequence[Fraction]) -> Floats:
        """Where judgments lie on the axis of `hj`."""
        numerators, denominator = common_numerators(values)
        return self._place([self.table.hj_denominator * a for a in numerators], denominator)

    def _place(self, numerators: Sequence[int], denominator: int) -> Floats:
        """Numerators over `denominator` times the table's, each quotient rounded once."""
        if self.mode == "paper":
            scaled = denominator * self.table.hj_denominator
            return np.array([a / scaled for a in numerators])
        low, high = min(self.table.hj_numerators) * denominator, max(self.table.hj_numerators) * denominator
        return np.array([(a - low) / (high - low or 1) for a in numerators])

    @cached_property
    def q(self) -> Floats:
        """Log-probability per unit of length; in paper mode -inf becomes -1000 before the division."""
        if self.mode == "exact":
            return self.table.q
        log_prob = np.where(self.table.infinite, PAPER_MINUS_INFINITY, self.table.log_prob)
        return np.asarray(log_prob / self.table.length)

    @cached_property
    def q_numerators(self) -> Numbers:
        """q as whole numbers over a common denominator (0 at -inf, which is never compared with a finite q)."""
        return quotient_numerators(np.where(self.finite, self.table.log_prob, 0.0), self.table.length)

    @cached_property
    def finite(self) -> Bools:
        """Which items have a finite q."""
        return np.asarray(np.isfinite(self.q))

    @cached_property
    def all_finite(self) -> bool:
        """Whether all have."""
        return bool(self.finite.all())

    @cached_property
    def scale(self) -> dict[Feature, float]:
        """Population sd of each feature (of the finite q); 0 where all values are the same."""
        hj_sd = _sd(self.hj) if self.table.hj_integers.min() < self.table.hj_integers.max() else 0.0
        return {HJ: hj_sd, LOG_PROB: _sd(self.q[self.finite]) if self._q_differs() else 0.0}

    def _q_differs(self) -> bool:
        """Whether two finite q differ: as exact numbers where they are exact, else as floats."""
        values = self.q[self.finite]
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        gap = high - low
        in_doubt = 0 < gap <= 8 * EPSILON * max(-low, high)
        if in_doubt and self.rational:
            return len(set(self.q_numerators[self.finite].tolist())) > 1
        return gap > 0

    def varies(self, feature: Feature) -> bool:
        """Return whether a feature varies; -inf and finite log-probabilities together do."""
        mixed = feature == LOG_PROB and not self.all_finite and bool(self.finite.any())
        return self.scale[feature] > 0 or mixed

    def disjoint(self) -> bool:
        """Whether exactly the items of one source have log p = -inf, so that log p alone separates the sources."""
        infinite, reference = self.table.infinite, self.table.z
        return self.table.any_infinite and bool((infinite == reference).all() or (infinite != reference).all())

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of references and of model texts that votes are weighed by: full sizes; in paper mode the raw 1, 1.

        The sizes without the held-out text would decide each raw tie of equal sources for that text's own source.
        """
        return self.table.sizes if self.mode == "exact" else (1, 1)

    def votes(self, features: Sequence[Feature]) -> Votes:
        """Leave-one-out votes on the given features, all of which vary."""
        if LOG_PROB not in features or self.all_finite:
            return self._among(np.arange(len(self.table)), features)
        return self._grouped(features)

    def _grouped(self, features: Sequence[Feature]) -> Votes:
        """The -inf items are one group: at distance 0 in q from each other and beyond every finite item."""
        out = Votes(np.empty_like(self.sign), np.empty(len(self.table), dtype=np.int64))
        groups = np.flatnonzero(self.finite), np.flatnonzero(~self.finite)
        for rows, others in (groups, groups[::-1]):
            useful = [f for f in features if self.scale[f] > 0 and (f == HJ or self.finite[rows[0]])]
            enough = len(rows) > self.k
            votes = self._among(rows, useful) if enough else self._across(rows, others, HJ in useful)
            out.balance[rows], out.count[rows] = votes.balance, votes.count
        return out

    def _across(self, rows: Ints, others: Ints, by_hj: bool) -> Votes:
        """A group too small to hold k neighbours votes whole, and the nearest others by HJ fill up."""
        sign = self.sign
        h = self._hj_numbers() if by_hj else np.zeros(len(self.table), dtype=np.int64)
        balance, count = [], []
        for row in rows:
            gap = np.abs(h[others] - h[row])
            cut = sorted(gap)[self.k - len(rows)]
            near = others[np.asarray(gap <= (cut if self.rational else cut * (1 + FLOAT_TOLERANCE / 2)))]
            count.append(len(rows) - 1 + len(near))
            balance.append(sign[rows].sum(axis=0) - sign[row] + sign[near].sum(axis=0))
        return Votes(np.array(balance, dtype=np.int64), np.array(count, dtype=np.int64))

    def _hj_numbers(self) -> Numbers:
        return self.table.hj_integers if self.rational else self.hj

    def _among(self, rows: Ints, features: Sequence[Feature]) -> Votes:
        """Votes within `rows`, which are more than k."""
        sign = self.sign[rows]
        if not features:
            return Votes(sign.sum(axis=0) - sign, np.full(len(rows), len(rows) - 1))
        if self.rational:
            return self._rational(rows, features)
        floats = [self._floats(f)[rows] / self.scale[f] for f in features]
        if self.mode == "paper":
            if len(floats) == 1:
                return line_votes_squared(floats[0], sign, self.k)
            return plane_votes(floats, sign, self.k, NO_SLACK)
        if len(floats) == 1:
            return line_votes(floats[0], sign, self.k, tolerance=FLOAT_TOLERANCE)
        return plane_votes(floats, sign, self.k, RELATIVE_SLACK)

    def _floats(self, feature: Feature) -> Floats:
        return self.hj if feature == HJ else self.q

    def _rational(self, rows: Ints, features: Sequence[Feature]) -> Votes:
        """Exact votes: whole numbers on the line of HJ; elsewhere floats, settled by whole numbers where in doubt."""
        sign = self.sign[rows]
        if list(features) == [HJ]:
            return line_votes(self._hj_numbers()[rows], sign, self.k)
        if list(features) == [LOG_PROB]:
            votes = clear_line_votes(self.q[rows], sign, self.k)
            return votes or line_votes(self.q_numerators[rows], sign, self.k)
        floats = [self._floats(f)[rows] for f in features]
        scales = [self.scale[f] for f in features]
        rounding = Rounding.of(floats, scales)
        scaled = [values / scale for values, scale in zip(floats, scales, strict=True)]
        exact: list[ExactPlane] = []

        def settle(block: Block, doubtful: Ints) -> Bools:
            if not exact:
                exact.append(self._exact_plane(rows, features, rounding))
            return exact[0].settle(self.k, block, doubtful)

        return plane_votes(scaled, sign, self.k, rounding.slack, settle)

    def _exact_plane(self, rows: Ints, features: Sequence[Feature], rounding: Rounding) -> ExactPlane:
        columns = [np.array(self.table.hj_numerators, dtype=object) if f == HJ else self.q_numerators for f in features]
        counted = [column if f == HJ else column[self.finite] for f, column in zip(features, columns, strict=True)]
        return ExactPlane([c[rows].tolist() for c in columns], [exact_spread(c.tolist()) for c in counted], rounding)


def _sd(values: Floats) -> float:
    """Population sd. A power of two keeps squares of tiny numbers from vanishing and changes no digit."""
    unit = 2.0 ** int(np.frexp(np.abs(values).max())[1])
    return float((values / unit).std() * unit)
