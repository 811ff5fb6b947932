"""A whole study of evaluators: accuracy overall and in each condition, and its tests against chance as one family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from metrics.data.arrays import Ints
from metrics.data.evaluator_judgments import EvaluatorJudgment, Judgments, Repeats, by_condition, check_judgments
from metrics.data.frames import Frame, check_records, is_frame
from metrics.data.read_judgments import read_judgments
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.accuracy import Accuracy, evaluator_accuracies, measure_accuracy
from metrics.inference.distributions import check_level
from metrics.inference.multiple_testing import METHODS, Family, adjust
from metrics.inference.t_tests import TTest, single_sample_t
from metrics.types import Estimate, Result, Setting
from metrics.version import __version__

CONDITIONS = "conditions against chance"
SHARED_RATERS = "raters_in_several_conditions"
NO_PAIR = "no_item_with_two_raters"
# Krippendorff's alpha: item numbers, rater numbers, values, level of measurement.
Scale = Literal["nominal", "ordinal"]
Agreement = Callable[[Ints, Ints, Ints, Scale], Estimate]
EFFECTS = ("accuracy_minus_chance", "cohens_d", "hedges_g")


@dataclass(frozen=True, slots=True)
class AgainstChance:
    """The one-sample t-test of the evaluators' accuracies against chance.

    accuracy_minus_chance: the difference with its t interval; settings hold t, df, p and, in a family, the adjusted
    p_bonferroni, p_holm and p_bh. cohens_d, hedges_g: the difference in sd of an evaluator's accuracy.
    """

    accuracy_minus_chance: Estimate
    cohens_d: Estimate
    hedges_g: Estimate


@dataclass(frozen=True, slots=True)
class Condition:
    """What one condition, or the whole study, shows.

    agreement: `alpha_nominal_binary` (nominal, on the binary reading) and `alpha_ordinal` (ordinal, on the four
    points), where a measure of agreement was given. A rater's first judgment of an item counts.
    """

    accuracy: Accuracy
    against_chance: AgainstChance
    agreement: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """The whole study, each condition, the family its tests were adjusted in (None without conditions), flags.

    Flag `raters_in_several_conditions`: some raters judged in more than one, so the conditions are not independent.
    """

    overall: Condition
    conditions: Mapping[str, Condition]
    family: Family | None
    flags: tuple[str, ...]


def evaluate_judgments(
    judgments: Iterable[EvaluatorJudgment] | Frame,
    by: Sequence[str] = (),
    *,
    family: Family | None = None,
    chance: float = 0.5,
    level: float = 0.95,
    repeats: Repeats = "error",
    agreement: Agreement | None = None,
) -> Evaluation:
    """Measure how well evaluators separate human from machine texts, overall and by condition.

    Args:
        judgments: at most one by each rater of each item in each condition; or a DataFrame with the columns `rater`,
            `item`, `truth` (human, machine), `rating` (1 to 4) and those of `by`.
        by: factors whose combinations are the conditions (`domain`, `generator`, `training`); empty: no conditions.
        family: the hypotheses tested together, one for each condition, declared before the data; None: all conditions.
        chance: accuracy without any skill, in (0, 1).
        level: of every interval, in (0, 1).
        repeats: whether a rater may judge an item more than once in a condition: `error`, or `keep` (each counts).
        agreement: a function that computes Krippendorff's alpha from item numbers, rater numbers, values and level of
            measurement; None: no agreement.

    Returns:
        An `Evaluation`: accuracy with its interval, precision, recall and F1, and a one-sample t-test of the
        evaluators' accuracies against `chance`, overall and in each condition, with p adjusted within the family.

    Raises:
        BadInput: a judgment or a setting breaks a rule, or family and conditions differ.
        InsufficientData: there is no judgment.

    Source:
        Clark et al. (2021), sections 2.1, 2.4 and 3, tables 1 and 2.

    Example:
        >>> from metrics import EvaluatorJudgment, evaluate_judgments
        >>> judgments = [
        ...     EvaluatorJudgment(f"rater {r}", f"text {t}", truth, 4 if (t + r) % 3 else 1)
        ...     for r in range(3) for t, truth in enumerate(("human", "machine") * 4)
        ... ]
        >>> accuracy = evaluate_judgments(judgments).overall.accuracy.accuracy
        >>> round(accuracy.value, 3), accuracy.n
        (0.5, 3)
    """
    check_level(level)
    if not 0 < chance < 1:
        raise BadInput("chance lies between 0 and 1", column="chance")
    by = (by,) if isinstance(by, str) else by
    if is_frame(judgments):
        listed, _ = read_judgments(judgments, by, repeats=repeats)
    else:
        listed = check_records(judgments, EvaluatorJudgment, "judgments")
    groups = by_condition(listed, by) if by else {}
    tables = {name: check_judgments(group, repeats=repeats) for name, group in groups.items()}
    all_judgments = check_judgments(listed, repeats="keep" if groups else repeats)
    if groups and family is None:
        family = Family(CONDITIONS, tuple(groups))
    tests = {name: _t_test(table, chance, level) for name, table in tables.items()}
    adjusted = _adjusted(family, tests) if family else {}

    def condition(table: Judgments, test: TTest | None, more: Mapping[str, Setting]) -> Condition:
        against = _against_chance(table, test, chance, more)
        return Condition(measure_accuracy(table, level=level), against, _agreement(table, agreement))

    conditions = {name: condition(table, tests[name], adjusted[name]) for name, table in tables.items()}
    overall = condition(all_judgments, _t_test(all_judgments, chance, level), {})
    return Evaluation(overall, conditions, family, _flags(all_judgments, tables))


def _agreement(table: Judgments, measure: Agreement | None) -> dict[str, Estimate]:
    """Both alphas the paper's tables leave open (K20), each under its own name."""
    if measure is None:
        return {}
    _, first = np.unique(table.rater * len(table.items) + table.item, return_index=True)
    first_rows = np.sort(first)
    item, rater = table.item[first_rows], table.rater[first_rows]
    views: tuple[tuple[str, Ints, Scale], ...] = (
        ("alpha_nominal_binary", table.called_machine[first_rows].astype(np.int64), "nominal"),
        ("alpha_ordinal", table.rating[first_rows], "ordinal"),
    )
    measures = {}
    for name, value, scale in views:
        try:
            measures[name] = measure(item, rater, value, scale)
        except InsufficientData:
            measures[name] = Estimate(None, 0, None, {"level": scale}, (NO_PAIR,), f"{name}|n:0|v:{__version__}")
    return measures


def _flags(overall: Judgments, tables: Mapping[str, Judgments]) -> tuple[str, ...]:
    shared = bool(tables) and sum(len(table.raters) for table in tables.values()) > len(overall.raters)
    return (SHARED_RATERS,) if shared else ()


def _t_test(table: Judgments, chance: float, level: float) -> TTest | None:
    """The test, or None where one evaluator alone judged."""
    accuracies = evaluator_accuracies(table)
    return single_sample_t(accuracies.values(), chance, level=level) if len(accuracies) > 1 else None


def _adjusted(family: Family, tests: Mapping[str, TTest | None]) -> dict[str, dict[str, Setting]]:
    """Adjusted p-values of each hypothesis by each method, as settings."""
    p = {name: test.p if test else None for name, test in tests.items()}
    tables = {method: adjust(family, p, method).p for method in METHODS}
    shared: dict[str, Setting] = {
        "family": family.name,
        "family_size": len(family.hypotheses),
        "family_alpha": family.alpha,
    }
    return {name: shared | {f"p_{method}": table[name] for method, table in tables.items()} for name in p}


def _against_chance(
    table: Judgments, test: TTest | None, chance: float, adjusted: Mapping[str, Setting]
) -> AgainstChance:
    n = len(table.raters)
    if test is None:
        settings = {"test": "one_sample", "null": chance, "t": None, "df": None, "p": None, **adjusted}
        effects = {
            name: Estimate(None, n, None, settings, ("one_unit",), f"{name}|n:{n}|v:{__version__}") for name in EFFECTS
        }
        return AgainstChance(**effects)
    difference = test.difference
    named = replace(
        difference,
        settings={**difference.settings, **adjusted},
        signature=difference.signature.replace("difference", "accuracy_minus_chance", 1),
    )
    return AgainstChance(named, test.cohens_d, test.hedges_g)
