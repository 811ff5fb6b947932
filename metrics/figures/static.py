"""A chart as SVG, without script: the fallback of the page, the picture that is printed, and the SVG export."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from metrics.figures import still, theme
from metrics.figures.chart import Area, Bars, Chart, Named, Points
from metrics.figures.scale import WIDTH, Scale
from metrics.figures.texts import isolate_right_to_left
from metrics.types import REFERENCE

STYLE = (
    ".chart{font:12px " + theme.FONT + ";background:var(--paper)}"
    ".chart text{fill:var(--ink)}.chart .tick,.chart text.quiet{fill:var(--quiet);font-size:11px}"
    ".chart .grid{stroke:var(--grid);fill:none}.chart .frame{stroke:var(--line);fill:none}"
    ".chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}"
    ".chart .reference{fill:var(--reference);fill-opacity:.9}"
    ".chart .model{fill:var(--model);fill-opacity:.18;stroke:var(--model);stroke-width:1.3}"
    ".chart .ink{fill:var(--ink)}"
    + "".join(f".chart .{look}{{fill:var(--{look})}}" for look in theme.SERIES)
    + ".chart .bar{fill:none;stroke:var(--ink);stroke-width:2.2}.chart .thin{stroke-width:1.4}"
    ".chart .mean{fill:var(--paper);stroke:var(--ink);stroke-width:2}"
    ".chart .line{fill:none;stroke-width:1.8}.chart .whisker{fill:none;stroke-width:1.5}"
    ".chart .edge{fill:none;stroke-width:.8;stroke-opacity:.6}"
    ".chart .guide{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:4 4}"
    ".chart .guide.solid{stroke-dasharray:none}"
    ".chart .faint{stroke:var(--line);stroke-dasharray:none}"
    ".chart .margin.reference{fill-opacity:.45}"
)


def svg(chart: Chart, *, standalone: bool = False) -> str:
    """The chart as an SVG element; `standalone` adds the namespace and the light palette, to be a file of its own."""
    scale = Scale(chart)
    parts = [*_axes(chart, scale), *still.draw_marks(chart, scale), *_legend(scale)]
    head = f'<svg viewBox="0 0 {WIDTH} {chart.height}" role="img" aria-label="{escape(chart.alt)}" class="chart"'
    if standalone:
        head += f' xmlns="http://www.w3.org/2000/svg" width="{WIDTH * 2}" height="{chart.height * 2}"'
        parts.insert(0, f"<style>:root{{{theme.css_variables(theme.LIGHT)}}}{STYLE}</style>")
    return f"{head}>{''.join(parts)}</svg>"


def _axes(chart: Chart, scale: Scale) -> Iterator[str]:
    left, bottom, right, top = scale.left, scale.bottom, scale.right, scale.top
    for value, label in chart.x.ticks:
        at = scale.x(value)
        yield f'<path class="grid" d="M{at:.1f} {top:g}V{bottom:g}"/>'
        for down, line in enumerate(label.split("\n")):
            place = f'x="{at:.1f}" y="{bottom + 15 + 13 * down:g}"'
            yield f'<text class="tick" {place} text-anchor="middle">{escape(line)}</text>'
    for value, label in chart.y.ticks:
        at = scale.y(value)
        yield f'<path class="grid" d="M{left:g} {at:.1f}H{right:g}"/>'
        yield f'<text class="tick" x="{left - 6:g}" y="{at + 4:.1f}" text-anchor="end">{escape(label)}</text>'
    yield f'<path class="frame" d="M{left:g} {top:g}V{bottom:g}H{right:g}"/>'
    middle, centre = (top + bottom) / 2, (left + right) / 2
    yield f'<text x="{centre:.0f}" y="{chart.height - 8}" text-anchor="middle">{escape(chart.x.title)}</text>'
    if chart.y.title:
        turn = f'transform="translate(13 {middle:.0f}) rotate(-90)"'
        yield f'<text {turn} text-anchor="middle">{escape(chart.y.title)}</text>'


def _legend(scale: Scale) -> Iterator[str]:
    for at, row in enumerate(scale.legend):
        middle = 15.0 + 18 * at
        for left, named in row:
            yield _key(named, left + 5, middle)
            yield f'<text x="{left + 15:.0f}" y="{middle + 4:.0f}">{escape(isolate_right_to_left(named.name))}</text>'


def _key(named: Named, x: float, y: float) -> str:
    """What is drawn, small."""
    if isinstance(named, Area):
        style = f'fill="var(--{named.look})" fill-opacity="{theme.AREA_ALPHA}"'
        return f'<path {style} d="M{x - 5:.1f} {y - 5:.1f}h10v10h-10Z"/>'
    if isinstance(named, Bars):
        return still.draw_mark(named.look, "square", x, y, half=5)
    shape = named.shape or theme.look_shape(named.look)
    half = 4.2 if named.look == REFERENCE else 4
    drawn = still.draw_mark(named.look, shape, x, y, half=half)
    if isinstance(named, Points):
        return drawn
    dash = f' stroke-dasharray="{still.DASHES[named.dash]}"' if named.dash != "solid" else ""
    return f'<path class="line" stroke="var(--{named.look})"{dash} d="M{x - 9:.1f} {y:.1f}h18"/>{drawn}'
