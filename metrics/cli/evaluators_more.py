"""What `python -m metrics evaluators` adds: conditions against each other, equivalence, power, the mixed model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from metrics.cli.output import format_cell
from metrics.data.arm_assignment import assignment_sentence
from metrics.data.evaluator_judgments import EvaluatorJudgment, check_judgments
from metrics.data.to_json import estimate_json
from metrics.errors import BadInput
from metrics.evaluators.accuracy import evaluator_accuracies
from metrics.evaluators.conditions import ConditionComparison, compare_conditions, mixed_accuracy
from metrics.evaluators.conditions_to_json import anova_estimate, comparison_json, mixed_json, tost_estimate
from metrics.evaluators.evaluate import Evaluation
from metrics.inference.equivalence import Equivalence, Margin, equivalence
from metrics.inference.mixed_model import MixedModel
from metrics.types import Estimate

OVERALL = "all judgments"


@dataclass(frozen=True, slots=True)
class More:
    """The comparison (None: fewer than two conditions of two evaluators), TOST of the whole study, the mixed model.

    assignment: how evaluators came to their condition, where there are several; "" where it was drawn.
    """

    comparison: ConditionComparison | None
    tost: Equivalence | None
    mixed: MixedModel | None
    assignment: str = ""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--test", choices=("welch", "student"), default="welch", help="t-test of two conditions (welch)"
    )
    command.add_argument(
        "--pair",
        nargs=2,
        action="append",
        metavar=("A", "B"),
        help="two conditions of the declared family, once for each comparison (default: all pairs)",
    )
    command.add_argument("--alpha", type=float, default=0.05, help="error rate of the family (0.05)")
    command.add_argument(
        "--margin", nargs=2, type=float, metavar=("LOW", "HIGH"), help="accuracies that count as the same, for TOST"
    )
    command.add_argument("--declared", metavar="WHERE", help="where the margin was set before the data")
    command.add_argument(
        "--effect", type=float, metavar="D", help="effect size d: show its power and the sample size that it needs"
    )
    command.add_argument(
        "--assigned",
        choices=("chosen", "waves", "drawn"),
        help="how evaluators came to their condition: they chose it, one was open after another, or it was drawn",
    )
    command.add_argument("--mixed", action="store_true", help="fit the crossed mixed model of items and raters")


def compute_more(
    judgments: Sequence[EvaluatorJudgment], by: Sequence[str], evaluation: Evaluation, arguments: argparse.Namespace
) -> More:
    """Compute what the data and the options ask for. Raises MetricsError."""
    margin = _margin(arguments)
    big = [c for c in evaluation.conditions.values() if c.accuracy.accuracy.n > 1]
    if len(big) < 2 and (arguments.pair or arguments.effect is not None):
        raise BadInput("comparing conditions needs two of them with two evaluators each", column="condition")
    compared = None
    if len(big) > 1:
        compared = compare_conditions(
            judgments,
            by,
            pairs=[(a, b) for a, b in arguments.pair] if arguments.pair else None,
            equal_variances=arguments.test == "student",
            margin=margin,
            effect=arguments.effect,
            alpha=arguments.alpha,
            level=arguments.level,
        )
    accuracies = evaluator_accuracies(check_judgments(judgments, repeats="keep"))
    tost = equivalence(accuracies.values(), margin, alpha=arguments.alpha) if margin else None
    mixed = mixed_accuracy(judgments, by, level=arguments.level, seed=arguments.seed) if arguments.mixed else None
    assignment = assignment_sentence(arguments.assigned) if len(evaluation.conditions) > 1 else ""
    return More(compared, tost, mixed, assignment)


def _margin(arguments: argparse.Namespace) -> Margin | None:
    if arguments.margin is None:
        return None
    if not arguments.declared:
        raise BadInput("a margin needs --declared: where it was set before the data", column="--margin")
    low, high = arguments.margin
    return Margin(low, high, arguments.declared)


def as_json(more: More) -> dict[str, Any]:
    """`comparison` (null without conditions to compare), `tost` of the whole study, `mixed_model`, as asked for.

    `assignment`: how evaluators came to their condition, unless it was drawn.
    """
    document: dict[str, Any] = {"comparison": comparison_json(more.comparison) if more.comparison else None}
    if more.tost:
        document["tost"] = estimate_json(tost_estimate(more.tost))
    if more.mixed:
        document["mixed_model"] = mixed_json(more.mixed)
    if more.assignment:
        document["assignment"] = more.assignment
    return document


def as_text(more: More) -> list[str]:
    """One block each."""
    blocks = [_comparison(more.comparison)] if more.comparison else []
    equivalent = {OVERALL: more.tost} if more.tost else {}
    equivalent |= more.comparison.equivalence if more.comparison else {}
    blocks += [_tost(equivalent)] if equivalent else []
    blocks += [_mixed(more.mixed)] if more.mixed else []
    return [*blocks, f"{more.assignment}\n"] if more.assignment else blocks


def _numbers(estimate: Estimate, *names: str) -> str:
    values = [(name, estimate.settings.get(name)) for name in names]
    return ", ".join(f"{name} none" if value is None else f"{name} {value:.4g}" for name, value in values)


def _comparison(comparison: ConditionComparison) -> str:
    anova = anova_estimate(comparison.anova)
    tested = f"ANOVA F {format_cell(anova)}, {_numbers(anova, 'p', 'eta_squared')}"
    lines = [f"Conditions compared, evaluators as units. {tested}."]
    for pair in comparison.pairs:
        test = pair.difference
        lines.append(
            f"{pair.a} - {pair.b}: {format_cell(test)}, {_numbers(test, 't', 'df', 'p', 'p_bonferroni', 'p_holm')}"
        )
        effects = f"  d {format_cell(pair.cohens_d)}, g {format_cell(pair.hedges_g)}"
        lines.append(f"{effects}; smallest d found with power 0.8: {format_cell(pair.smallest_effect)}")
        if "effect" in pair.smallest_effect.settings:
            power_settings = ("effect", "power_for_effect", "n_a_group_for_effect")
            lines.append(f"  {_numbers(pair.smallest_effect, *power_settings)}")
    lines += [
        f"Tukey-Kramer {pair.a} - {pair.b}: {format_cell(pair.difference)}, {_numbers(pair.difference, 'q', 'p')}"
        for pair in comparison.tukey
    ]
    lines.append(comparison.family.describe())
    if comparison.left_out:
        lines.append(f"Excluded, with only one evaluator: {', '.join(comparison.left_out)}.")
    return "\n".join(lines + (["flags: " + ", ".join(comparison.flags)] if comparison.flags else [])) + "\n"


def _tost(equivalences: dict[str, Equivalence]) -> str:
    first = next(iter(equivalences.values()))
    margin = first.margin
    lines = [f"Equivalence (TOST), margin {margin.low:g} to {margin.high:g} declared in: {margin.declared}"]
    for name, test in equivalences.items():
        verdict = {True: "equivalent", False: "not shown equivalent", None: "no verdict"}[test.equivalent]
        shown = tost_estimate(test)
        lines.append(f"{name}: {format_cell(shown)}, {_numbers(shown, 't_low', 't_high', 'p')}: {verdict}")
    return "\n".join(lines) + "\n"


def _mixed(model: MixedModel) -> str:
    lines = ["Mixed model of right answers, crossed raters and items:"]
    lines += [f"{name}: {format_cell(estimate)}" for name, estimate in model.effects.items()]
    if model.variances:
        lines.append("variances: " + ", ".join(f"{name} {value:.4g}" for name, value in model.variances.items()))
    return "\n".join(lines + ([model.note] if model.note else [])) + "\n"
