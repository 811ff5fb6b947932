"""The tables of docs/validity.md as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tests.benchmarks.simulation_studies.coverage import TOLERANCE, Row
from tests.benchmarks.simulation_studies.tallies import LEVELS

COVERAGE_HEAD = [
    "world",
    "measure",
    "target",
    "bias",
    *(f"{level:.0%} covers | half-width" for level in LEVELS),
    "studies",
    "in steps",
]
ROUNDING = 1e-9
WIDE = 0.02  # steps narrower than this are not told


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
        if pair and pair[1] - pair[0] > WIDE
    )
    name = f"**{row.world}**" if len(row.off()) > len(row.in_steps()) else row.world
    return [name, row.measure, f"{row.truth:.3f}", f"{row.bias:+.4f}", *held, str(row.studies), steps]


def summary(rows: Sequence[Row]) -> str:
    """How many coverages lie within 1.5 points, and which of the others chance or steps account for."""
    cells = [(row, level, c) for row in rows for level, c in zip(LEVELS, row.coverage, strict=True)]
    apart = [(row, level, c) for row, level, c in cells if abs(c - level) > TOLERANCE + ROUNDING]
    kinds = {"off": [], "steps": [], "chance": []}  # type: dict[str, list[str]]
    for row, level, c in apart:
        kind = "chance" if level not in row.off() else "steps" if level in row.in_steps() else "off"
        kinds[kind].append(_apart(row, level, c))
    near = len(cells) - len(apart)
    whole = f"{near} of {len(cells)} coverages in {len(rows)} rows lie within 1.5 points of the stated one."
    told = [
        (kinds["off"], "**Off** by more than 1.5 points and twice the Monte-Carlo error: {}{}"),
        (kinds["steps"], "Off, but **in steps**: the estimate takes so few values that no cut comes nearer: {}{}"),
        (kinds["chance"], "More than 1.5 points away, but by less than twice the Monte-Carlo error beyond them: {}{}"),
    ]
    parts = [text.format(len(found) or "none", ":\n\n" + "\n".join(found) if found else ".") for found, text in told]
    return "\n\n".join([whole, *parts]) + "\n"


def _apart(row: Row, level: float, coverage: float) -> str:
    pair = row.possible[LEVELS.index(level)]
    steps = f"; a cut can give {100 * pair[0]:.1f} or {100 * pair[1]:.1f}" if pair and pair[1] - pair[0] > WIDE else ""
    error = 100 * row.error(level)
    return f"- {row.world}, {row.measure}: {100 * coverage:.1f} ± {error:.1f} where {level:.0%} is stated{steps}"


def within(share: float, studies: int) -> str:
    """A share in per cent with its Monte-Carlo error."""
    return f"{100 * share:.2f} ± {100 * math.sqrt(share * (1 - share) / studies):.2f}"


def versions(rows: Mapping[str, Sequence[str]]) -> str:
    """Which rows of a section were counted on which code. rows: by commit, "" for the code of today.

    All are named but those of the largest group.
    """
    if list(rows) in ([], [""]):
        return "**Code**: all rows were counted on the code of today.\n"
    largest = max(rows, key=lambda commit: len(rows[commit]))
    groups = [
        f"{'on the code of today' if not commit else f'at {commit}'} {'all others' if len(rows) > 1 else 'all rows'}"
        if commit == largest
        else f"{'on the code of today' if not commit else f'at {commit}'} {', '.join(map(repr, names))}"
        for commit, names in sorted(rows.items())
    ]
    return f"**Code**: {'; '.join(groups)}. Since a commit named here something changed that its rows rest on.\n"


def section(title: str, text: str, *parts: str) -> Iterator[str]:
    """Title, what is to be known before reading, then the parts."""
    yield f"## {title}\n\n{text}\n"
    yield from parts
