"""Each kind of mark of a chart as Plotly traces: scatter and bar, which the page's part of Plotly draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from metrics.figures import theme
from metrics.figures.chart import Area, Bars, Bounds, Chart, Curve, Guide, Margin, Points
from metrics.figures.texts import isolate_right_to_left
from metrics.types import MODEL

WRAP = 60


def build_traces(chart: Chart, go: Any) -> Iterator[Any]:
    """The traces, what lies below first. `go`: plotly.graph_objects. Shading is of the layout."""
    for area in chart.areas:
        yield _area(go, area, bool(chart.named))
    for guide in chart.guides:
        yield _guide(go, guide)
    for bars in chart.bars:
        yield _bars(go, bars)
    for curve in chart.curves:
        yield from _curve(go, curve)
    for points in chart.points:
        yield _points(go, points)
    for margin in (*chart.top, *chart.right):
        yield _margin(go, margin, upright=margin in chart.top)
    if chart.marks:
        yield _marks(go, chart)


def format_hover(text: str) -> str:
    """Plain text as Plotly shows it: its own mark-up is off, lines are wrapped."""
    return "<br>".join(_wrapped(escape(isolate_right_to_left(line), quote=False)) for line in text.split("\n"))


def _wrapped(line: str) -> str:
    lines, width = [""], 0
    for word in line.split(" "):
        if width and width + len(word) > WRAP:
            lines.append("")
            width = 0
        lines[-1] += (" " if lines[-1] else "") + word
        width += len(word) + 1
    return "<br>".join(lines)


def _hover_texts(texts: Sequence[str]) -> dict[str, Any]:
    return {"text": [format_hover(text) for text in texts], "hovertemplate": "%{text}<extra></extra>"}


def _area(go: Any, area: Area, named: bool) -> Any:
    return go.Scatter(
        x=[x for x, _ in area.corners],
        y=[y for _, y in area.corners],
        mode="lines",
        line={"width": 0.8, "color": theme.look_rgba(area.look, 0.6)},  # so that a narrow one is seen
        fill="toself",
        fillcolor=theme.look_rgba(area.look, theme.AREA_ALPHA),
        hoverinfo="skip",
        name=escape(isolate_right_to_left(area.name), quote=False),
        showlegend=named,
    )


def _guide(go: Any, guide: Guide) -> Any:
    return go.Scatter(
        x=list(guide.x),
        y=list(guide.y),
        mode="lines",
        line={
            "width": 1,
            "dash": "solid" if guide.faint or guide.solid else "dash",
            "color": theme.LIGHT["line" if guide.faint else "quiet"],
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _bars(go: Any, bars: Bars) -> Any:
    return go.Bar(
        x=list(bars.x),
        y=list(bars.height),
        width=bars.width,
        name=escape(isolate_right_to_left(bars.name), quote=False),
        marker=_filled(bars.look),
        error_y=_error(bars.height, bars.bounds, theme.LIGHT["ink"]),
        textposition="none",
        **_hover_texts(bars.hover),
    )


def _filled(look: str) -> dict[str, Any]:
    open_shape = look == MODEL
    alpha = 0.18 if open_shape else 0.9
    return {
        "color": theme.look_rgba(look, alpha),
        "line": {"width": 1.3 if open_shape else 0, "color": theme.look_color(look)},
    }


def _error(values: Sequence[float], bounds: Sequence[Bounds], colour: str, *, cap: int = 3) -> dict[str, Any] | None:
    """Plotly's error bars from intervals; None without any."""
    if all(pair is None for pair in bounds):
        return None
    ends = [(value, value) if pair is None else pair for value, pair in zip(values, bounds, strict=True)]
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, (_, high) in zip(values, ends, strict=True)],
        "arrayminus": [value - low for value, (low, _) in zip(values, ends, strict=True)],
        "color": colour,
        "thickness": 1.5,
        "width": cap,
    }


def _curve(go: Any, curve: Curve) -> Iterator[Any]:
    if curve.low:
        yield go.Scatter(
            x=[*curve.x, *reversed(curve.x)],
            y=[*curve.high, *reversed(curve.low)],
            mode="lines",
            line={"width": 0.8, "color": theme.look_rgba(curve.look, 0.6)},
            fill="toself",
            fillcolor=theme.look_rgba(curve.look, theme.BAND_ALPHA),
            hoverinfo="skip",
            showlegend=False,
        )
    yield go.Scatter(
        x=list(curve.x),
        y=list(curve.y),
        mode="lines+markers",
        name=escape(isolate_right_to_left(curve.name), quote=False),
        line={"width": 1.8, "color": theme.look_color(curve.look), "dash": curve.dash},
        marker=_marker(curve),
        **_hover_texts(curve.hover),
    )


def _points(go: Any, points: Points) -> Any:
    colour = theme.look_color(points.look)
    return go.Scatter(
        x=list(points.x),
        y=list(points.y),
        mode="markers",
        name=escape(isolate_right_to_left(points.name), quote=False),
        error_x=_error(points.x, points.x_bounds, colour),
        error_y=_error(points.y, points.y_bounds, colour),
        marker=_marker(points),
        **_hover_texts(points.hover),
    )


def _marker(drawn: Points | Curve) -> dict[str, Any]:
    open_shape, grain = drawn.look == MODEL, theme.mark_scale(len(drawn.x))
    return {
        "symbol": drawn.shape or theme.look_shape(drawn.look),
        "size": round((8 if open_shape else 7) * grain, 1),
        "color": theme.look_rgba(drawn.look, 0.18 if open_shape else 0.9),
        "line": {"width": 1.5 * grain if open_shape else 0, "color": theme.look_color(drawn.look)},
    }


def _margin(go: Any, margin: Margin, *, upright: bool) -> Any:
    along, share = list(margin.centres), list(margin.shares)
    place: dict[str, Any] = {"x": along, "y": share, "yaxis": "y2"}
    if not upright:
        place = {"x": share, "y": along, "xaxis": "x2", "orientation": "h"}
    marker = _filled(margin.look) if margin.look == MODEL else {"color": theme.look_rgba(margin.look, 0.45)}
    return go.Bar(
        **place, width=margin.width, marker=marker, hoverinfo="skip", showlegend=False, name=f"{margin.look}, margin"
    )


def _marks(go: Any, chart: Chart) -> Any:
    ink, paper = theme.LIGHT["ink"], theme.LIGHT["paper"]
    bounds = [None if mark.low is None or mark.high is None else (mark.low, mark.high) for mark in chart.marks]
    error = _error([mark.x for mark in chart.marks], bounds, ink, cap=6)
    return go.Scatter(
        x=[mark.x for mark in chart.marks],
        y=[mark.y for mark in chart.marks],
        mode="markers",
        name="mean",
        error_x={**(error or {}), "thickness": 2.2},
        marker={"size": 9, "color": paper, "line": {"width": 2, "color": ink}},
        showlegend=False,
        **_hover_texts([mark.hover for mark in chart.marks]),
    )
