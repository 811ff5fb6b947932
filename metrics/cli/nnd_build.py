"""`python -m metrics nnd build --format FORMAT FILE...`: near-negative tests from annotations."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from metrics.cli.arguments import Commands, common_options
from metrics.data.to_json import json_text
from metrics.errors import BadInput
from metrics.nnd.build import Options
from metrics.nnd.documents import tests_json
from metrics.nnd.formats import by_name
from metrics.nnd.formats.by_name import Choices, build_from_files
from metrics.nnd.formats.table import table_tests
from metrics.nnd.orders import Numbers, Order, PartialOrder, Ranks
from metrics.nnd.records import TestSet

# Which options belong to which format; any other is an error, never ignored.
FORMAT_OPTIONS = {
    "template": ("quiz-design",),
    "dataset": ("frank",),
    "split": ("frank", "summeval"),
    "categories": ("frank", "mqm"),
    "annotators": ("summeval",),
    "ranks": ("table",),
    "better": ("table",),
    "minimum_gap": ("table",),
}
CHOICES = {
    ("frank", "dataset"): ("cnndm", "bbc", "all"),
    ("frank", "split"): ("test", "valid", "all"),
    ("frank", "categories"): ("group", "leaf"),
    ("summeval", "split"): ("odd", "even", "all"),
    ("summeval", "annotators"): ("expert", "turker"),
    ("mqm", "categories"): ("category", "severity"),
}
TABLE = "table"
FORMATS = (*by_name.FORMATS, TABLE)


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("build", help="create tests from annotations")
    command.add_argument("files", type=Path, nargs="+", metavar="FILE", help="annotations (frank: then the texts)")
    command.add_argument("--format", choices=FORMATS, required=True, help="what the annotations are")
    command.add_argument("--must-include", metavar="LABEL", help="one candidate of each test carries this label")
    command.add_argument(
        "--keep-equal-texts", action="store_true", help="include pairs of equal texts, as the original does"
    )
    command.add_argument("--fold-case", action="store_true", help="texts that differ only in case are equal")
    command.add_argument("--template", help="quiz-design: what a model reads, with {answer} and {context}")
    command.add_argument("--dataset", help="frank: cnndm (default), bbc, all")
    command.add_argument("--split", help="frank: test (default), valid, all; summeval: odd (default), even, all rows")
    command.add_argument("--categories", help="frank: group (default), leaf; mqm: category (default), severity")
    command.add_argument("--annotators", help="summeval: expert (default), turker")
    command.add_argument("--ranks", metavar="LABEL=RANK,...", help="table: ranks of the labels, higher is better")
    command.add_argument(
        "--better", action="append", metavar="A>B>C", help="table: labels, the better first; repeatable"
    )
    command.add_argument("--minimum-gap", metavar="GAP", help="table: smallest gap of the column quality (0)")
    common_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    _check_options(arguments)
    tests = _build(arguments, Options(arguments.must_include, arguments.keep_equal_texts, arguments.fold_case))
    return json_text(tests_json(tests)) if arguments.json else table(tests)


def table(tests: TestSet) -> str:
    """Total, tests by category, and what was excluded."""
    lines = [
        f"{len(tests)} tests from {tests.candidates} candidates of {tests.contexts} contexts ({tests.source})",
        *_counts("by category", tests.by_category),
    ]
    if tests.by_combination != tests.by_category:
        lines += _counts("by combination of categories", tests.by_combination)
    lines += _counts("excluded", tests.skipped) if tests.skipped else ["excluded: none"]
    lines.append("settings: " + ", ".join(f"{name} {value!r}" for name, value in tests.settings.items()))
    if tests.flags:
        lines.append("flags: " + ", ".join(tests.flags))
    return "\n".join(lines) + "\n"


def _counts(title: str, counts: Mapping[str, int]) -> list[str]:
    return [f"{title}:", *(f"  {count:>8}  {name}" for name, count in counts.items())]


def _build(arguments: argparse.Namespace, options: Options) -> TestSet:
    if arguments.format != TABLE:
        names = ("template", "dataset", "split", "categories", "annotators")
        choices = Choices(**{name: getattr(arguments, name) for name in names})
        return build_from_files(arguments.format, arguments.files, choices=choices, options=options)
    if len(arguments.files) > 1:
        raise BadInput(f"the format {TABLE} takes one file", where=str(arguments.files[-1]))
    return table_tests(arguments.files[0], _order(arguments), options=options)


def _order(arguments: argparse.Namespace) -> Order:
    chosen = [name for name in ("ranks", "better", "minimum_gap") if getattr(arguments, name) is not None]
    if len(chosen) > 1:
        raise BadInput("choose one of --ranks, --better and --minimum-gap", column="options")
    if arguments.ranks is not None:
        return Ranks(_ranks(arguments.ranks))
    if arguments.better is not None:
        return PartialOrder(pair for chain in arguments.better for pair in _chain(chain))
    return Numbers(_number(arguments.minimum_gap or "0", "--minimum-gap"))


def _ranks(text: str) -> dict[str, float]:
    ranks: dict[str, float] = {}
    for part in text.split(","):
        label, equals, rank = (piece.strip() for piece in part.rpartition("="))
        if not (equals and label) or label in ranks:
            raise BadInput(f"LABEL=RANK was expected, each label once, not {part.strip()!r}", column="--ranks")
        ranks[label] = float(_number(rank, "--ranks"))
    return ranks


def _chain(text: str) -> list[tuple[str, str]]:
    labels = [label.strip() for label in text.split(">")]
    if len(labels) < 2 or not all(labels):
        raise BadInput(f"LABEL>LABEL was expected, not {text!r}", column="--better")
    return list(itertools.pairwise(labels))


def _number(text: str, option: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"a number was expected, not {text!r}", column=option) from None


def _check_options(arguments: argparse.Namespace) -> None:
    for name, formats in FORMAT_OPTIONS.items():
        value = getattr(arguments, name)
        if value is None:
            continue
        option = "--" + name.replace("_", "-")
        if arguments.format not in formats:
            raise BadInput(f"the option belongs to the format {' and '.join(formats)}", column=option)
        choices: Sequence[str] = CHOICES.get((arguments.format, name), ())
        if choices and value not in choices:
            raise BadInput(f"the value must be one of {', '.join(choices)}, not {value!r}", column=option)
