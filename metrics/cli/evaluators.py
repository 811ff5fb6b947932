"""`python -m metrics evaluators JUDGMENTS.csv`: accuracy of human-or-machine judgments."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from metrics.agreement.krippendorff import krippendorff_alpha
from metrics.cli import evaluators_more
from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.read_judgments import read_judgments
from metrics.data.to_json import json_text
from metrics.evaluators.evaluate import Condition, Evaluation, evaluate_judgments
from metrics.evaluators.to_json import collect_measures, evaluation_json

COMMAND_ORDER = 40  # in the help

TITLES = {
    "accuracy": "accuracy (mean of evaluators)",
    "accuracy_crossed": "  for new items too",
    "accuracy_item": "accuracy (mean of items)",
    "accuracy_pooled": "accuracy (all ratings)",
    "precision": "precision, machine",
    "recall": "recall, machine",
    "specificity": "specificity",
    "f1": "F1, machine",
    "percent_human": "% human",
    "percent_confident": "% confident",
    "accuracy_minus_chance": "accuracy less chance",
    "cohens_d": "Cohen's d",
    "hedges_g": "Hedges' g",
    "alpha_nominal_binary": "alpha, nominal, binary",
    "alpha_ordinal": "alpha, ordinal, 4 points",
}
NO_CLAIM = "A difference from chance that is not significant does not show that there is none (that takes TOST)."


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("evaluators", help="accuracy of evaluators, human against machine, from a CSV")
    command.add_argument(
        "judgments",
        type=Path,
        metavar="JUDGMENTS.csv",
        help="columns rater, item, truth (human, machine), rating (1 to 4) [condition]",
    )
    command.add_argument(
        "--by", metavar="COLUMN", action="append", help="columns that make the condition (default: condition)"
    )
    command.add_argument("--chance", type=float, default=0.5, help="accuracy without any skill (0.5)")
    evaluators_more.add_options(command)
    common_options(command, seed="the resamples of items behind the intervals of alpha")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    judgments, by = read_judgments(arguments.judgments, arguments.by)
    agreement = partial(krippendorff_alpha, confidence=arguments.level, seed=arguments.seed)
    evaluation = evaluate_judgments(judgments, by, chance=arguments.chance, level=arguments.level, agreement=agreement)
    more = evaluators_more.compute_more(judgments, by, evaluation, arguments)
    if arguments.json:
        return json_text({**evaluation_json(evaluation), **evaluators_more.as_json(more)})
    return "\n".join([table(evaluation), *evaluators_more.as_text(more)])


def table(evaluation: Evaluation) -> str:
    """One block for the whole study and one a condition, each value with its interval, then the tests."""
    blocks = [_block("all judgments", evaluation.overall)]
    blocks += [_block(name, condition) for name, condition in evaluation.conditions.items()]
    notes = [NO_CLAIM]
    if evaluation.family:
        notes.insert(0, evaluation.family.describe("declared"))
    if evaluation.flags:
        notes.append("flags: " + ", ".join(evaluation.flags))
    return "\n\n".join([*blocks, "\n".join(notes)]) + "\n"


def _block(name: str, condition: Condition) -> str:
    estimates = collect_measures(condition)
    counts = condition.accuracy.confusion
    accuracy = condition.accuracy.accuracy
    size = accuracy.settings
    lines = [f"{name} (evaluators {accuracy.n}, items {size['items']}, ratings {size['judgments']})"]
    lines += [f"{title:<31}{format_cell(estimates[key])}" for key, title in TITLES.items() if key in estimates]
    lines.append(f"{'tp fp fn tn':<31}{counts.tp} {counts.fp} {counts.fn} {counts.tn}")
    lines.append(f"{'test against chance':<31}{_test(condition)}")
    lines += [f"{f'scores 1-4, {truth}':<31}{_scores(condition, truth)}" for truth in ("human", "machine")]
    lines.append(accuracy.signature)
    if accuracy.interval is not None:
        lines.append(f"{100 * accuracy.interval.level:g}% intervals; accuracy by {accuracy.interval.method}.")
    return "\n".join(lines + flags_line(estimates.values()))


def _test(condition: Condition) -> str:
    settings = condition.against_chance.accuracy_minus_chance.settings
    names = ("t", "df", "p", "p_bonferroni", "p_holm", "p_bh")
    cells = [(name, settings[name]) for name in names if name in settings]
    return ", ".join(f"{name} none" if value is None else f"{name} {value:.4g}" for name, value in cells)


def _scores(condition: Condition, truth: str) -> str:
    bins = [entry for entry in condition.accuracy.histogram if entry.truth == truth]
    return "  ".join(f"{entry.count} ({format_cell(entry.share)})" for entry in bins)
