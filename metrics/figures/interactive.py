"""A chart as a Plotly figure: the same marks, with text on hovering and zoom.

It is drawn in the light palette; a page that has another replaces the palette's colours, each by its name (`embed`).
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from metrics.figures import theme, traces
from metrics.figures.chart import Axis, Chart, Note, Shade
from metrics.figures.scale import STRIP, Scale
from metrics.figures.shading import boxes_by_level
from metrics.figures.texts import isolate_right_to_left

if TYPE_CHECKING:
    import plotly.graph_objects as go

ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def figure(chart: Chart) -> go.Figure:
    """The chart as a Plotly figure, in the light palette; nothing random, no id: equal charts, equal JSON."""
    import plotly.graph_objects as go  # here, so that `import metrics` stays fast

    result = go.Figure(list(traces.build_traces(chart, go)))
    result.update_layout(**_layout(chart))
    return result


def _layout(chart: Chart) -> dict[str, Any]:
    scale = Scale(chart)
    right, top = (
        _share(STRIP, scale.right - scale.left, chart.right),
        _share(STRIP, scale.bottom - scale.top, chart.top),
    )
    layout: dict[str, Any] = {
        "template": "none",
        "height": chart.height,
        "margin": {
            "l": round(scale.left) + 6 if scale.left > 12 else 12,
            "r": 12,
            "t": _head(scale),
            "b": 33 + 13 * scale.tick_lines,
        },
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": theme.FONT, "size": 12, "color": theme.LIGHT["ink"]},
        "hoverlabel": {
            "align": "left",
            "bgcolor": theme.LIGHT["paper"],
            "bordercolor": theme.LIGHT["line"],
            "font": {"family": theme.FONT, "color": theme.LIGHT["ink"]},
        },
        "showlegend": bool(chart.named),
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            # Keys are as large as what they name, but where hundreds of marks are small.
            "itemsizing": "constant" if any(theme.mark_scale(len(drawn.x)) < 1 for drawn in chart.points) else "trace",
        },
        "xaxis": _axis(chart.x, right),
        "yaxis": _axis(chart.y, top),
        "annotations": [_note(note) for note in chart.notes],
        **({"shapes": _shading(chart.shade)} if chart.shade else {}),
    }
    if chart.bars or chart.top or chart.right:
        layout |= {"barmode": "overlay"}
    if chart.top:
        layout["yaxis2"] = _bare(1 - top + 0.01)
    if chart.right:
        layout["xaxis2"] = _bare(1 - right + 0.01)
    return layout


def _shading(shade: Shade) -> list[dict[str, Any]]:
    """Paths below everything else, one for each level of opacity."""
    return [
        {
            "type": "path",
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": theme.look_rgba(source, alpha),
            "path": "".join(f"M{box.left:g},{box.low:g}H{box.right:g}V{box.high:g}H{box.left:g}Z" for box in boxes),
        }
        for (source, alpha), boxes in boxes_by_level(shade).items()
    ]


def _share(strip: float, rest: float, drawn: object) -> float:
    """The part of the plot's side that a histogram takes."""
    return round(strip / (strip + rest), 3) if drawn else 0.0


def _head(scale: Scale) -> int:
    return 34 + 18 * max(0, len(scale.legend) - 1)


def _note(note: Note) -> dict[str, Any]:
    return {
        "x": note.x,
        "y": note.y,
        "text": escape(isolate_right_to_left(note.text), quote=False),
        "showarrow": False,
        "xanchor": ANCHORS[note.anchor],
        "yanchor": "bottom",
        "borderpad": 0,
        "bgcolor": theme.LIGHT["paper"],
        **({"font": {"size": 11, "color": theme.LIGHT["quiet"]}} if note.quiet else {}),
    }


def _axis(axis: Axis, histogram_share: float) -> dict[str, Any]:
    return {
        "title": {"text": escape(axis.title, quote=False), "standoff": 8},
        "range": [axis.low, axis.high],
        "tickvals": [value for value, _ in axis.ticks],
        "ticktext": [escape(label, quote=False).replace("\n", "<br>") for _, label in axis.ticks],
        "gridcolor": theme.LIGHT["grid"],
        "linecolor": theme.LIGHT["line"],
        "showline": True,
        "showgrid": True,
        "zeroline": False,
        "tickangle": 0,
        "tickfont": {"size": 11, "color": theme.LIGHT["quiet"]},
        **({"domain": [0, 1 - histogram_share]} if histogram_share else {}),
    }


def _bare(start: float) -> dict[str, Any]:
    """Return an axis of a histogram at the plot's edge: no ticks, no grid, no separate zoom."""
    return {
        "domain": [start, 1],
        "visible": False,
        "fixedrange": True,
        "rangemode": "tozero",
    }
