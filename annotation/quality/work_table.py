"""A study's work as columns, and what a filter makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Which side of its threshold raises a flag: strictly above, from it on, strictly below.
PAST = {"above": np.greater, "from": np.greater_equal, "below": np.less}
ITEM, GOLD, REPEAT = 0, 1, 2
ITEM_ROLES = {"item": ITEM, "gold": GOLD, "repeat": REPEAT}


@dataclass(frozen=True, slots=True)
class Lines:
    """M texts as shown, by assignment, then in the order met. NaN: not recorded; -1: none.

    assignment, text: rows of the assignments and texts. label: which label of the scale was chosen. code: its number.
    role: ITEM, GOLD or REPEAT. known: the right label of a gold text. words: of the text and its context.
    """

    assignment: Ints
    text: Ints
    label: Ints
    code: Floats
    role: Ints
    known: Ints
    words: Ints
    active_ms: Floats
    pastes: Floats
    keystrokes: Floats


@dataclass(frozen=True, slots=True)
class Reasons:
    """R explanations in the worker's words: `line` is the row of the line each is about.

    machine: (R,) whether a detector calls it machine-written, NaN where it says nothing; None without a detector.
    """

    line: Ints
    body: Sequence[str]
    machine: Floats | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """N assignments with their lines and reasons.

    worker, cell: (N,) rows. work_seconds: (N,) from accepting to submitting, NaN unknown. unanswered: (N,) texts
    without a label. checks, checks_passed, practice, practice_right: (N,). device: (N,) -1 where none is known.
    bodies: text and context of each text. codes: number of each label, ascending. cache: what several filters need and
    one of them worked out.
    """

    worker: Ints
    cell: Ints
    work_seconds: Floats
    unanswered: Ints
    checks: Ints
    checks_passed: Ints
    practice: Ints
    practice_right: Ints
    device: Ints
    lines: Lines
    reasons: Reasons
    bodies: Sequence[str]
    codes: Sequence[float]
    language: str = "en"
    cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.worker)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one filter measured of each of N assignments.

    value: NaN where it does not apply. low, high: an interval of 90% for the value, NaN where none is defined (a
    fact, not an estimate). n: observations behind it.
    """

    value: Floats
    low: Floats
    high: Floats
    n: Ints


@dataclass(frozen=True, slots=True)
class QualityCheck:
    """A rule of evidence. `id` is its number in the specification's list.

    kind: its name in flags. threshold: the default; a value `beyond` it (see PAST) raises a flag, where at least
    `min_observations` were counted. on: it raises flags and orders the queue by default; only_flags: it flags.
    circular: it uses the study's answers to the question of interest, so that excluding by it is a sensitivity
    analysis and no default. style: it looks only at the style of writing, so that it flags and is no default rule
    either: honest people dictate, paste from notes and write in a second language. alone: whether it may exclude work
    where no other rule does. signed: values and thresholds may lie below 0. wrongly: whom it may wrongly flag.
    sentence: with {value}, {n}, {threshold}. sentence_up_to_0: in its place for a value of at most 0 ("": the same).
    methods: what a paper says where it excluded work.
    """

    id: str
    kind: str
    title: str
    rule: str
    threshold: float
    beyond: str
    min_observations: int
    on: bool
    circular: bool
    wrongly: str
    sentence: str
    methods: str
    measure: Callable[[Work], Measured]
    percent: bool = True
    only_flags: bool = False
    alone: bool = True
    signed: bool = False
    style: bool = False
    sentence_up_to_0: str = ""

    @property
    def flags(self) -> bool:
        """Whether what lies beyond the threshold gets a flag without anybody asking for it."""
        return self.on or self.only_flags

    @property
    def default(self) -> bool:
        """Whether the default selection of rules holds it."""
        return self.on and not self.circular and not self.style

    def raised(self, measured: Measured, threshold: float | None = None) -> Bools:
        """(N,) whether the value lies beyond the threshold with enough behind it."""
        cut = self.threshold if threshold is None else threshold
        with np.errstate(invalid="ignore"):
            past = PAST[self.beyond](measured.value, cut)
        return np.asarray(past & (measured.n >= self.min_observations))

    def odd(self, threshold: float) -> str:
        """Say why a value cannot be the threshold of this check; "" where it is one."""
        if threshold < 0 and not self.signed:
            return f"The threshold of {self.title} must be 0 or more."
        if self.percent and abs(threshold) > 1:
            return f"The threshold of {self.title} must be a share of at most 1 (0.5 means 50%)."
        return ""

    def finding_sentence(self, value: float, n: int, threshold: float | None = None) -> str:
        """The finding in a plain sentence."""
        cut = self.threshold if threshold is None else threshold
        sentence = self.sentence_up_to_0 if self.sentence_up_to_0 and value <= 0 else self.sentence
        return sentence.format(value=self.shown(value), n=n, threshold=self.shown(cut))

    def shown(self, value: float) -> str:
        """A value as a reader meets it: a share in per cent, else a number."""
        words = f"{100 * value:.0f}%" if self.percent else f"{value:.2g}" if value != round(value) else f"{value:.0f}"
        return words.replace("-", "−")


@dataclass(frozen=True, slots=True)
class NamedSet:
    """Filters, each at its default threshold, from which a version of the rules can be made."""

    title: str
    about: str
    kinds: tuple[str, ...]


def facts(value: Floats | Ints, n: Ints) -> Measured:
    """Counted, not estimated: no interval."""
    none = np.full(len(n), np.nan)
    return Measured(np.asarray(value, dtype=np.float64), none, none, n)


def shares(hits: Floats | Ints, n: Ints) -> Measured:
    """Shares of n with Wilson's interval of 90%; NaN where n is 0."""
    z = 1.6448536269514722
    some = np.maximum(n, 1)
    share, weight = hits / some, z * z / some
    centre = (share + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    ends = np.minimum(share, np.maximum(0, centre - half)), np.maximum(share, np.minimum(1, centre + half))
    value, low, high = (np.where(n > 0, part, np.nan) for part in (share, *ends))
    return Measured(value, low, high, np.asarray(n))


def counted(places: Ints, size: int, weights: Floats | Bools | None = None) -> Floats:
    """(size,) sums by place."""
    summed = None if weights is None else np.asarray(weights, dtype=np.float64)
    return np.bincount(places, weights=summed, minlength=size).astype(np.float64)


def spread(measured: Measured, worker: Ints) -> Measured:
    """What was measured of workers (by row), given to each of their assignments."""
    return Measured(measured.value[worker], measured.low[worker], measured.high[worker], measured.n[worker])
