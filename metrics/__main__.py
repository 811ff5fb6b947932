"""Command line: `python -m metrics huse ITEMS.csv [--ratings RATINGS.csv] [--json]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NoReturn

from metrics.errors import BadInput, MetricsError
from metrics.huse import MODES, evaluate
from metrics.serialise import document
from metrics.tables_in import read_items
from metrics.types import Estimate, HuseResult, Mode

TITLES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D", "log_prob_only": "log p only"}


class Parser(argparse.ArgumentParser):
    """Refuses odd arguments in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[:1].upper()}{message[1:]}.\n")


def parser() -> Parser:
    """The arguments."""
    top = Parser(prog="python -m metrics", description="Measures of generated text from human judgments.")
    commands = top.add_subparsers(dest="command", required=True, metavar="huse")
    huse = commands.add_parser("huse", help="HUSE, HUSE-Q and HUSE-D from a CSV of judged texts")
    huse.add_argument(
        "items", type=Path, metavar="ITEMS.csv", help="columns hj, log_prob, length, source [id, context]"
    )
    huse.add_argument(
        "--ratings", type=Path, metavar="RATINGS.csv", help="columns item, rater, value: HJ comes from them"
    )
    huse.add_argument(
        "--mode", choices=MODES, help="ties by exact arithmetic, or the original's floats (default: both)"
    )
    huse.add_argument("--k", type=int, default=16, help="neighbours (16)")
    huse.add_argument("--seed", type=int, default=0, help="seed of the subsamples behind the interval (0)")
    huse.add_argument("--level", type=float, default=0.95, help="level of the interval (0.95)")
    huse.add_argument("--json", action="store_true", help="JSON instead of a table")
    huse.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to the screen")
    return top


def table(results: Mapping[Mode, HuseResult]) -> str:
    """Values with intervals, one line a measure, then what a reader must know."""
    lines = ["".join(["            ", *(f"{mode:<28}" for mode in results)]).rstrip()]
    for field in fields(HuseResult):
        cells = [_cell(getattr(result, field.name)) for result in results.values()]
        lines.append("".join([f"{TITLES[field.name]:<12}", *(f"{cell:<28}" for cell in cells)]).rstrip())
    for result in results.values():
        lines += ["", *_notes(result)]
    return "\n".join(lines) + "\n"


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "none"
    if estimate.interval is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]"


def _notes(result: HuseResult) -> list[str]:
    interval = result.huse.interval
    notes = [result.huse.signature]
    if interval is not None:
        notes.append(f"{100 * interval.level:g} % intervals by {interval.method}; n = {result.huse.n} texts.")
    flags = {flag for field in fields(result) for flag in getattr(result, field.name).flags}
    if flags:
        notes.append("flags: " + ", ".join(sorted(flags)))
    return notes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 2 with one sentence on stderr."""
    given = parser().parse_args(arguments)
    try:
        modes: Sequence[Mode] = (given.mode,) if given.mode else MODES
        items = read_items(given.items, given.ratings)
        results = evaluate(items, modes, k=given.k, seed=given.seed, level=given.level)
        _write(
            json.dumps(document(results), indent=2, allow_nan=False) + "\n" if given.json else table(results), given.out
        )
    except MetricsError as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 2
    return 0


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"the file cannot be written ({error.strerror})", where=str(out)) from None


if __name__ == "__main__":
    sys.exit(main())
