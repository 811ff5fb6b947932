"""A chart as SVG, without script: the fallback of the page, the picture that is printed, and the SVG export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from metrics.figures import theme
from metrics.figures.chart import Chart, Note, Points, Shade
from metrics.types import MODEL, REFERENCE, Source

WIDTH = 400
RIGHT, TOP, BOTTOM = 12, 30, 42
HALF = 3.2  # half the size of a text's mark, in SVG units


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps the plot's values to SVG units."""

    chart: Chart

    @property
    def left(self) -> int:
        return 50 if self.chart.y.ticks or self.chart.y.title else 12

    def x(self, value: float) -> float:
        axis = self.chart.x
        return self.left + (value - axis.low) / (axis.high - axis.low) * (WIDTH - self.left - RIGHT)

    def y(self, value: float) -> float:
        axis = self.chart.y
        return TOP + (axis.high - value) / (axis.high - axis.low) * (self.chart.height - TOP - BOTTOM)


def svg(chart: Chart, *, standalone: bool = False) -> str:
    """The chart as an SVG element; `standalone` adds the namespace and the light palette, to be a file of its own."""
    scale = _Scale(chart)
    parts = [*_axes(chart, scale)]
    if chart.shade is not None:
        parts += _shading(chart.shade, scale)
    for points in chart.points:
        parts += _points(points, scale)
    parts += _marks(chart, scale)
    parts += [_note(note, scale) for note in chart.notes]
    if len(chart.points) > 1 and not chart.notes:
        parts += _legend(chart, scale)
    head = f'<svg viewBox="0 0 {WIDTH} {chart.height}" role="img" aria-label="{escape(chart.alt)}" class="chart"'
    if standalone:
        head += f' xmlns="http://www.w3.org/2000/svg" width="{WIDTH * 2}" height="{chart.height * 2}"'
        parts.insert(0, f"<style>:root{{{theme.variables(theme.LIGHT)}}}{STYLE}</style>")
    return f"{head}>{''.join(parts)}</svg>"


STYLE = (
    ".chart{font:12px " + theme.FONT + ";background:var(--paper)}"
    ".chart text{fill:var(--ink)}.chart .tick{fill:var(--quiet);font-size:11px}"
    ".chart .grid{stroke:var(--grid);fill:none}.chart .frame{stroke:var(--line);fill:none}"
    ".chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}"
    ".chart .reference{fill:var(--reference);fill-opacity:.9}"
    ".chart .model{fill:var(--model);fill-opacity:.18;stroke:var(--model);stroke-width:1.3}"
    ".chart .bar{fill:none;stroke:var(--ink);stroke-width:2.2}"
    ".chart .mean{fill:var(--paper);stroke:var(--ink);stroke-width:2}"
)


def _axes(chart: Chart, scale: _Scale) -> Iterator[str]:
    left, bottom, right = scale.left, chart.height - BOTTOM, WIDTH - RIGHT
    for value, label in chart.x.ticks:
        at = scale.x(value)
        yield f'<path class="grid" d="M{at:.1f} {TOP}V{bottom}"/>'
        yield f'<text class="tick" x="{at:.1f}" y="{bottom + 15}" text-anchor="middle">{escape(label)}</text>'
    for value, label in chart.y.ticks:
        at = scale.y(value)
        yield f'<path class="grid" d="M{left} {at:.1f}H{right}"/>'
        yield f'<text class="tick" x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{escape(label)}</text>'
    yield f'<path class="frame" d="M{left} {TOP}V{bottom}H{right}"/>'
    middle, centre = (TOP + bottom) / 2, (left + right) / 2
    yield f'<text x="{centre:.0f}" y="{chart.height - 8}" text-anchor="middle">{escape(chart.x.title)}</text>'
    if chart.y.title:
        turn = f'transform="translate(13 {middle:.0f}) rotate(-90)"'
        yield f'<text {turn} text-anchor="middle">{escape(chart.y.title)}</text>'


def _shading(shade: Shade, scale: _Scale) -> Iterator[str]:
    """One path for each level of opacity; equal neighbours in a row are joined."""
    half_x, half_y = (shade.x[1] - shade.x[0]) / 2, (shade.y[1] - shade.y[0]) / 2
    levels: dict[tuple[Source, float], list[str]] = {}
    for row, height in zip(shade.share, shade.y, strict=True):
        top, bottom = scale.y(height + half_y), scale.y(height - half_y)
        start = 0
        for column in range(1, len(row) + 1):
            if column < len(row) and _level(row[column]) == _level(row[start]):
                continue
            left, right = scale.x(shade.x[start] - half_x), scale.x(shade.x[column - 1] + half_x)
            level = _level(row[start])
            if level is not None:
                box = f"M{left:.1f} {top:.1f}H{right:.1f}V{bottom:.1f}H{left:.1f}Z"
                levels.setdefault(level, []).append(box)
            start = column
    for (source, alpha), boxes in sorted(levels.items()):
        style = f'fill="var(--{source})" fill-opacity="{alpha:.3f}" shape-rendering="crispEdges"'
        yield f'<path class="shade" {style} d="{"".join(boxes)}"/>'


def _level(share: float | None) -> tuple[Source, float] | None:
    if share is None:
        return None
    steps = theme.SHADE_STEPS - 1
    source, alpha = theme.shade(round(share * steps) / steps)
    return (source, alpha) if alpha else None


def _points(points: Points, scale: _Scale) -> Iterator[str]:
    for x, y, hover in zip(points.x, points.y, points.hover, strict=True):
        title = f"<title>{escape(hover)}</title>" if hover else ""
        yield _shape(points.source, scale.x(x), scale.y(y), title)


def _shape(source: Source, x: float, y: float, inner: str = "", half: float = HALF) -> str:
    if theme.SYMBOLS[source] == "square":
        size = 2 * half - 0.6
        return (
            f'<rect class="{source}" x="{x - size / 2:.1f}" y="{y - size / 2:.1f}" '
            f'width="{size:.1f}" height="{size:.1f}">{inner}</rect>'
        )
    return f'<circle class="{source}" cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}">{inner}</circle>'


def _marks(chart: Chart, scale: _Scale) -> Iterator[str]:
    for mark in chart.marks:
        x, y = scale.x(mark.x), scale.y(mark.y)
        if mark.low is not None and mark.high is not None:
            low, high = scale.x(mark.low), scale.x(mark.high)
            ends = f"M{low:.1f} {y - 6:.1f}v12M{high:.1f} {y - 6:.1f}v12"
            yield f'<path class="bar" d="M{low:.1f} {y:.1f}H{high:.1f}{ends}"/>'
        yield f'<circle class="mean" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(mark.hover)}</title></circle>'


def _note(note: Note, scale: _Scale) -> str:
    return f'<text class="halo" x="{scale.x(note.x):.1f}" y="{scale.y(note.y):.1f}">{escape(note.text)}</text>'


def _legend(chart: Chart, scale: _Scale) -> Iterator[str]:
    at = float(scale.left)
    for points in sorted(chart.points, key=lambda points: points.source == MODEL):
        yield _shape(points.source, at + 5, 15, half=4.2 if points.source == REFERENCE else 4)
        yield f'<text x="{at + 15:.0f}" y="19">{escape(points.name)}</text>'
        at += 32 + 6.6 * len(points.name)
