"""Rules chosen from the checks: which work they exclude, and whether that hits one source or condition more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.quality.filters import BY_FLAG, BY_KIND, NAMED_SETS, OF_TEXTS
from annotation.quality.work_table import PAST, Bools, Floats, Ints

PERMUTATIONS = 2000
FEW_KINDS = 200
FEWEST_RATINGS = 5  # F26
Findings = Mapping[str, Sequence[float | int | None]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A filter with a threshold (None: its default, and all there is for what people judged)."""

    kind: str
    threshold: float | None = None

    def holds(self, findings: Findings, flags: frozenset[str]) -> bool:
        """Whether it excludes one submission. flags: the kinds raised, for what people judged."""
        if self.kind in OF_TEXTS:
            return False
        if self.kind in BY_FLAG:
            return self.kind in flags
        check, finding = BY_KIND[self.kind], findings.get(self.kind)
        if finding is None or finding[0] is None or (finding[3] or 0) < check.min_observations:
            return False
        return bool(PAST[check.beyond](finding[0], self.cut))

    @property
    def cut(self) -> float:
        """The threshold that counts."""
        return BY_KIND[self.kind].threshold if self.threshold is None else self.threshold


def known(kind: str) -> bool:
    """Whether there is such a filter."""
    return kind in BY_KIND or kind in BY_FLAG or kind in OF_TEXTS


def rules_from(set_name: str, others: Sequence[Rule] = ()) -> tuple[Rule, ...]:
    """The rules of a named set ("": none), each replaced by the one of `others` that has its kind; then the rest of
    these. Raises KeyError for a set that does not exist."""
    named = tuple(Rule(kind) for kind in NAMED_SETS[set_name].kinds) if set_name else ()
    by_kind = {rule.kind: rule for rule in others}
    used = {rule.kind for rule in named}
    return (*(by_kind.get(rule.kind, rule) for rule in named), *(rule for rule in others if rule.kind not in used))


@dataclass(frozen=True, slots=True)
class Thinned:
    """Texts that go to raters, and how many of them have fewer than `min_ratings` ratings left (F26); contexts with
    texts of both sources, and how many of them have lost all such texts of one (F27)."""

    texts: int
    thin: int
    contexts: int
    broken: int
    min_ratings: int = FEWEST_RATINGS


@dataclass(frozen=True, slots=True)
class GroupShare:
    """Ratings of one source (or condition), and how many of them were excluded."""

    group: str
    ratings: int
    left_out: int

    @property
    def share(self) -> float:
        """In [0, 1]; 0 without ratings."""
        return self.left_out / self.ratings if self.ratings else 0.0

    @property
    def per_cent(self) -> float:
        """The share as a reader meets it."""
        return 100 * self.share


@dataclass(frozen=True, slots=True)
class Tabulated:
    """Shares excluded by group, and the p-value of their being alike: assignments change places (seeded).

    p: None with fewer than two groups or nothing (or everything) excluded.
    """

    rows: tuple[GroupShare, ...]
    p: float | None
    permutations: int


def tabulate(groups: Sequence[str], sizes: Floats, left_out: Bools, *, seed: int = 0) -> Tabulated:
    """sizes: (assignments, groups) ratings; left_out: (assignments,). A rating goes with its assignment.

    Groups without ratings have no row. The test: chi-squared over groups, against PERMUTATIONS shuffles of who is left
    out among the assignments.
    """
    totals = sizes.sum(axis=0)
    excluded = left_out.astype(np.float64) @ sizes
    rows = tuple(GroupShare(name, int(n), int(g)) for name, n, g in zip(groups, totals, excluded, strict=True) if n)
    used = totals > 0
    if used.sum() < 2 or not left_out.any() or left_out.all():
        return Tabulated(rows, None, 0)
    shuffled = _shuffled(sizes, left_out, np.random.default_rng(seed))
    seen, drawn = _chi_squared(excluded[None], totals, used)[0], _chi_squared(shuffled, totals, used)
    p = (1 + int((drawn >= seen - 1e-9).sum())) / (1 + PERMUTATIONS)
    return Tabulated(rows, p, PERMUTATIONS)


def _shuffled(sizes: Floats, left_out: Bools, rng: np.random.Generator) -> Floats:
    """(PERMUTATIONS, groups) ratings excluded where as many assignments are excluded at random."""
    kinds, times = _count_rows(sizes)
    if len(kinds) > FEW_KINDS:
        return np.stack([rng.permutation(left_out).astype(np.float64) @ sizes for _ in range(PERMUTATIONS)])
    # Assignments with the same texts of each group may change places: how many of each kind is all that counts.
    return np.asarray(rng.multivariate_hypergeometric(times, int(left_out.sum()), size=PERMUTATIONS) @ kinds)


def _count_rows(sizes: Floats) -> tuple[Floats, Ints]:
    """The different rows in their order, and how often each occurs: as `np.unique` by rows, several times as fast."""
    ordered = sizes[np.lexsort(sizes.T[::-1])]
    begins = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
    return ordered[begins], np.diff(np.r_[begins, len(ordered)])


def _chi_squared(excluded: Floats, totals: Floats, used: Bools) -> Floats:
    """Chi-squared of each row of excluded counts (rows, groups) against one common share."""
    excluded, n = excluded[:, used], totals[used]
    share = np.clip(excluded.sum(axis=1, keepdims=True) / n.sum(), 1e-12, 1 - 1e-12)
    return np.asarray(((excluded - share * n) ** 2 / (share * (1 - share) * n)).sum(axis=1))
