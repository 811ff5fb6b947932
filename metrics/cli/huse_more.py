"""What `python -m metrics huse` adds where it is asked for: permutation tests, curves, sensitivity."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from metrics.cli.output import format_cell
from metrics.data.csv_files import read_hits
from metrics.errors import BadInput
from metrics.huse.curves import Curve, replicate_curve, size_curve
from metrics.huse.permutation_test import FEATURES, PermutationTest, permutation_test
from metrics.huse.sensitivity import Sensitivity, SensitivityRow, sensitivity_table
from metrics.huse.to_json import curve_json, permutations_json, sensitivity_json
from metrics.types import HuseResult, Item, Rating

PERMUTATIONS = 999


@dataclass(frozen=True, slots=True)
class More:
    """What was asked for; None or empty where it was not."""

    permutations: tuple[PermutationTest, ...]
    curves: tuple[Curve, ...]
    sensitivity: Sensitivity | None


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--permutation",
        type=int,
        nargs="?",
        const=PERMUTATIONS,
        metavar="TIMES",
        help=f"permutation test of no difference between the sources, by this many permutations ({PERMUTATIONS})",
    )
    command.add_argument(
        "--curves", action="store_true", help="HUSE by number of texts, and by ratings per text if --ratings is given"
    )
    command.add_argument(
        "--sensitivity", action="store_true", help="HUSE by other k, other rules for ties, log p not by length"
    )


def compute_more(items: Sequence[Item], ratings: Sequence[Rating] | None, arguments: argparse.Namespace) -> More:
    """Compute what was asked for. Raises MetricsError."""
    tests: tuple[PermutationTest, ...] = ()
    if arguments.permutation is not None:
        if arguments.permutation < 1:
            raise BadInput("enter at least 1 permutation", column="--permutation")
        hits = read_hits(arguments.items)
        tests = tuple(
            permutation_test(
                items, measure, hits=hits, k=arguments.k, permutations=arguments.permutation, seed=arguments.seed
            )
            for measure in FEATURES
        )
    curves: tuple[Curve, ...] = ()
    if arguments.curves:
        curves = (size_curve(items, k=arguments.k, seed=arguments.seed),)
        if ratings is not None:
            curves = (replicate_curve(items, ratings, k=arguments.k, seed=arguments.seed), *curves)
    return More(tests, curves, sensitivity_table(items, k=arguments.k) if arguments.sensitivity else None)


def as_json(more: More) -> dict[str, Any]:
    """`permutation_p`, `curves` and `sensitivity`, as far as they were asked for."""
    document: dict[str, Any] = {}
    if more.permutations:
        document["permutation_p"] = permutations_json(more.permutations)
    if more.curves:
        document["curves"] = {curve.over: curve_json(curve) for curve in more.curves}
    if more.sensitivity:
        document["sensitivity"] = sensitivity_json(more.sensitivity)
    return document


def as_text(more: More) -> list[str]:
    """One block each."""
    blocks = [_permutations(more.permutations)] if more.permutations else []
    blocks += [_curve(curve) for curve in more.curves]
    blocks += [_sensitivity(more.sensitivity)] if more.sensitivity else []
    return blocks


def _permutations(tests: Sequence[PermutationTest]) -> str:
    first = tests[0]
    head = "Permutation test of no difference between the sources"
    lines = [f"{head}, {first.permutations} permutations of labels {first.scheme}:"]
    lines += [f"{test.measure:<14}{test.value:.3f}  p {test.p:.4f}  mid-p {test.mid_p:.4f}" for test in tests]
    return "\n".join([*lines, *([first.note] if first.note else [])]) + "\n"


def _curve(curve: Curve) -> str:
    lines = [f"{curve.over:<10}HUSE, {100 * curve.band:g}% of draws    HUSE-Q"]
    for point in curve.points:
        cells = [
            f"{spread.mean:.3f} [{spread.low:.3f}, {spread.high:.3f}]"
            if spread.high > spread.low
            else f"{spread.mean:.3f}"
            for spread in (point.huse, point.huse_q)
        ]
        lines.append(f"{point.at:<10}{cells[0]:<26}{cells[1]}")
    if curve.fit:
        lines.append(f"HUSE = {curve.fit.a:.3f} + {curve.fit.b:.3f} / r: {curve.fit.note}")
    return "\n".join([*lines, curve.note]) + "\n"


def _sensitivity(sensitivity: Sensitivity) -> str:
    default = SensitivityRow("as reported", {}, sensitivity.default)
    width = max(len(row.choice) for row in sensitivity.rows) + 2
    lines = [f"{'choice':<{width}}HUSE   HUSE-Q HUSE-D log p only"]
    lines += [f"{row.choice:<{width}}{_four(row.result)}" for row in (default, *sensitivity.rows)]
    if sensitivity.left_out:
        lines.append(f"Too few items for k = {', '.join(map(str, sensitivity.left_out))}.")
    return (
        "\n".join([*lines, "Settings were fixed in advance. Do not report a row chosen after seeing the results."])
        + "\n"
    )


def _four(result: HuseResult) -> str:
    return "".join(f"{format_cell(getattr(result, field.name)):<7}" for field in fields(result)).rstrip()
