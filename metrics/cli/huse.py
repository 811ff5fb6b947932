"""`python -m metrics huse ITEMS.csv [--ratings RATINGS.csv]`: HUSE, HUSE-Q, HUSE-D and log p alone."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from metrics.cli import huse_more
from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.csv_files import is_judged_alone, read_items, read_judged, read_ratings
from metrics.data.to_json import SCHEMA_VERSION, estimate_json, huse_document, json_text
from metrics.errors import BadInput
from metrics.huse.estimate import MODES, evaluate, huse_q_only
from metrics.huse.variance_components import evaluate_rated
from metrics.tables.huse import interval_targets
from metrics.types import HuseResult, Mode

COMMAND_ORDER = 10  # in the help

TITLES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D", "log_prob_only": "log p only"}


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    huse = commands.add_parser("huse", help="HUSE, HUSE-Q and HUSE-D from a CSV of judged texts")
    huse.add_argument(
        "items",
        type=Path,
        metavar="ITEMS.csv",
        help="columns hj, source, log_prob, length [id, context, hit]; without log_prob and length HUSE-Q alone",
    )
    huse.add_argument(
        "--ratings",
        type=Path,
        metavar="RATINGS.csv",
        help="columns item, rater, value: HJ comes from them, and the intervals know who rated what",
    )
    huse.add_argument(
        "--mode", choices=MODES, help="ties by exact arithmetic, or the original's floats (default: both)"
    )
    huse.add_argument(
        "--generator", default="", metavar="NAME", help="of several in ITEMS.csv, as a report exports them"
    )
    huse.add_argument("--condition", default="", metavar="NAME", help="of several in RATINGS.csv")
    huse.add_argument(
        "--raters",
        choices=("new", "these"),
        default="new",
        help="with --ratings, whom intervals are for where each source had raters of its own: other raters, or these",
    )
    huse.add_argument("--k", type=int, default=16, help="neighbors (16)")
    huse_more.add_options(huse)
    common_options(huse, seed="the subsamples behind the interval")
    huse.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    modes: Sequence[Mode] = (arguments.mode,) if arguments.mode else MODES
    if is_judged_alone(arguments.items):
        return _quality_alone(arguments, modes)
    items = read_items(arguments.items, arguments.ratings, generator=arguments.generator, condition=arguments.condition)
    ratings = (
        read_ratings(arguments.ratings, [item.id for item in items], condition=arguments.condition)
        if arguments.ratings
        else None
    )
    chosen = {"k": arguments.k, "seed": arguments.seed, "level": arguments.level}
    if ratings is None:
        results = evaluate(items, modes, **chosen)
    else:
        results = evaluate_rated(items, ratings, modes, these_raters=arguments.raters == "these", **chosen)
    more = huse_more.compute_more(items, ratings, arguments)
    if arguments.json:
        return json_text({**huse_document(results), **huse_more.as_json(more)})
    return "\n".join([table(results), *huse_more.as_text(more)])


def _quality_alone(arguments: argparse.Namespace, modes: Sequence[Mode]) -> str:
    """HUSE-Q of items without log p: HUSE and HUSE-D need it. Raises MetricsError."""
    if arguments.permutation is not None or arguments.curves or arguments.sensitivity:
        raise BadInput("the column is missing, which --permutation, --curves and --sensitivity need", column="log_prob")
    items = read_judged(
        arguments.items, arguments.ratings, generator=arguments.generator, condition=arguments.condition
    )
    chosen = {"k": arguments.k, "seed": arguments.seed, "level": arguments.level}
    results = {mode: huse_q_only(items, mode, **chosen) for mode in modes}
    if arguments.json:
        return json_text(
            {"schema_version": SCHEMA_VERSION, **{mode: {"huse_q": estimate_json(e)} for mode, e in results.items()}}
        )
    lines = ["".join(["            ", *(f"{mode:<28}" for mode in results)]).rstrip()]
    lines.append(f"{TITLES['huse_q']:<12}" + "".join(f"{format_cell(e):<28}" for e in results.values()).rstrip())
    lines += ["", "HUSE and HUSE-D need a column log_prob; HUSE-Q is from the judgments alone."]
    for estimate in results.values():
        target = [] if estimate.interval is None else [f"The interval is for the {estimate.interval.target}."]
        lines += ["", estimate.signature, *target, *flags_line([estimate])]
    return "\n".join(lines) + "\n"


def table(results: Mapping[Mode, HuseResult]) -> str:
    """Values with intervals, one line a measure, then what a reader must know."""
    lines = ["".join(["            ", *(f"{mode:<28}" for mode in results)]).rstrip()]
    for field in fields(HuseResult):
        cells = [format_cell(getattr(result, field.name)) for result in results.values()]
        lines.append("".join([f"{TITLES[field.name]:<12}", *(f"{text:<28}" for text in cells)]).rstrip())
    for result in results.values():
        lines += ["", *_notes(result)]
    return "\n".join(lines) + "\n"


def _notes(result: HuseResult) -> list[str]:
    interval = result.huse.interval
    notes = [result.huse.signature]
    if interval is not None:
        notes.append(f"{100 * interval.level:g}% intervals by {interval.method}; n = {result.huse.n} texts.")
        notes += [f"They are for the {target}." for target in interval_targets([result])]
    return notes + flags_line(getattr(result, field.name) for field in fields(result))
