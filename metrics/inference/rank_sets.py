"""Ranks and groups of systems from the differences that are significant, never from neighbours alone.

A rank set holds the ranks that a system can have: best is 1 and the number significantly better than it, worst is all
less the number significantly worse. Over differences that Holm adjusted together the sets hold jointly. A line between
two neighbours in the order is drawn only where every system above is significantly better than every system below.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from metrics.types import Interval

Better = Collection[tuple[str, str]]


def rank_sets(names: Sequence[str], better: Better) -> dict[str, tuple[int, int]]:
    """Best and worst rank of each system.

    names: all systems. better: pairs of which the first is significantly better than the second.

    >>> rank_sets("ABC", {("A", "C")})
    {'A': (1, 2), 'B': (1, 3), 'C': (2, 3)}
    """
    return {
        name: (
            1 + sum((other, name) in better for other in names),
            len(names) - sum((name, o) in better for o in names),
        )
        for name in names
    }


def significance_groups(ordered: Sequence[str], better: Better) -> dict[str, int]:
    """The group of each system, from 1. ordered: best first.

    >>> significance_groups("ABC", {("A", "C"), ("B", "C")})
    {'A': 1, 'B': 1, 'C': 2}
    """
    groups, group = {}, 1
    for at, name in enumerate(ordered):
        above, below = ordered[:at], ordered[at:]
        group += bool(above) and all((high, low) in better for high in above for low in below)
        groups[name] = group
    return groups


def separated(intervals: Mapping[str, Interval]) -> set[tuple[str, str]]:
    """Pairs whose intervals do not meet, higher first: the rule of public arenas (`marginal`), no joint statement."""
    return {(first, second) for first, a in intervals.items() for second, b in intervals.items() if a.low > b.high}
