"""Judgments of "was this written by a person or a machine?", checked once and stored as arrays.

The scale has four points, 1 definitely human, 2 possibly human, 3 possibly machine, 4 definitely machine; its binary
reading says machine at 3 and 4 (Clark et al. 2021, section 2.1). Machine is the positive class throughout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from metrics.data.arrays import Bools, Ints
from metrics.errors import BadInput, InsufficientData

Truth = Literal["human", "machine"]
Repeats = Literal["error", "keep"]

HUMAN: Truth = "human"
MACHINE: Truth = "machine"
LOWEST, HIGHEST = 1, 4
FIRST_MACHINE = 3
BETWEEN = " × "


@dataclass(frozen=True, slots=True)
class EvaluatorJudgment:
    """One evaluator's rating of one text as human or machine.

    Args:
        rater: name of the evaluator.
        item: id of the text.
        truth: `human` or `machine`, what the text is.
        rating: 1 definitely human, 2 possibly human, 3 possibly machine, 4 definitely machine.
        factors: what names its condition (domain, generator, training), by factor.
        unit: the assignment (HIT) in which it was made; empty where unknown.

    Example:
        >>> from metrics import EvaluatorJudgment
        >>> EvaluatorJudgment("rater 1", "text 1", "machine", 3, {"training": "examples"}).rating
        3
    """

    rater: str
    item: str
    truth: Truth
    rating: int
    factors: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Judgments:
    """Checked judgments by column; `rater[i]` and `item[i]` number the names in `raters` and `items`.

    machine: the text is a machine's. rating: 1 to 4.
    """

    raters: tuple[str, ...]
    items: tuple[str, ...]
    rater: Ints
    item: Ints
    machine: Bools
    rating: Ints

    def __len__(self) -> int:
        return len(self.rating)

    @property
    def called_machine(self) -> Bools:
        """The binary reading: rated 3 or 4."""
        return np.asarray(self.rating >= FIRST_MACHINE)

    @property
    def correct(self) -> Bools:
        """The binary reading agrees with the truth."""
        return np.asarray(self.called_machine == self.machine)

    @property
    def definite(self) -> Bools:
        """Rated 1 or 4: definitely."""
        return np.asarray((self.rating == LOWEST) | (self.rating == HIGHEST))


def check_judgments(judgments: Iterable[EvaluatorJudgment], *, repeats: Repeats = "error") -> Judgments:
    """Check every rule and return the judgments as arrays; names are numbered in the order they come.

    repeats: whether a rater may judge an item more than once (`keep` counts each time).
    Raises BadInput for a rating that is not a whole number from 1 to 4, a truth that is neither human nor machine, an
    item with two truths and a repeated judgment; InsufficientData where there is none.
    """
    if repeats not in ("error", "keep"):
        raise BadInput("repeats must be 'error' or 'keep'", column="repeats")
    listed = list(judgments)
    if not listed:
        raise InsufficientData("No judgment is left to compute from.")
    raters: dict[str, int] = {}
    items: dict[str, int] = {}
    truths: dict[str, Truth] = {}
    for judged in listed:
        _check_values(judged)
        if truths.setdefault(judged.item, judged.truth) != judged.truth:
            raise BadInput(f"item {judged.item} is called both human and machine", column="truth")
        raters.setdefault(judged.rater, len(raters))
        items.setdefault(judged.item, len(items))
    rater = np.array([raters[judged.rater] for judged in listed], dtype=np.int64)
    item = np.array([items[judged.item] for judged in listed], dtype=np.int64)
    if repeats == "error":
        _check_repeats(listed, rater * len(items) + item)
    machine = np.array([judged.truth == MACHINE for judged in listed], dtype=np.bool_)
    rating = np.array([judged.rating for judged in listed], dtype=np.int64)
    return Judgments(tuple(raters), tuple(items), rater, item, machine, rating)


def _check_values(judged: EvaluatorJudgment) -> None:
    if judged.truth not in (HUMAN, MACHINE):
        raise BadInput(f"the truth of item {judged.item} must be 'human' or 'machine'", column="truth")
    rating = judged.rating
    # bool is an int; the exact type comes first because it is nearly always it.
    is_integer = type(rating) is int or isinstance(rating, np.integer)
    if not is_integer or not LOWEST <= rating <= HIGHEST:
        rule = f"the rating of item {judged.item} by rater {judged.rater} must be a whole number from 1 to 4"
        raise BadInput(rule, column="rating")


def _check_repeats(listed: Sequence[EvaluatorJudgment], cell: Ints) -> None:
    _, first = np.unique(cell, return_index=True)
    if len(first) == len(cell):
        return
    again = listed[int(np.setdiff1d(np.arange(len(cell)), first)[0])]
    raise BadInput(f"rater {again.rater} judges item {again.item} more than once", column="rater")


def by_condition(judgments: Iterable[EvaluatorJudgment], by: Sequence[str]) -> dict[str, list[EvaluatorJudgment]]:
    """Judgments grouped by the levels of the named factors: `news × gpt2`, in the order of their first judgment.

    by: at least one factor, in the order of the name's parts. Raises BadInput where a judgment is without one of them
    or a level is blank.
    """
    if not by:
        raise BadInput("a condition needs at least one factor", column="by")
    groups: dict[tuple[str, ...], list[EvaluatorJudgment]] = {}
    for judged in judgments:
        groups.setdefault(tuple(_level(judged, factor) for factor in by), []).append(judged)
    named = {BETWEEN.join(levels): group for levels, group in groups.items()}
    if len(named) < len(groups):
        raise BadInput(f"two conditions get the same name; a level must not hold {BETWEEN!r}", column=", ".join(by))
    return named


def _level(judged: EvaluatorJudgment, factor: str) -> str:
    level = judged.factors.get(factor, "")
    if not level:
        rule = f"the judgment of item {judged.item} by rater {judged.rater} has no {factor}"
        raise BadInput(rule, column=factor)
    return level
