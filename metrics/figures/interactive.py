"""A chart as a Plotly figure: the same marks, with text on hovering, zoom, and colours of the page's theme."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from metrics.figures import theme
from metrics.figures.chart import Axis, Chart, Points, Shade
from metrics.types import MODEL

if TYPE_CHECKING:
    import plotly.graph_objects as go

WRAP = 60


def figure(chart: Chart) -> go.Figure:
    """The chart as a Plotly figure, in the light palette; nothing random, no id: equal charts, equal JSON."""
    import plotly.graph_objects as go  # here, so that `import metrics` stays fast

    traces = [] if chart.shade is None else [_shade(go, chart.shade)]
    traces += [_points(go, points) for points in chart.points]
    if chart.marks:
        traces.append(_marks(go, chart))
    result = go.Figure(traces)
    result.update_layout(**_layout(chart))
    return result


def hover(text: str) -> str:
    """Plain text as Plotly shows it: its own mark-up is off, lines are wrapped."""
    return "<br>".join(_wrapped(escape(line, quote=False)) for line in text.split("\n"))


def _wrapped(line: str) -> str:
    lines, width = [""], 0
    for word in line.split(" "):
        if width and width + len(word) > WRAP:
            lines.append("")
            width = 0
        lines[-1] += (" " if lines[-1] else "") + word
        width += len(word) + 1
    return "<br>".join(lines)


def _shade(go: Any, shade: Shade) -> Any:
    steps = [at / (theme.SHADE_STEPS - 1) for at in range(theme.SHADE_STEPS)]
    return go.Heatmap(
        x=list(shade.x),
        y=list(shade.y),
        z=[list(row) for row in shade.share],
        zmin=0,
        zmax=1,
        colorscale=[[step, theme.rgba(*theme.shade(step))] for step in steps],
        showscale=False,
        hoverinfo="skip",
        name="share of references",
    )


def _points(go: Any, points: Points) -> Any:
    open_shape = points.source == MODEL
    return go.Scatter(
        x=list(points.x),
        y=list(points.y),
        mode="markers",
        name=points.name,
        text=[hover(text) for text in points.hover],
        hovertemplate="%{text}<extra></extra>",
        marker={
            "symbol": theme.SYMBOLS[points.source],
            "size": 8 if open_shape else 7,
            "color": theme.rgba(points.source, 0.18 if open_shape else 0.9),
            "line": {"width": 1.5 if open_shape else 0, "color": theme.COLOURS[points.source]},
        },
    )


def _marks(go: Any, chart: Chart) -> Any:
    ink, paper = theme.LIGHT["ink"], theme.LIGHT["paper"]
    above = [0.0 if mark.high is None else mark.high - mark.x for mark in chart.marks]
    below = [0.0 if mark.low is None else mark.x - mark.low for mark in chart.marks]
    return go.Scatter(
        x=[mark.x for mark in chart.marks],
        y=[mark.y for mark in chart.marks],
        mode="markers",
        name="mean",
        meta="ink",  # the page repaints these marks in its own ink
        error_x={"type": "data", "array": above, "arrayminus": below, "color": ink, "thickness": 2.2, "width": 6},
        marker={"size": 9, "color": paper, "line": {"width": 2, "color": ink}},
        text=[hover(mark.hover) for mark in chart.marks],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )


def _layout(chart: Chart) -> dict[str, Any]:
    named = len(chart.points) > 1 and not chart.notes
    return {
        "template": "none",
        "height": chart.height,
        "margin": {"l": 56 if chart.y.ticks or chart.y.title else 12, "r": 12, "t": 34, "b": 46},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": theme.FONT, "size": 12, "color": theme.LIGHT["ink"]},
        "hoverlabel": {"align": "left", "font": {"family": theme.FONT}},
        "showlegend": named,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"},
        "xaxis": _axis(chart.x),
        "yaxis": _axis(chart.y),
        "annotations": [
            {
                "x": note.x,
                "y": note.y,
                "text": escape(note.text, quote=False),
                "showarrow": False,
                "xanchor": "left",
                "yanchor": "bottom",
                "borderpad": 0,
            }
            for note in chart.notes
        ],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "title": {"text": escape(axis.title, quote=False), "standoff": 8},
        "range": [axis.low, axis.high],
        "tickvals": [value for value, _ in axis.ticks],
        "ticktext": [label for _, label in axis.ticks],
        "gridcolor": theme.LIGHT["grid"],
        "linecolor": theme.LIGHT["line"],
        "showline": True,
        "showgrid": True,
        "zeroline": False,
        "tickfont": {"size": 11},
    }
