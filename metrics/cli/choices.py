"""`python -m metrics choices ANSWERS.csv`: k-alternative forced choice against its chance level, 1 / k."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.evaluator_judgments import HIGHEST, LOWEST, MACHINE, EvaluatorJudgment
from metrics.data.forced_choices import ForcedChoice, read_choices
from metrics.data.to_json import SCHEMA_VERSION, estimate_json, json_text
from metrics.errors import BadInput
from metrics.evaluators.evaluate import Condition, evaluate_judgments
from metrics.types import Estimate

COMMAND_ORDER = 45  # in the help

TITLES = {
    "accuracy": "accuracy (mean of raters)",
    "accuracy_crossed": "  for new items too",
    "accuracy_item": "accuracy (mean of items)",
    "accuracy_pooled": "accuracy (all answers)",
    "accuracy_minus_chance": "accuracy less chance",
}


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("choices", help="accuracy of forced choices among k texts, against chance 1 / k")
    command.add_argument(
        "answers", type=Path, metavar="ANSWERS", help="CSV: columns rater, item, choice, answer [condition]; or JSON"
    )
    command.add_argument("--key", type=Path, metavar="KEY.csv", help="right answers (label) of answers in JSON")
    command.add_argument("--alternatives", type=int, metavar="K", help="to choose from (default: those that occur)")
    common_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    choices = read_choices(arguments.answers, arguments.key)
    occurring = {name for choice in choices for name in (choice.choice, choice.answer)}
    alternatives = arguments.alternatives if arguments.alternatives is not None else len(occurring)
    if alternatives < max(2, len(occurring)):
        raise BadInput(f"{len(occurring)} alternatives occur, and there are at least 2", column="--alternatives")
    by = ("condition",) if any(choice.condition for choice in choices) else ()
    evaluation = evaluate_judgments(
        [_as_judgment(choice, by) for choice in choices], by, chance=1 / alternatives, level=arguments.level
    )
    groups = {"all answers": evaluation.overall, **evaluation.conditions}
    counts = Counter(choice.choice for choice in choices)
    if arguments.json:
        measures = {
            name: {key: estimate_json(value) for key, value in _measures(group).items()}
            for name, group in groups.items()
        }
        document = {"schema_version": SCHEMA_VERSION, "alternatives": alternatives, "chance": 1 / alternatives}
        return json_text({**document, "accuracy": measures, "chosen": dict(sorted(counts.items()))})
    return table(groups, choices, alternatives)


def _as_judgment(choice: ForcedChoice, by: Sequence[str]) -> EvaluatorJudgment:
    """A right answer is a machine's text called one: accuracy, its intervals and tests are the same."""
    factors = dict.fromkeys(by, choice.condition or "none")
    return EvaluatorJudgment(choice.rater, choice.item, MACHINE, HIGHEST if choice.right else LOWEST, factors)


def _measures(group: Condition) -> Mapping[str, Estimate]:
    accuracy = {name: getattr(group.accuracy, name) for name in TITLES if hasattr(group.accuracy, name)}
    return {**accuracy, "accuracy_minus_chance": group.against_chance.accuracy_minus_chance}


def table(groups: Mapping[str, Condition], choices: Sequence[ForcedChoice], alternatives: int) -> str:
    """A block a condition, then which alternatives were chosen and right."""
    blocks = [_block(name, group) for name, group in groups.items()]
    chosen, right = Counter(choice.choice for choice in choices), Counter(choice.answer for choice in choices)
    names = sorted({*chosen, *right})
    lines = [f"chance: 1 of {alternatives} = {1 / alternatives:.3f}"]
    lines += [f"{name}: chosen {chosen[name]}, right {right[name]} times" for name in names]
    return "\n\n".join([*blocks, "\n".join(lines)]) + "\n"


def _block(name: str, group: Condition) -> str:
    measures = _measures(group)
    accuracy = measures["accuracy"]
    size = accuracy.settings
    lines = [f"{name} (raters {accuracy.n}, items {size['items']}, answers {size['judgments']})"]
    lines += [f"{title:<28}{format_cell(measures[key])}" for key, title in TITLES.items()]
    settings = measures["accuracy_minus_chance"].settings
    cells = [(key, settings.get(key)) for key in ("t", "df", "p")]
    shown = ", ".join(f"{key} none" if value is None else f"{key} {value:.4g}" for key, value in cells)
    lines.append(f"{'test against chance':<28}{shown}")
    return "\n".join([*lines, *flags_line([accuracy])])
