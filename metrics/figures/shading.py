"""The regions of a shaded plane as boxes of one look: what the still and the live picture both draw."""

from __future__ import annotations

from dataclasses import dataclass

from metrics.figures import theme
from metrics.figures.chart import Shade
from metrics.types import Source

Level = tuple[Source, float]  # whose colour, and how opaque


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in the units of the axes."""

    left: float
    right: float
    low: float
    high: float


def boxes_by_level(shade: Shade) -> dict[Level, list[Box]]:
    """For each level of opacity its boxes, neighbours in a row joined; what is clear or unknown has none."""
    half_x, half_y = (shade.x[1] - shade.x[0]) / 2, (shade.y[1] - shade.y[0]) / 2
    levels: dict[Level, list[Box]] = {}
    for row, height in zip(shade.share, shade.y, strict=True):
        start = 0
        for column in range(1, len(row) + 1):
            if column < len(row) and _level(row[column]) == _level(row[start]):
                continue
            if (level := _level(row[start])) is not None:
                box = Box(shade.x[start] - half_x, shade.x[column - 1] + half_x, height - half_y, height + half_y)
                levels.setdefault(level, []).append(box)
            start = column
    return dict(sorted(levels.items()))


def _level(share: float | None) -> Level | None:
    if share is None:
        return None
    steps = theme.SHADE_STEPS - 1
    source, alpha = theme.shade_look(round(share * steps) / steps)
    return (source, alpha) if alpha else None
