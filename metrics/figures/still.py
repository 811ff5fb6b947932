"""The inside of the frame of a still picture: each kind of mark as SVG elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from metrics.figures import theme
from metrics.figures.chart import Area, Bars, Bounds, Chart, Curve, Guide, Margin, Note, Points, Shade
from metrics.figures.scale import STRIP, Scale
from metrics.figures.shading import Box, boxes_by_level
from metrics.figures.texts import isolate_right_to_left
from metrics.figures.theme import Look, Shape
from metrics.types import MODEL

HALF = 3.2  # half the size of a text's mark, in SVG units
DASHES = {"solid": "", "dash": "6 4", "dot": "1.5 3", "dashdot": "7 3 1.5 3"}


def draw_marks(chart: Chart, scale: Scale) -> Iterator[str]:
    """Everything inside the frame, what lies below first."""
    if chart.shade is not None:
        yield from _shading(chart.shade, scale, f"hatch-{chart.name}")
    for area in chart.areas:
        yield _area(area, scale)
    for guide in chart.guides:
        yield _guide(guide, scale)
    for bars in chart.bars:
        yield from _bars(bars, scale)
    for curve in chart.curves:
        yield from _curve(curve, scale)
    for points in chart.points:
        yield from _points(points, scale)
    for margin in chart.top:
        yield _top(margin, scale, _largest_share(chart.top))
    for margin in chart.right:
        yield _right(margin, scale, _largest_share(chart.right))
    yield from _means(chart, scale)
    yield from (_note(note, scale) for note in chart.notes)


def draw_mark(look: Look | None, shape: Shape, x: float, y: float, inner: str = "", half: float = HALF) -> str:
    """One mark of a look around a place, `half` its height. look: None for that of the group around it."""
    style = f' class="{look}"' if look else ""
    if shape == "circle":
        return f'<circle{style} cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}">{inner}</circle>'
    if shape == "square":
        size = 2 * half - 0.6
        return (
            f'<rect{style} x="{x - size / 2:.1f}" y="{y - size / 2:.1f}" '
            f'width="{size:.1f}" height="{size:.1f}">{inner}</rect>'
        )
    grown = half * (1.5 if shape in ("x", "cross") else 1.2)
    return f'<path{style} d="{_outline(shape, x, y, grown)}">{inner}</path>'


def _outline(shape: Shape, x: float, y: float, half: float) -> str:
    """Corners of a shape that is neither a circle nor a square."""
    arm = half / 4.5
    corners: dict[str, Sequence[tuple[float, float]]] = {
        "diamond": ((0, -1), (1, 0), (0, 1), (-1, 0)),
        "triangle-up": ((0, -1), (1, 0.8), (-1, 0.8)),
        "triangle-down": ((0, 1), (1, -0.8), (-1, -0.8)),
    }
    if shape in corners:
        places = [(x + half * dx, y + half * dy) for dx, dy in corners[shape]]
    else:
        quarter = ((arm, -half), (arm, -arm), (half, -arm), (half, arm), (arm, arm), (arm, half))
        plus = [*quarter, *((-dx, -dy) for dx, dy in quarter)]
        turn = 0.7071 if shape == "x" else None
        places = [(x + turn * (dx - dy), y + turn * (dx + dy)) if turn else (x + dx, y + dy) for dx, dy in plus]
    return "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in places) + "Z"


def _shading(shade: Shade, scale: Scale, hatch: str) -> Iterator[str]:
    """One path for each level of opacity; the model's side is hatched, for grey."""
    leaning = ""
    for (source, alpha), boxes in boxes_by_level(shade).items():
        outline = "".join(_outline_of(box, scale) for box in boxes)
        leaning += outline if source == MODEL else ""
        style = f'fill="var(--{source})" fill-opacity="{alpha:.3f}" shape-rendering="crispEdges"'
        yield f'<path class="shade" {style} d="{outline}"/>'
    if leaning:
        line = '<path d="M0 6L6 0" stroke="var(--model)" stroke-opacity=".4" stroke-width=".7"/>'
        yield f'<pattern id="{escape(hatch)}" width="6" height="6" patternUnits="userSpaceOnUse">{line}</pattern>'
        yield f'<path class="hatch" fill="url(#{escape(hatch)})" d="{leaning}"/>'


def _outline_of(box: Box, scale: Scale) -> str:
    left, right = scale.x(box.left), scale.x(box.right)
    return f"M{left:.1f} {scale.y(box.high):.1f}H{right:.1f}V{scale.y(box.low):.1f}H{left:.1f}Z"


def _area(area: Area, scale: Scale) -> str:
    corners = "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in area.corners)
    style = (
        f'fill="var(--{area.look})" fill-opacity="{theme.AREA_ALPHA}" stroke="var(--{area.look})" stroke-opacity=".6"'
    )
    return f'<path class="area" {style} d="M{corners}Z"><title>{escape(area.name)}</title></path>'


def _guide(guide: Guide, scale: Scale) -> str:
    (x1, x2), (y1, y2) = guide.x, guide.y
    style = "guide faint" if guide.faint else "guide solid" if guide.solid else "guide"
    return f'<path class="{style}" d="M{scale.x(x1):.1f} {scale.y(y1):.1f}L{scale.x(x2):.1f} {scale.y(y2):.1f}"/>'


def _bars(bars: Bars, scale: Scale) -> Iterator[str]:
    floor = scale.y(0)
    for x, height, hover in zip(bars.x, bars.height, bars.hover, strict=True):
        left, top, width = scale.x(x - bars.width / 2), scale.y(height), scale.x(x + bars.width / 2)
        box = f'x="{left:.1f}" y="{top:.1f}" width="{width - left:.1f}" height="{floor - top:.1f}"'
        yield f'<rect class="{bars.look}" {box}><title>{escape(hover)}</title></rect>'
    for x, bounds in zip(bars.x, bars.bounds, strict=False):
        if bounds is not None:
            yield _upright(scale.x(x), *bounds, scale, "bar thin")


def _upright(x: float, low: float, high: float, scale: Scale, style: str, colour: str = "") -> str:
    bottom, top = scale.y(low), scale.y(high)
    ends = f"M{x - 3:.1f} {bottom:.1f}h6M{x - 3:.1f} {top:.1f}h6"
    return f'<path class="{style}"{colour} d="M{x:.1f} {bottom:.1f}V{top:.1f}{ends}"/>'


def _across(y: float, low: float, high: float, scale: Scale, style: str, colour: str = "") -> str:
    left, right = scale.x(low), scale.x(high)
    ends = f"M{left:.1f} {y - 3:.1f}v6M{right:.1f} {y - 3:.1f}v6"
    return f'<path class="{style}"{colour} d="M{left:.1f} {y:.1f}H{right:.1f}{ends}"/>'


def _curve(curve: Curve, scale: Scale) -> Iterator[str]:
    xs = [scale.x(x) for x in curve.x]
    stroke = f'stroke="var(--{curve.look})"'
    if curve.low:
        there = [f"{x:.1f} {scale.y(y):.1f}" for x, y in zip(xs, curve.high, strict=True)]
        back = [f"{x:.1f} {scale.y(y):.1f}" for x, y in zip(xs, curve.low, strict=True)]
        style = f'fill="var(--{curve.look})" fill-opacity="{theme.BAND_ALPHA}"'
        yield f'<path class="band" {style} d="M{"L".join([*there, *reversed(back)])}Z"/>'
        yield f'<path class="edge" {stroke} d="M{"L".join(there)}M{"L".join(back)}"/>'
    line = "L".join(f"{x:.1f} {scale.y(y):.1f}" for x, y in zip(xs, curve.y, strict=True))
    dash = f' stroke-dasharray="{DASHES[curve.dash]}"' if curve.dash != "solid" else ""
    yield f'<path class="line" {stroke}{dash} d="M{line}"/>'
    yield from _shapes(curve, xs, scale)


def _points(points: Points, scale: Scale) -> Iterator[str]:
    colour = f' stroke="var(--{points.look})"'
    for _, y, bounds in _with_bounds(points, points.x_bounds):
        yield _across(scale.y(y), *bounds, scale, "whisker", colour)
    for x, _, bounds in _with_bounds(points, points.y_bounds):
        yield _upright(scale.x(x), *bounds, scale, "whisker", colour)
    yield from _shapes(points, [scale.x(x) for x in points.x], scale)


def _with_bounds(points: Points, bounds: Sequence[Bounds]) -> Iterator[tuple[float, float, tuple[float, float]]]:
    if bounds:
        for x, y, ends in zip(points.x, points.y, bounds, strict=True):
            if ends is not None:
                yield x, y, ends


def _shapes(drawn: Points | Curve, xs: Sequence[float], scale: Scale) -> Iterator[str]:
    shape, grain = drawn.shape or theme.look_shape(drawn.look), theme.mark_scale(len(drawn.x))
    yield f'<g class="{drawn.look}">'  # the look once: of hundreds of texts it would be much of the page
    for x, y, hover in zip(xs, drawn.y, drawn.hover, strict=True):
        # The text itself, in the lines below, is among the items; a page with a thousand of them twice is too large.
        title = f"<title>{escape(hover.partition(chr(10))[0])}</title>" if hover else ""
        yield draw_mark(None, shape, x, scale.y(y), title, HALF * grain)
    yield "</g>"


def _largest_share(margins: Sequence[Margin]) -> float:
    """The largest share of all, so that the histograms of a side have one scale."""
    return max(share for margin in margins for share in margin.shares) or 1.0


def _top(margin: Margin, scale: Scale, max_share: float) -> str:
    floor = scale.top - 3
    path = []
    for centre, share in zip(margin.centres, margin.shares, strict=True):
        left, right = scale.x(centre - margin.width / 2), scale.x(centre + margin.width / 2)
        path.append(f"M{left:.1f} {floor:.1f}V{floor - share / max_share * (STRIP - 6):.1f}H{right:.1f}V{floor:.1f}Z")
    return f'<path class="margin {margin.look}" d="{"".join(path)}"/>'


def _right(margin: Margin, scale: Scale, max_share: float) -> str:
    wall = scale.right + 3
    path = []
    for centre, share in zip(margin.centres, margin.shares, strict=True):
        low, high = scale.y(centre - margin.width / 2), scale.y(centre + margin.width / 2)
        path.append(f"M{wall:.1f} {low:.1f}H{wall + share / max_share * (STRIP - 6):.1f}V{high:.1f}H{wall:.1f}Z")
    return f'<path class="margin {margin.look}" d="{"".join(path)}"/>'


def _means(chart: Chart, scale: Scale) -> Iterator[str]:
    for mean in chart.marks:
        x, y = scale.x(mean.x), scale.y(mean.y)
        if mean.low is not None and mean.high is not None:
            low, high = scale.x(mean.low), scale.x(mean.high)
            ends = f"M{low:.1f} {y - 6:.1f}v12M{high:.1f} {y - 6:.1f}v12"
            yield f'<path class="bar" d="M{low:.1f} {y:.1f}H{high:.1f}{ends}"/>'
        yield f'<circle class="mean" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(mean.hover)}</title></circle>'


def _note(note: Note, scale: Scale) -> str:
    style = "halo quiet" if note.quiet else "halo"
    place = f'x="{scale.x(note.x):.1f}" y="{scale.y(note.y):.1f}"'
    anchor = "" if note.anchor == "start" else f' text-anchor="{note.anchor}"'
    return f'<text class="{style}" {place}{anchor}>{escape(isolate_right_to_left(note.text))}</text>'
