"""Direct labels that keep clear of each other and of the marks they name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from metrics.figures.chart import Anchor, Chart, Curve, Note, Points
from metrics.figures.scale import WIDTH, Scale

LETTER, LINE = 6.6, 13.0
PHONE = 1.25  # times as wide a label is counted: a phone's plot is narrower than the still one, its letters are not
NEAR = 8.0  # of a label to its mark, in SVG units
# Where a label may be placed around its mark, the best first: anchor, right, down.
PLACES: tuple[tuple[Anchor, float, float], ...] = (
    ("start", NEAR, 4),
    ("end", -NEAR, 4),
    ("middle", 0, -NEAR),
    ("middle", 0, NEAR + LINE - 3),
    ("start", NEAR - 2, -NEAR),
    ("end", -NEAR + 2, -NEAR),
    ("start", NEAR - 2, NEAR + LINE - 3),
    ("end", -NEAR + 2, NEAR + LINE - 3),
)
# Further lines above and below it, for labels of several marks at one place.
SIDES: tuple[tuple[Anchor, float], ...] = (("start", NEAR), ("end", -NEAR))
FURTHER: tuple[tuple[Anchor, float, float], ...] = tuple(
    (anchor, right, 4 + way * line * LINE) for line in range(2, 8) for way in (-1, 1) for anchor, right in SIDES
)
ON_TEXT = 12.0  # how much more it costs to cover a label than a mark
CUT = 100.0  # what a unit of the area costs that leaves the picture
ON_LINE = 4.0  # half the side of a box along a curve
ON_LEVEL = 4.0  # of a level's name to its line
LEVEL_STEPS = 8  # places tried along a level
FAR = 0.5  # what a unit of the distance from the mark costs beyond PLACES


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def common(self, other: _Box) -> float:
        """Area that two boxes share."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * high if wide > 0 and high > 0 else 0.0


def add_level(chart: Chart, x: tuple[float, float], y: float, text: str) -> Chart:
    """Return the chart with the name of a level line between two x, where it covers least: right of others, above."""
    scale = Scale(chart)
    marks, texts = _marks(chart, scale), _texts(chart, scale)
    (left, right), width = map(scale.x, x), LETTER * len(text)
    ends = [right - (right - left - width) * step / LEVEL_STEPS for step in range(LEVEL_STEPS + 1)]
    placed = [
        (_cost(box, marks, texts, scale), at, note)
        for at, (end, down) in enumerate((end, down) for end in ends for down in (-ON_LEVEL, ON_LEVEL + LINE - 2))
        for note, box in [_at(scale, scale.value_x(end), y, text, ("end", 0.0, down))]
    ]
    _, _, note = min(placed, key=lambda placement: placement[:2])
    return replace(chart, notes=(*chart.notes, replace(note, quiet=True)))


def add_labels(chart: Chart, labels: Sequence[tuple[float, float, str]], *, quiet: bool = False) -> Chart:
    """Return the chart with a label at each (x, y, text), next to its mark where it covers least. Deterministic."""
    scale = Scale(chart)
    marks, texts = _marks(chart, scale), _texts(chart, scale)
    notes = list(chart.notes)
    for x, y, text in labels:
        costs = [
            (_cost(box, marks, texts, scale) + (FAR * abs(place[2]) if place in FURTHER else 0), at, note, box)
            for at, place in enumerate((*PLACES, *FURTHER))
            for note, box in [_at(scale, x, y, text, place)]
        ]
        _, _, note, box = min(costs, key=lambda placement: placement[:2])
        notes.append(replace(note, quiet=quiet))
        texts.append(box)
    return replace(chart, notes=tuple(notes))


def _marks(chart: Chart, scale: Scale) -> list[_Box]:
    """Boxes around marks, their intervals, the lines between the places of curves, and their bands."""
    drawn: tuple[Points | Curve, ...] = (*chart.points, *chart.curves)
    return [
        *(_around(scale.x(x), scale.y(y)) for series in drawn for x, y in _places(series)),
        *(box for points in chart.points for box in _whiskers(points, scale)),
        *(box for curve in chart.curves for box in _segments(curve, scale)),
        *(box for curve in chart.curves for box in _band(curve, scale)),
    ]


def _texts(chart: Chart, scale: Scale) -> list[_Box]:
    return [_Box(*_text_box(scale.x(note.x), scale.y(note.y), note)) for note in chart.notes]


def _segments(curve: Curve, scale: Scale) -> Iterator[_Box]:
    """Boxes along the lines between the places of a curve, each next to the one before."""
    places = [(scale.x(x), scale.y(y)) for x, y in _places(curve)]
    for (x1, y1), (x2, y2) in pairwise(places):
        steps = max(1, round(max(abs(x2 - x1), abs(y2 - y1)) / (2 * ON_LINE)))
        for step in range(1, steps):
            yield _around(x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps, ON_LINE)


def _band(curve: Curve, scale: Scale) -> Iterator[_Box]:
    """Upright boxes that a curve's band fills, each next to the one before."""
    ends = [
        (scale.x(x), scale.y(high), scale.y(low)) for x, low, high in zip(curve.x, curve.low, curve.high, strict=False)
    ]
    for (x1, top1, bottom1), (x2, top2, bottom2) in pairwise(ends):
        steps = max(1, round((x2 - x1) / (2 * ON_LINE)))
        half = (x2 - x1) / steps / 2
        for step in range(steps):
            part = (step + 0.5) / steps
            middle = x1 + (x2 - x1) * part
            top, bottom = top1 + (top2 - top1) * part, bottom1 + (bottom2 - bottom1) * part
            yield _Box(middle - half, top, middle + half, bottom)


def _places(drawn: Points | Curve) -> list[tuple[float, float]]:
    return list(zip(drawn.x, drawn.y, strict=True))


def _around(x: float, y: float, half: float = 5.0) -> _Box:
    return _Box(x - half, y - half, x + half, y + half)


def _whiskers(points: Points, scale: Scale) -> list[_Box]:
    """Boxes around the intervals of the marks."""
    boxes = []
    for y, bounds in zip(points.y, points.x_bounds, strict=False):
        if bounds is not None:
            boxes.append(_Box(scale.x(bounds[0]), scale.y(y) - 3, scale.x(bounds[1]), scale.y(y) + 3))
    for x, bounds in zip(points.x, points.y_bounds, strict=False):
        if bounds is not None:
            boxes.append(_Box(scale.x(x) - 3, scale.y(bounds[1]), scale.x(x) + 3, scale.y(bounds[0])))
    return boxes


def _at(scale: Scale, x: float, y: float, text: str, place: tuple[Anchor, float, float]) -> tuple[Note, _Box]:
    anchor, right, down = place
    across, along = scale.x(x) + right, scale.y(y) + down
    note = Note(scale.value_x(across), scale.value_y(along), text, anchor)
    return note, _Box(*_text_box(across, along, note))


def _text_box(x: float, y: float, note: Note) -> tuple[float, float, float, float]:
    width = PHONE * LETTER * len(note.text)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[note.anchor]
    return left, y - LINE + 2, left + width, y + 3


def _cost(box: _Box, marks: Sequence[_Box], texts: Sequence[_Box], scale: Scale) -> float:
    """What a label covers, and what of it leaves the frame, which weighs more."""
    frame = _Box(scale.left, scale.top - 14, scale.right + 8, scale.bottom)
    outside = (box.right - box.left) * (box.bottom - box.top) - box.common(frame)
    cut = (box.right - box.left) * (box.bottom - box.top) - box.common(_Box(0, 0, WIDTH, scale.chart.height))
    covered = sum(map(box.common, marks)) + ON_TEXT * sum(map(box.common, texts))
    return covered + 4 * max(0.0, outside) + CUT * max(0.0, cut)
