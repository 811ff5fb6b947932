"""What the tables need of a piece of work: counts and sums, which add up over the pieces of a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LEVELS = (0.90, 0.95)
ROUNDING = 1e-9
FREQUENT, FEW = 0.035, 80  # share of a value from which on the values are kept one by one, where they are so few
STEADY = 0.25  # spread of targets over that of values up to which the values are looked at beside the mean target
Intervals = Sequence[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Total:
    """So many studies, and sums over them."""

    studies: int
    sums: tuple[float, ...]

    def __add__(self, other: Total) -> Total:
        return Total(self.studies + other.studies, _plus(self.sums, other.sums))

    def means(self) -> tuple[float, ...]:
        return tuple(each / self.studies for each in self.sums)

    @classmethod
    def read(cls, kept: Mapping[str, object]) -> Total:
        return cls(kept["studies"], tuple(kept["sums"]))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Tally:
    """One measure over so many studies.

    target: sum of what the intervals are for. apart: sum of value less target. held, width: how many intervals hold
    their target and the sum of their widths, for each of LEVELS. seen: how often each value came, where they are few.
    """

    studies: int
    target: float
    apart: float
    held: tuple[int, ...]
    width: tuple[float, ...]
    seen: Mapping[str, int]

    def __add__(self, other: Tally) -> Tally:
        both = bool(self.seen and other.seen)
        return Tally(
            self.studies + other.studies,
            self.target + other.target,
            self.apart + other.apart,
            tuple(map(int.__add__, self.held, other.held)),
            _plus(self.width, other.width),
            Counter(self.seen) + Counter(other.seen) if both else {},
        )

    @classmethod
    def read(cls, kept: Mapping[str, object]) -> Tally:
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in kept.items()})  # type: ignore[arg-type]


def _plus(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(ours, theirs, strict=True))


def total(columns: np.ndarray) -> Total:
    """Sums of (studies, columns)."""
    return Total(len(columns), tuple(columns.sum(axis=0).tolist()))


def tally(values: np.ndarray, targets: np.ndarray | float, intervals: Intervals) -> Tally:
    """values: (studies,); targets: one, or one a study; intervals: low and high (studies,) for each of LEVELS."""
    each = np.broadcast_to(np.asarray(targets, dtype=np.float64), values.shape)
    held = [int(np.sum((low <= each + ROUNDING) & (each <= high + ROUNDING))) for low, high in intervals]
    width = [float(np.sum(high - low)) for low, high in intervals]
    seen = _seen(values) if each.std() <= STEADY * values.std() else {}
    return Tally(len(values), float(each.sum()), float((values - each).sum()), tuple(held), tuple(width), seen)


def _seen(values: np.ndarray) -> dict[str, int]:
    distinct, counts = np.unique(np.round(values, 9), return_counts=True)
    if counts.max() < FREQUENT * len(values) or len(distinct) > FEW:
        return {}
    return {f"{value:.9g}": count for value, count in zip(distinct.tolist(), counts.tolist(), strict=True)}
