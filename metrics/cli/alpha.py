"""`python -m metrics alpha RATINGS.csv --level LEVEL`: Krippendorff's alpha with its interval."""

from __future__ import annotations

import argparse
from pathlib import Path

from metrics.agreement.krippendorff import LEVELS, RESAMPLED, alpha_of
from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.csv_files import read_ratings
from metrics.data.ratings import of_records
from metrics.data.to_json import SCHEMA_VERSION, estimate_json, json_text
from metrics.types import Estimate

COMMAND_ORDER = 30  # in the help


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("alpha", help="Krippendorff's alpha from a CSV of ratings")
    command.add_argument("ratings", type=Path, metavar="RATINGS.csv", help="columns item, rater, value")
    command.add_argument("--condition", default="", metavar="NAME", help="of several in the column condition")
    command.add_argument(
        "--level", choices=LEVELS, required=True, help="level of measurement: which differences between values count"
    )
    command.add_argument("--draws", type=int, default=1000, help="resamples of items (1000; 0: no interval)")
    command.add_argument("--resample", choices=RESAMPLED, default="both", help="what the interval lets vary (both)")
    common_options(command, seed="the resamples behind the interval", level_option="--confidence")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    ratings = of_records(
        read_ratings(
            arguments.ratings, minimum=0 if arguments.level == "ratio" else None, condition=arguments.condition
        )
    )
    alpha = alpha_of(
        ratings,
        arguments.level,
        draws=arguments.draws,
        confidence=arguments.confidence,
        seed=arguments.seed,
        resampled=arguments.resample,
    )
    if arguments.json:
        return json_text({"schema_version": SCHEMA_VERSION, "alpha": estimate_json(alpha)})
    return table(alpha)


def table(alpha: Estimate) -> str:
    """The value with its interval, what it is of, and what a reader must know."""
    size = alpha.settings
    lines = [
        f"alpha, {size['level']:<12}{format_cell(alpha)}",
        f"items {size['items']} (excluded: {size['items_with_one_rating']} with only one rating)",
        f"raters {size['raters']}, ratings {size['ratings']}",
        alpha.signature,
    ]
    if alpha.interval is not None:
        lines.append(f"{100 * alpha.interval.level:g}% interval: {alpha.interval.method}.")
    return "\n".join(lines + flags_line([alpha])) + "\n"
