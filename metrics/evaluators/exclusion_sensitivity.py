"""Sensitivity of evaluators' accuracy to exclusion rules: every selection, with random removals.

The unit of accuracy is the evaluator, and a rule excludes assignments: a selection is therefore shown with removals
of as many assignments of the condition at random. Accuracy does not fall with the number of raters per text, so nothing
is equalised. Rules that look at the answers themselves are circular.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.data.evaluator_judgments import EvaluatorJudgment, Judgments, by_condition, check_judgments
from metrics.errors import BadInput
from metrics.evaluators.accuracy import EVALUATORS, measure_accuracy
from metrics.inference.distributions import check_level
from metrics.inference.proportions import Share, mean_share
from metrics.inference.specification_curve import (
    Exclusions,
    Specification,
    list_selections,
    random_removal,
    summarize_specifications,
    union_mask,
    units_mask,
)
from metrics.types import Estimate

OVERALL = "all judgments"


def evaluator_exclusions(
    judgments: Sequence[EvaluatorJudgment],
    rules: Mapping[str, Collection[str]],
    by: Sequence[str] = (),
    *,
    draws: int = 200,
    seed: int = 0,
    level: float = 0.95,
    alone: Collection[str] = (),
    reported: Collection[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Exclusions]:
    """Accuracy of each condition, and of all judgments, with no rule, each alone, and all selections of up to 8 rules.

    judgments: each with its unit (`EvaluatorJudgment.unit`, an assignment). rules: by name, the units that each
    excludes; a selection excludes the union (beyond 8 rules: 256 seeded selections). by: factors of the
    conditions. draws: random removals of as many assignments of the condition. level: of the intervals. alone:
    rules that are joined with no other. reported: units that the applied rules exclude. progress: called
    with how many conditions of how many are done. A condition that a selection leaves without evaluators has no value
    (flag `nobody_left`). Raises BadInput, InsufficientData.
    """
    check_level(level)
    if draws < 1 or seed < 0:
        raise BadInput("draws are at least 1, a seed at least 0")
    groups = groups_of(judgments, by)
    chosen = list_selections(tuple(rules), tuple(alone), seed)
    exclusions = {}
    for done, (name, group) in enumerate(groups.items(), 1):
        exclusions[name] = _of(group, rules, chosen, reported, draws=draws, seed=seed, level=level)
        if progress:
            progress(done, len(groups))
    return exclusions


def groups_of(judgments: Sequence[EvaluatorJudgment], by: Sequence[str]) -> dict[str, Sequence[EvaluatorJudgment]]:
    """The judgments of each condition, then all of them. Raises BadInput for one without a unit."""
    if any(not judgment.unit for judgment in judgments):
        raise BadInput("rules exclude assignments, so every judgment needs a unit", column="unit")
    groups: dict[str, Sequence[EvaluatorJudgment]] = dict(by_condition(judgments, by)) if by else {}
    groups[OVERALL] = judgments
    return groups


def _of(
    group: Sequence[EvaluatorJudgment],
    rules: Mapping[str, Collection[str]],
    chosen: tuple[list[tuple[str, ...]], str],
    reported: Collection[str] | None,
    *,
    draws: int,
    seed: int,
    level: float,
) -> Exclusions:
    table = check_judgments(group, repeats="keep")
    by_unit, units = lay_out_answers(group, table)
    work = _Work(by_unit, measure_accuracy(table, level=level).accuracy, draws, seed, level)
    masks = {rule: units_mask(units, excluded_units) for rule, excluded_units in rules.items()}
    listed, how = chosen
    specifications = tuple(
        work.specification(selection, union_mask(masks, selection, len(units))) for selection in listed
    )
    held = None
    if reported is not None:
        held = work.specification(("as reported",), units_mask(units, reported))
    return summarize_specifications(
        "accuracy",
        work.headline,
        specifications,
        common=None,
        subsets=how,
        settings={"draws": draws, "seed": seed},
        flags=("nobody_left",) if any(computed.value is None for computed in specifications) else (),
        reported=held,
    )


def lay_out_answers(judgments: Sequence[EvaluatorJudgment], table: Judgments) -> tuple[UnitAnswers, list[str]]:
    """Right answers and answers by assignment, by the names of evaluators, whatever the order; their units.

    table: the same judgments, checked.
    """
    pairs = [(judgment.rater, judgment.unit) for judgment in judgments]
    names = sorted(set(pairs))
    place = {pair: at for at, pair in enumerate(names)}
    at = np.array([place[pair] for pair in pairs], dtype=np.int64)
    right = np.bincount(at[table.correct], minlength=len(names))
    begins = np.flatnonzero([at == 0 or names[at - 1][0] != rater for at, (rater, _) in enumerate(names)])
    return UnitAnswers(right, np.bincount(at), begins), [unit for _, unit in names]


@dataclass(frozen=True, slots=True)
class UnitAnswers:
    """right, answers: (assignments,). begins: (evaluators,) where each one's assignments begin."""

    right: Ints
    answers: Ints
    begins: Ints
    measure_names: ClassVar[tuple[str, ...]] = ("accuracy",)
    percent: ClassVar[bool] = True

    def compute(self, out: Bools) -> Share:
        """The evaluators' mean share of right answers without the assignments of a selection. out: (assignments,)."""
        hits, totals = self.by_evaluator(~out[None])
        return mean_share(hits[0], totals[0])

    def measures_without(self, out: Bools) -> tuple[float | None, ...]:
        """By name the measures without the assignments of a selection; None where no evaluator is left."""
        return (self.compute(out).value,)

    def by_evaluator(self, included: Bools) -> tuple[Ints, Ints]:
        """(selections, evaluators) right answers and answers that are kept."""
        hits, totals = (
            np.add.reduceat(included * numbers, self.begins, axis=1) for numbers in (self.right, self.answers)
        )
        return hits, totals


@dataclass(frozen=True)
class _Work:
    by_unit: UnitAnswers
    headline: Estimate
    draws: int
    seed: int
    level: float

    def specification(self, chosen: tuple[str, ...], out: Bools) -> Specification:
        """Return the accuracy of what is left, with random removals of as many assignments; None without evaluators."""
        units, excluded = int(out.sum()), int(self.by_unit.answers[out].sum())
        share = self.by_unit.compute(out)
        if share.value is None:
            return Specification(chosen, units, excluded, 0, None, None, None, None)
        random_accuracies = self._drawn(units) if units else np.array([share.value])
        span = share.interval(self.level, EVALUATORS) if units else self.headline.interval
        random, as_low = random_removal(random_accuracies), float((random_accuracies <= share.value).mean())
        return Specification(chosen, units, excluded, share.units, share.value, random, as_low, None, span)

    def _drawn(self, units: int) -> Floats:
        """Return (draws,) accuracies without as many assignments, drawn at random each time."""
        rng = np.random.default_rng([self.seed, units])
        rank = rng.random((self.draws, len(self.by_unit.answers))).argsort(axis=1).argsort(axis=1)
        hits, totals = self.by_unit.by_evaluator(rank >= units)
        shares = np.divide(hits, totals, out=np.zeros(hits.shape), where=totals > 0)
        return np.asarray(shares.sum(axis=1) / (totals > 0).sum(axis=1))
