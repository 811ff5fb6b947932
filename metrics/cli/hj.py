"""`python -m metrics hj RATINGS.csv`: the human judgment of each item, and how the ratings are spread."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell
from metrics.data.csv_files import read_ratings
from metrics.data.human_judgment import hj_estimates, human_judgments, sum_ratings
from metrics.data.to_json import SCHEMA_VERSION, estimate_json, json_text
from metrics.types import Estimate, Rating

COMMAND_ORDER = 20  # in the help

HJ_LEVEL = 0.90  # the paper's error bars


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("hj", help="human judgment of each item from a CSV of ratings")
    command.add_argument("ratings", type=Path, metavar="RATINGS.csv", help="columns item, rater, value")
    command.add_argument("--condition", default="", metavar="NAME", help="of several in the column condition")
    command.add_argument("--method", choices=("t", "z"), default="t", help="quantile of the intervals (t)")
    common_options(command, level=HJ_LEVEL)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    ratings = read_ratings(arguments.ratings, condition=arguments.condition)
    hj_by_item = hj_estimates(human_judgments(sum_ratings(ratings), level=arguments.level, method=arguments.method))
    if arguments.json:
        items = {name: estimate_json(estimate) for name, estimate in hj_by_item.items()}
        return json_text({"schema_version": SCHEMA_VERSION, "hj": items, "distribution": describe_ratings(ratings)})
    return table(hj_by_item, ratings)


def describe_ratings(ratings: Sequence[Rating]) -> dict[str, Any]:
    """How often each value was given, and how many items have how many ratings (the actual plan, not the meant one)."""
    values = Counter(rating.value for rating in ratings)
    sizes = Counter(Counter(rating.item for rating in ratings).values())
    return {
        "items": sizes.total(),
        "raters": len({rating.rater for rating in ratings}),
        "ratings": len(ratings),
        "values": [
            {"value": float(value), "count": values[value], "share": values[value] / len(ratings)}
            for value in sorted(values)
        ],
        "ratings_per_item": [{"ratings": size, "items": sizes[size]} for size in sorted(sizes)],
    }


def table(hj_by_item: Mapping[str, Estimate], ratings: Sequence[Rating]) -> str:
    """One line an item, then the distribution."""
    spread = describe_ratings(ratings)
    width = max(4, *(len(name) for name in hj_by_item))
    lines = [f"{'item':<{width}}  {'HJ':<24}ratings"]
    lines += [f"{name:<{width}}  {format_cell(estimate):<24}{estimate.n}" for name, estimate in hj_by_item.items()]
    lines += ["", f"items {spread['items']}, raters {spread['raters']}, ratings {spread['ratings']}"]
    lines += [f"value {row['value']:<8g}{row['count']:>8}  {100 * row['share']:5.1f}%" for row in spread["values"]]
    lines += [f"{row['items']} items with {row['ratings']} rating(s)" for row in spread["ratings_per_item"]]
    interval = next((estimate.interval for estimate in hj_by_item.values() if estimate.interval), None)
    if interval is not None:
        lines.append(f"{100 * interval.level:g}% intervals by {interval.method}, over the raters of an item.")
    return "\n".join(lines + flags_line(hj_by_item.values())) + "\n"
