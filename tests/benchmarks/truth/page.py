"""The tables of docs/validity.md as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tests.benchmarks.truth.coverage import LEVELS, Row

COVERAGE_HEAD = [
    "world",
    "measure",
    "target",
    "bias",
    *(f"{level:.0%} covers | half-width" for level in LEVELS),
    "studies",
    "in steps",
]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    columns = " | ".join(head).count("|") + 1
    lines = [" | ".join(head), " | ".join(["---"] * columns), *(" | ".join(row) for row in rows)]
    return "".join(f"| {line} |\n" for line in lines)


def coverage_table(rows: Sequence[Row]) -> str:
    """One line a world and measure."""
    return table(COVERAGE_HEAD, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    held = [
        f"{100 * c:.1f} ± {100 * math.sqrt(c * (1 - c) / row.studies):.1f} | {width:.3f}"
        for c, width in zip(row.coverage, row.width, strict=True)
    ]
    steps = "; ".join(
        f"{level:.0%}: {100 * pair[0]:.1f} or {100 * pair[1]:.1f}"
        for level, pair in zip(LEVELS, row.possible, strict=True)
        if pair and pair[1] - pair[0] > 0.02
    )
    name = f"**{row.world}**" if row.off() else row.world
    return [name, row.measure, f"{row.truth:.3f}", f"{row.bias:+.4f}", *held, str(row.studies), steps]


def summary(rows: Sequence[Row]) -> str:
    """How many cells lie within 3 points, and those that do not."""
    cells = [(row, level, c) for row in rows for level, c in zip(LEVELS, row.coverage, strict=True)]
    off = [(row, level, c) for row, level, c in cells if abs(c - level) > 0.03]
    lines = [f"{len(cells) - len(off)} of {len(cells)} coverages lie within 3 points of the stated one."]
    if off:
        lines.append("The others:\n")
        lines += [
            f"- {row.world}, {row.measure}: {100 * c:.1f} where {level:.0%} is stated (Monte-Carlo error "
            f"{100 * row.error(level):.1f})"
            for row, level, c in off
        ]
    return "\n".join(lines) + "\n"


def within(share: float, studies: int) -> str:
    """A share in per cent with its Monte-Carlo error."""
    return f"{100 * share:.2f} ± {100 * math.sqrt(share * (1 - share) / studies):.2f}"


def section(title: str, text: str, *parts: str) -> Iterator[str]:
    """Title, what is to be known before reading, then the parts."""
    yield f"## {title}\n\n{text}\n"
    yield from parts
