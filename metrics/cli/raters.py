"""`python -m metrics raters RATINGS.csv`: mean ratings, and beside them what models of raters make of the ratings.

The mean stays the measure of HUSE: standardizing takes away what sources did where raters saw one source each, and on
six ordered labels Dawid-Skene did worse than the mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from metrics.cli.arguments import Commands, common_options
from metrics.data.csv_files import read_ratings
from metrics.data.number_format import number
from metrics.data.to_json import SCHEMA_VERSION, json_text
from metrics.types import Rating
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.standardise import Standardised, standardise_by_rater
from metrics.worker_models.votes import Consensus

COMMAND_ORDER = 35  # in the help

NOTE = (
    "The mean is the measure of the papers. Standardized means are comparable only where each rater saw a random "
    "sample of all sources. The likeliest label is Dawid and Skene's (1979); it takes labels for unordered."
)


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser(
        "raters", help="mean, standardized mean and Dawid-Skene label of each item, and raters"
    )
    command.add_argument("ratings", type=Path, metavar="RATINGS.csv", help="columns item, rater, value")
    command.add_argument("--condition", default="", metavar="NAME", help="of several in the column condition")
    common_options(command, level=0.90)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    ratings = read_ratings(arguments.ratings, condition=arguments.condition)
    columns = [rating.item for rating in ratings], [rating.rater for rating in ratings], [r.value for r in ratings]
    consensus = dawid_skene(*columns, level=arguments.level)
    standardized = standardise_by_rater(*columns)
    items, raters = _items(ratings, consensus, standardized), _raters(ratings, consensus)
    if arguments.json:
        flags = [*consensus.flags, *standardized.flags]
        return json_text({"schema_version": SCHEMA_VERSION, "items": items, "raters": raters, "flags": flags})
    return table(items, raters, [*consensus.flags, *standardized.flags])


def _items(
    ratings: Sequence[Rating], consensus: Consensus, standardized: Standardised
) -> dict[str, dict[str, float | int]]:
    values: dict[str, list[tuple[float, float]]] = {}
    for rating, z in zip(ratings, standardized.values.tolist(), strict=True):
        values.setdefault(rating.item, []).append((float(rating.value), z))
    labels = dict(zip(consensus.items, consensus.likeliest(), strict=True))
    sure = dict(zip(consensus.items, consensus.posterior.max(axis=1).tolist(), strict=True))
    return {
        item: {
            "mean": float(np.mean([value for value, _ in pairs])),
            "standardized": float(np.mean([z for _, z in pairs])),
            "dawid_skene": float(labels[item]),
            "posterior": sure[item],
            "ratings": len(pairs),
        }
        for item, pairs in values.items()
    }


def _raters(ratings: Sequence[Rating], consensus: Consensus) -> dict[str, dict[str, float | int]]:
    values: dict[str, list[float]] = {}
    for rating in ratings:
        values.setdefault(rating.rater, []).append(float(rating.value))
    competence = dict(zip(consensus.raters, consensus.competence.tolist(), strict=True))
    return {
        rater: {
            "mean": float(np.mean(rated)),
            "competence": competence[rater],
            "ratings": len(rated),
        }
        for rater, rated in values.items()
    }


def table(items: Mapping[str, Mapping[str, Any]], raters: Mapping[str, Mapping[str, Any]], flags: Sequence[str]) -> str:
    """A line an item, a line a rater, and what a reader must know."""
    width = max(5, *(len(name) for name in (*items, *raters)))
    lines = [f"{'item':<{width}}  {'mean':>7} {'standardized':>12} {'Dawid-Skene':>11} {'posterior':>9} {'ratings':>7}"]
    for name, row in items.items():
        label = f"{row['dawid_skene']:g}"
        cells = f"{number(row['mean'], 3):>7} {number(row['standardized'], 3):>12} {label:>11}"
        lines.append(f"{name:<{width}}  {cells} {row['posterior']:>9.3f} {row['ratings']:>7}")
    lines += ["", f"{'rater':<{width}}  {'mean':>7} {'competence':>12} {'ratings':>7}"]
    for name, row in raters.items():
        lines.append(f"{name:<{width}}  {number(row['mean'], 3):>7} {row['competence']:>12.3f} {row['ratings']:>7}")
    lines += ["", NOTE, *([f"flags: {', '.join(dict.fromkeys(flags))}"] if flags else [])]
    return "\n".join(lines) + "\n"
