"""Conditions of a study of evaluators compared with each other (Clark et al. 2021, section 2.4 and footnotes).

The unit is the evaluator: each has one accuracy, conditions are groups of evaluators. Analysis of variance over all
conditions, Tukey-Kramer over all pairs, and a t-test of each declared pair, adjusted within its family; equivalence
where a margin was declared, and what the groups' sizes could have found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.evaluator_judgments import EvaluatorJudgment, Repeats, by_condition, check_judgments
from metrics.data.frames import Frame, check_records, is_frame
from metrics.data.read_judgments import read_judgments
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.accuracy import evaluator_accuracies
from metrics.inference.anova import Anova, PairTest, single_factor_anova, tukey_kramer
from metrics.inference.distributions import check_level
from metrics.inference.equivalence import Equivalence, Margin, equivalence, equivalence_of_two
from metrics.inference.mixed_model import MixedModel, mixed_model
from metrics.inference.multiple_testing import METHODS, Family, adjust
from metrics.inference.power import minimum_effect, sample_size, t_power
from metrics.inference.t_tests import TTest, two_sample_t
from metrics.types import Estimate, Result, Setting
from metrics.version import __version__

PAIRS = "pairs of conditions"
AGAINST = " - "
SINGLE_EVALUATOR = "condition_with_one_evaluator"
SHARED = "raters_in_several_conditions"
MANY = "too_many_conditions_for_tukey"
MAX_CONDITIONS = 20  # 190 pairs, each an integral of its own
POWER = 0.8


@dataclass(frozen=True, slots=True)
class ConditionPair:
    """Two conditions, first less second.

    difference: of mean accuracies, with its interval; settings hold t, df, p and p_bonferroni, p_holm, p_bh within the
    family. cohens_d, hedges_g: in sd of an evaluator's accuracy. smallest_effect: the d that these numbers of
    evaluators find with a power of .8 at the family's Bonferroni level (settings: what an effect asked about needs).
    """

    a: str
    b: str
    difference: Estimate
    cohens_d: Estimate
    hedges_g: Estimate
    smallest_effect: Estimate


@dataclass(frozen=True, slots=True)
class ConditionComparison(Result):
    """What the conditions show against each other.

    tukey: every pair, p adjusted for all of them; empty with more than 20 conditions (flag). pairs: the family's.
    equivalence: by condition (its mean inside the margin) and by pair (their difference within the margin's width
    around 0), where a margin was given. left_out: conditions of one evaluator (flag `condition_with_one_evaluator`).
    """

    anova: Anova
    tukey: tuple[PairTest, ...]
    pairs: tuple[ConditionPair, ...]
    family: Family
    equivalence: Mapping[str, Equivalence]
    left_out: tuple[str, ...]
    flags: tuple[str, ...]


def compare_conditions(
    judgments: Iterable[EvaluatorJudgment] | Frame,
    by: Sequence[str],
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    equal_variances: bool = False,
    margin: Margin | None = None,
    effect: float | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    repeats: Repeats = "error",
) -> ConditionComparison:
    """Compare the conditions of a study of evaluators, each with at least 2 evaluators.

    The unit is the evaluator, who has one accuracy; conditions are groups of evaluators.

    Args:
        judgments: at most one by each rater of each item in each condition; or a DataFrame with the columns `rater`,
            `item`, `truth` (human, machine), `rating` (1 to 4) and those of `by`.
        by: factors whose combinations are the conditions, at least one.
        pairs: comparisons of the family, declared before the results; None: all pairs.
        equal_variances: Student's test where True, Welch's where False.
        margin: of one condition's accuracy, for tests of equivalence (TOST); None: no such test.
        effect: a Cohen's d whose power and required sample size are added to each pair; None: neither.
        alpha: of the family, in (0, 1).
        level: of the intervals, in (0, 1).
        repeats: whether a rater may judge an item more than once in a condition: `error`, or `keep` (each counts).

    Returns:
        Analysis of variance over all conditions, Tukey-Kramer over all pairs (with at most 20 conditions), a t-test of
        each declared pair with p adjusted within the family, equivalence where a margin was declared, and the smallest
        effect that the groups' sizes detect. Conditions of one evaluator are not compared (flag
        `condition_with_one_evaluator`).

    Raises:
        BadInput: a judgment or a setting breaks a rule, or a pair names an unknown condition.
        InsufficientData: fewer than 2 conditions with 2 evaluators.

    Source:
        Clark et al. (2021), section 2.4 and its footnotes.

    Example:
        >>> from metrics import EvaluatorJudgment, compare_conditions
        >>> correct = {"none": (4, 5, 6), "examples": (6, 7, 8)}
        >>> judgments = [
        ...     EvaluatorJudgment(f"{arm} {e}", f"text {t}", "machine", 4 if t < number else 1, {"training": arm})
        ...     for arm, numbers in correct.items() for e, number in enumerate(numbers) for t in range(8)
        ... ]
        >>> comparison = compare_conditions(judgments, by=["training"])
        >>> pair = comparison.pairs[0]
        >>> pair.a, pair.b, pair.difference.value, round(pair.difference.settings["p"], 3)
        ('none', 'examples', -0.25, 0.07)
    """
    check_level(level)
    by = (by,) if isinstance(by, str) else by
    if is_frame(judgments):
        listed, _ = read_judgments(judgments, by, repeats=repeats)
    else:
        listed = check_records(judgments, EvaluatorJudgment, "judgments")
    groups, left_out, shared = _accuracies(listed, by, repeats)
    if len(groups) < 2:
        raise InsufficientData(f"Comparing conditions needs 2 of them with 2 evaluators each; there are {len(groups)}.")
    chosen = _declared(groups, pairs)
    family = Family(PAIRS, tuple(map(_name, chosen)), alpha)
    tests = {
        _name(pair): two_sample_t(*(groups[c] for c in pair), equal_variances=equal_variances, level=level)
        for pair in chosen
    }
    many = len(groups) > MAX_CONDITIONS
    named = {SINGLE_EVALUATOR: bool(left_out), SHARED: shared, MANY: many}
    return ConditionComparison(
        anova=single_factor_anova(groups),
        tukey=() if many else tukey_kramer(groups, level=level),
        pairs=_pairs(chosen, tests, family, effect),
        family=family,
        equivalence=_equivalence(groups, chosen, margin, equal_variances, alpha) if margin else {},
        left_out=left_out,
        flags=tuple(flag for flag, holds in named.items() if holds),
    )


def mixed_accuracy(
    judgments: Iterable[EvaluatorJudgment],
    by: Sequence[str] = (),
    *,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> MixedModel:
    """Right or wrong (1, 0) ~ condition + (1 | item) + (1 | rater): differences of accuracy, both sides crossed.

    The intercept is the accuracy of the first condition, the other effects what each other adds to it; without `by`
    it is that of human texts, and the effect `machine` what machine texts add. Raises as `mixed_model`.
    """
    listed = list(judgments)
    table = check_judgments(listed, repeats="keep")
    fixed = {"machine": table.machine.astype(np.float64)}
    if by:
        fixed = _dummies(listed, by)
    right = table.correct.astype(np.float64)
    return mixed_model(right, table.item, table.rater, fixed, level=level, draws=draws, seed=seed)


def _dummies(listed: Sequence[EvaluatorJudgment], by: Sequence[str]) -> dict[str, Floats]:
    groups = by_condition(listed, by)
    place = {id(judged): name for name, group in groups.items() for judged in group}
    names = np.array([place[id(judged)] for judged in listed])
    return {name: (names == name).astype(np.float64) for name in list(groups)[1:]}


def _accuracies(
    judgments: Iterable[EvaluatorJudgment], by: Sequence[str], repeats: Repeats
) -> tuple[dict[str, list[float]], tuple[str, ...], bool]:
    """Accuracies by condition, the conditions of one evaluator, and whether anybody is in several."""
    accuracies, raters = {}, list[str]()
    for name, group in by_condition(judgments, by).items():
        by_rater = evaluator_accuracies(check_judgments(group, repeats=repeats))
        accuracies[name] = list(by_rater.values())
        raters += by_rater
    left_out = tuple(name for name, values in accuracies.items() if len(values) < 2)
    compared = {name: values for name, values in accuracies.items() if name not in left_out}
    return compared, left_out, len(set(raters)) < len(raters)


def _declared(groups: Mapping[str, object], pairs: Sequence[tuple[str, str]] | None) -> list[tuple[str, str]]:
    chosen = list(combinations(groups, 2)) if pairs is None else [(a, b) for a, b in pairs]
    for a, b in chosen:
        for name in (a, b):
            if name not in groups:
                raise BadInput(f"no condition with 2 evaluators is called {name!r}", column="pair")
        if a == b:
            raise BadInput(f"a pair is of two conditions, and {a!r} is one", column="pair")
    return chosen


def _name(pair: tuple[str, str]) -> str:
    return AGAINST.join(pair)


def _pairs(
    chosen: Sequence[tuple[str, str]], tests: Mapping[str, TTest], family: Family, effect: float | None
) -> tuple[ConditionPair, ...]:
    p = {name: test.p for name, test in tests.items()}
    tables = {method: adjust(family, p, method).p for method in METHODS}
    compared_pairs = []
    for pair in chosen:
        test, name = tests[_name(pair)], _name(pair)
        more: dict[str, Setting] = {f"p_{method}": table[name] for method, table in tables.items()}
        more |= {"family": family.name, "family_size": len(family.hypotheses), "family_alpha": family.alpha}
        difference = replace(test.difference, settings={**test.difference.settings, **more})
        smallest = _smallest_effect(test, family.bonferroni_alpha, effect)
        compared_pairs.append(ConditionPair(*pair, difference, test.cohens_d, test.hedges_g, smallest))
    return tuple(compared_pairs)


def _smallest_effect(test: TTest, alpha: float, effect: float | None) -> Estimate:
    """Of equal groups of the harmonic mean's size, which a test of two unequal groups is worth."""
    a, b = (sample.n for sample in test.samples)
    n = 2 * a * b / (a + b)
    settings: dict[str, Setting] = {"power": POWER, "alpha": alpha, "n_a": a, "n_b": b, "n_equal_groups": n}
    if effect is not None:
        settings |= {
            "effect": effect,
            "power_for_effect": t_power(effect, a, n_second=b, alpha=alpha),
            "n_a_group_for_effect": sample_size(effect, power=POWER, alpha=alpha).n,
        }
    signature = f"smallest_effect|n:{a + b}|power:{POWER}|alpha:{alpha:g}|v:{__version__}"
    return Estimate(minimum_effect(n, power=POWER, alpha=alpha), a + b, None, settings, (), signature)


def _equivalence(
    groups: Mapping[str, list[float]],
    chosen: Sequence[tuple[str, str]],
    margin: Margin,
    equal_variances: bool,
    alpha: float,
) -> dict[str, Equivalence]:
    half = (margin.high - margin.low) / 2
    around = Margin(-half, half, margin.declared)
    tests = {name: equivalence(values, margin, alpha=alpha) for name, values in groups.items()}
    for a, b in chosen:
        tested = equivalence_of_two(groups[a], groups[b], around, equal_variances=equal_variances, alpha=alpha)
        tests[_name((a, b))] = tested
    return tests
