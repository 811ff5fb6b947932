"""`python -m metrics nnd build|pairs|run|verify`: near-negative tests from annotations, and models put to them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from metrics.cli import nnd_build, nnd_run
from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.csv_files import read_rows
from metrics.data.to_json import SCHEMA_VERSION, json_text
from metrics.errors import InsufficientData
from metrics.nnd.documents import read_tests, verified_json
from metrics.nnd.scores import candidates_of
from metrics.nnd.verify import Verified, verify

COMMAND_ORDER = 50  # in the help


def add(commands: Commands) -> None:
    """Add the command and its own commands."""
    command = commands.add_parser("nnd", help="near-negative tests: build, pairs, run, verify")
    subcommands = command.add_subparsers(dest="nnd_command", required=True, metavar="build|pairs|run|verify")
    nnd_build.add(subcommands)
    _add_pairs(subcommands)
    nnd_run.add(subcommands)
    _add_verify(subcommands)


def _add_pairs(commands: Commands) -> None:
    command = commands.add_parser("pairs", help="the texts a model must score, as JSON lines: id, context, candidate")
    command.add_argument("tests", type=Path, metavar="TESTS", help="what `nnd build --json` wrote")
    common_options(command)
    command.set_defaults(run=run_pairs)


def run_pairs(arguments: argparse.Namespace) -> str:
    """One line a candidate that is not blank: nothing has no token to score.

    Raises MetricsError; InsufficientData where the tests hold no texts.
    """
    candidates = candidates_of(read_tests(arguments.tests))
    if any(candidate.text is None for candidate in candidates):
        raise InsufficientData(
            f"{arguments.tests.name} holds no texts to score; build the tests with the file of texts."
        )
    lines = [
        {"id": candidate.id, "context": candidate.context or "", "candidate": candidate.text}
        for candidate in candidates
        if candidate.text
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _add_verify(commands: Commands) -> None:
    command = commands.add_parser("verify", help="metrics against human scores of the same systems, from a CSV")
    command.add_argument("systems", type=Path, metavar="SYSTEMS.csv", help="columns system, human, and any metrics")
    command.add_argument("--human", default="human", metavar="COLUMN", help="the column of human scores (human)")
    command.add_argument("--metric", action="append", metavar="COLUMN", help="a metric (default: every other column)")
    common_options(command)
    command.set_defaults(run=run_verify)


def run_verify(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    rows = read_rows(arguments.systems, ("system", arguments.human, *(arguments.metric or ())))
    names = arguments.metric or [column for column in rows[0].cells if column not in ("system", arguments.human)]
    if not names:
        raise InsufficientData(f"{arguments.systems.name} needs a metric column besides system and {arguments.human}.")
    seen: dict[str, int] = {}
    for row in rows:
        system = row.text("system")
        if system in seen:
            raise row.error("system", f"duplicate system {system!r}, first in row {seen[system]}")
        seen[system] = row.line
    columns = {
        name: {row.text("system"): float(row.number(name)) for row in rows} for name in (arguments.human, *names)
    }
    verified = verify(columns[arguments.human], {name: columns[name] for name in names})
    if arguments.json:
        metrics = {metric.metric: verified_json(metric) for metric in verified}
        return json_text({"schema_version": SCHEMA_VERSION, "human": arguments.human, "metrics": metrics})
    return table(verified)


def table(verified: list[Verified]) -> str:
    """One line a metric."""
    lines = [f"{'metric':<24}{'Kendall tau-b':<24}{'p':<10}{'gap correlation':<18}as printed"]
    for metric in verified:
        p = "none" if metric.tau.p is None else f"{metric.tau.p:.4g}"
        gaps = f"{format_cell(metric.gap):<18}{format_cell(metric.gap_as_printed)}"
        lines.append(f"{metric.metric:<24}{format_cell(metric.tau.estimate):<24}{p:<10}{gaps}")
    lines.append(f"n = {len(verified[0].systems)} systems; as printed depends on the order in which they are listed.")
    return "\n".join([*lines, *flags_line(metric.tau.estimate for metric in verified)]) + "\n"
