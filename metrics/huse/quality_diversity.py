"""The trade-off of quality and diversity as a picture (paper's Figure 3): iso-HUSE lines and the dominated region."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from metrics.errors import BadInput, InsufficientData

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DominanceRegion:
    """Where a model with the same proportion of diversity to quality as some on the line has a worse HUSE.

    models: names by angle, from all quality to all diversity. line: their points (HUSE-Q, HUSE-D) in that order.
    polygon: origin, then the line; with one model a segment (flag `one_model`). Models whose HUSE-Q or HUSE-D is not
    above 0 have no proportion and are skipped (flag `outside_quadrant`, names in `left_out`).
    """

    models: tuple[str, ...]
    line: tuple[Point, ...]
    polygon: tuple[Point, ...]
    left_out: tuple[str, ...]
    n: int
    flags: tuple[str, ...]
    signature: str

    def holds(self, huse_q: float, huse_d: float) -> bool:
        """Whether a point lies strictly inside: below the line in its own direction, within the line's angles."""
        if not (huse_q > 0 and huse_d > 0):
            return False
        reach = _along(self.line, math.atan2(huse_d, huse_q))
        return reach is not None and math.hypot(huse_q, huse_d) < reach * (1 - 1e-12)


def dominance_region(models: Mapping[str, Point]) -> DominanceRegion:
    """The polygon {s p : p on the line through the models of one task, sorted by angle, 0 <= s <= 1}.

    models: (HUSE-Q, HUSE-D) by name. Raises BadInput for a number that is not finite, InsufficientData without a
    model in the positive quadrant.
    """
    for name, point in models.items():
        if len(point) != 2 or not all(math.isfinite(value) for value in point):
            raise BadInput("HUSE-Q and HUSE-D must be finite numbers", where=f"model {name}", column="models")
    inside = {name: point for name, point in models.items() if min(point) > 0}
    if not inside:
        raise InsufficientData("A dominated region needs a model with HUSE-Q and HUSE-D above 0, and there is none.")
    names = sorted(inside, key=lambda name: (math.atan2(inside[name][1], inside[name][0]), name))
    line = tuple(inside[name] for name in names)
    left_out = tuple(name for name in models if name not in inside)
    conditions = {"one_model": len(line) == 1, "outside_quadrant": bool(left_out)}
    flags = tuple(name for name, holds in conditions.items() if holds)
    signature = f"dominance|models:{len(line)}"
    return DominanceRegion(tuple(names), line, ((0.0, 0.0), *line), left_out, len(line), flags, signature)


def _along(line: tuple[Point, ...], angle: float) -> float | None:
    """Distance from the origin to the line in a direction; None beyond its ends. On one ray, the farthest point."""
    distances = [math.hypot(q, d) for q, d in line if abs(math.atan2(d, q) - angle) < 1e-12]
    dx, dy = math.cos(angle), math.sin(angle)
    for (ax, ay), (bx, by) in pairwise(line):
        ex, ey = bx - ax, by - ay
        across = dx * ey - dy * ex
        if abs(across) < 1e-15:
            continue
        where = (dy * ax - dx * ay) / across
        reach = (ax * ey - ay * ex) / across
        if 0 <= where <= 1 and reach > 0:
            distances.append(reach)
    return max(distances, default=None)
