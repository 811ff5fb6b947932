"""`python -m metrics nnd run TESTS --scores FILE | --model NAME`: pass rates, and McNemar's test."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from metrics.cli.arguments import Commands, common_options
from metrics.cli.loglik import add_model_options, open_backend, show_progress
from metrics.cli.output import flags_line, format_cell, write_text
from metrics.data.csv_files import read_rows
from metrics.data.to_json import json_text
from metrics.errors import BadInput
from metrics.likelihood import FileStore
from metrics.nnd.administer import Administered, administer_tests
from metrics.nnd.compare import Comparison
from metrics.nnd.curves import CurvePoint, Place, curve_points
from metrics.nnd.documents import read_tests
from metrics.nnd.rates import PassRate, PassRates
from metrics.nnd.records import TestSet
from metrics.nnd.run import Findings, Reversal, administer_by_model, findings_json, summarise_models
from metrics.nnd.scores import read_scores
from metrics.pages.browser import Selection, browser_page
from metrics.pages.curves import curves_page

AXES = ("parameters", "checkpoint_step")


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("run", help="pass rates of models, from log-probabilities or by asking one")
    command.add_argument("tests", type=Path, metavar="TESTS", help="what `nnd build --json` wrote")
    command.add_argument(
        "--scores",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="a model's log_prob and tokens by id, or by context and candidate; JSON lines or CSV; repeatable",
    )
    command.add_argument("--model", help="a model takes the tests: folder or hub name; with --server, its name there")
    command.add_argument("--server", metavar="URL", help="an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1")
    command.add_argument("--end", default="", help="with --server: the end-of-text token as text, so that it counts")
    command.add_argument(
        "--store", type=Path, metavar="FILE", help="with --model: store scores in this file and continue from it"
    )
    add_model_options(command)
    command.add_argument("--ties", choices=("fail", "second"), default="fail", help="second: the original code's rule")
    command.add_argument(
        "--reproduce",
        action="store_true",
        help="as the original code: the start token before every candidate, and --ties second",
    )
    command.add_argument("--draws", type=int, default=2000, help="draws of the bootstrap (2000)")
    command.add_argument(
        "--sizes", type=Path, metavar="CSV", help="columns model, family, and parameters or checkpoint_step: curves too"
    )
    command.add_argument("--outcomes", action="store_true", help="with --json: every test with both likelihoods")
    command.add_argument("--page", type=Path, metavar="HTML", help="output file for browsing one model's tests")
    command.add_argument("--curves", type=Path, metavar="HTML", help="with --sizes: output file of the curves")
    command.add_argument(
        "--show", choices=("failed", "passed", "tied", "all"), default="all", help="with --page: tests to show"
    )
    command.add_argument("--category", help="with --page: only this category")
    common_options(command, seed="the bootstrap over contexts")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    tests = read_tests(arguments.tests)
    if arguments.reproduce:
        arguments.start_token, arguments.ties = "always", "second"
    models = _models(arguments.scores)
    if not models and arguments.model is None:
        raise BadInput("name a file of log-probabilities (--scores) or a model (--model)", column="--scores")
    administered = [
        administer_tests(tests, read_scores(path), model=name, ties=arguments.ties) for name, path in models
    ]
    if arguments.model is not None:
        administered.append(_administer(tests, arguments))
    findings = summarise_models(administered, level=arguments.level, draws=arguments.draws, seed=arguments.seed)
    if arguments.sizes:
        findings = replace(findings, curve=_curve(arguments.sizes, findings.rates))
    if arguments.curves:
        if not arguments.sizes:
            raise BadInput("curves need the models' sizes or steps (--sizes)", column="--curves")
        write_text(curves_page(findings.curve), arguments.curves)
    if arguments.page:
        if len(administered) > 1:
            raise BadInput("the browser shows one model", column="--page")
        write_text(
            browser_page(administered[0], findings.rates[0], Selection(arguments.show, arguments.category)),
            arguments.page,
        )
    return json_text(findings_json(findings, outcomes=arguments.outcomes)) if arguments.json else table(findings)


def _administer(tests: TestSet, arguments: argparse.Namespace) -> Administered:
    """The tests as taken by the model that the arguments name."""
    return administer_by_model(
        tests,
        open_backend(arguments),
        model=arguments.model,
        ties=arguments.ties,
        store=FileStore(arguments.store) if arguments.store else None,
        progress=show_progress if sys.stderr.isatty() else None,
    )


def table(findings: Findings) -> str:
    """One block a model, then the comparisons and the curve."""
    blocks = [_block(rates) for rates in findings.rates]
    if findings.comparisons:
        blocks.append("\n".join(_comparison(comparison) for comparison in findings.comparisons))
    if findings.reversals:
        blocks.append("\n".join(_reversal(reversal) for reversal in findings.reversals))
    if findings.curve:
        blocks.append("\n".join(_point(point) for point in findings.curve))
    return "\n\n".join(blocks) + "\n"


def _block(rates: PassRates) -> str:
    lines = [
        f"{rates.model:<28}{'n':>7}  {'pass rate':<24}{'Wilson':<20}{'ties':>6}",
        _line("all tests", rates.overall),
    ]
    lines += [_line(name, rate) for name, rate in rates.by_category.items()]
    if rates.left_out:
        lines.append(f"{rates.left_out} tests excluded: {len(rates.missing)} candidate(s) without a score.")
    interval = rates.overall.estimate.interval
    if interval is not None:
        lines.append(f"{100 * interval.level:g}% intervals: {interval.method}; Wilson takes tests for independent.")
    every = [rates.overall.estimate, *(rate.estimate for rate in rates.by_category.values())]
    return "\n".join([*lines, rates.overall.estimate.signature, *flags_line(every)])


def _line(name: str, rate: PassRate) -> str:
    wilson = f"[{rate.wilson.low:.3f}, {rate.wilson.high:.3f}]" if rate.wilson else "none"
    return f"  {name:<26}{rate.estimate.n:>7}  {format_cell(rate.estimate):<24}{wilson:<20}{rate.ties:>6}"


def _comparison(comparison: Comparison) -> str:
    counts, difference = comparison.mcnemar, comparison.difference
    return (
        f"{comparison.first} less {comparison.second}: {format_cell(difference)}, n {difference.n}; only the "
        f"first passed {counts.only_first}, only the second {counts.only_second}; McNemar p {counts.p:.4g}"
    )


def _reversal(reversal: Reversal) -> str:
    difference = reversal.category_difference
    return (
        f"reversed on {reversal.category}: {reversal.first} less {reversal.second} "
        f"{format_cell(difference)}, n {difference.n}; on all tests {format_cell(reversal.overall)}"
    )


def _point(point: CurvePoint) -> str:
    value = "none" if point.value is None else f"{point.value:.3f}"
    return f"{point.category:<24}{point.family:<16}{point.axis} {point.x:<14g}{point.model:<20}{value}  n {point.n}"


def _models(score_files: Sequence[str]) -> list[tuple[str, Path]]:
    """Name and file of each model; without a name, the file's own without its ending."""
    models: list[tuple[str, Path]] = []
    for text in score_files:
        name, equals, path = text.partition("=")
        model = (name, Path(path)) if equals and name and path else (Path(text).stem, Path(text))
        if model[0] in (other for other, _ in models):
            raise BadInput(f"two models are called {model[0]!r}; write NAME=FILE", column="--scores")
        models.append(model)
    return models


def _curve(path: Path, rates: Sequence[PassRates]) -> list[CurvePoint]:
    rows = read_rows(path, ("model", "family"))
    axis = next((axis for axis in AXES if axis in rows[0].cells), None)
    if axis is None:
        raise BadInput(f"the column is missing ({' or '.join(AXES)})", where=path.name, row=1, column=AXES[0])
    by_model = {row.text("model"): row for row in rows}
    absent = [model_rates.model for model_rates in rates if model_rates.model not in by_model]
    if absent:
        raise BadInput(f"no row names the model {absent[0]!r}", where=path.name, column="model")
    places = [
        Place(by_model[model_rates.model].text("family"), float(by_model[model_rates.model].number(axis)), model_rates)
        for model_rates in rates
    ]
    return curve_points(places, "parameters" if axis == "parameters" else "checkpoint_step")
