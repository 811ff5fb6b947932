"""Curves with bands: an estimate against something that grows (texts, raters, k, the size of a model), or by places."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrics.data.number_format import number
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import Axis, Chart, Curve, Guide, Note, Points, pad_range, place_decades, place_ticks
from metrics.figures.labels import LETTER, add_labels, add_level
from metrics.figures.texts import shorten

NARROW = 280  # pixels of the plot on a narrow screen
SHIFT = 0.12  # of the distance of two places, between the marks at a place
MAX_LABELS, LONGEST_LABEL = 4, 14  # more or longer names at the ends of curves would cover them: a legend then


@dataclass(frozen=True, slots=True)
class At:
    """One place of a curve: `x`, the value there, its band or interval (None, None without one), and the n behind it.

    n counts what the curve's band says it counts: texts, raters or draws. name: of a place that is no size.
    """

    x: float
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One curve, by its name; its places are drawn in order of x."""

    name: str
    places: tuple[At, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture of curves.

    x_title, y_title: with units. band: what the bands are ("90% of 30 draws"), "" for none. marked: a place along x
    with its name, drawn as a line (the default of a setting). level: a value along y with its name (chance).
    x_log: x is drawn on a scale of powers of ten. x_step_min: the least
    distance of its marks (1 where x is counted).
    y_range: None takes the values' own. opening: the first sentence of the alt text ("" takes the title). words: the
    whole alt text, where the ends of the curves are not the finding. caption: as of `Chart`. joined: False for places
    that are no sizes, which no line may join: marks with bars, side by side.
    """

    name: str
    title: str
    series: tuple[Series, ...]
    x_title: str
    y_title: str
    band: str = ""
    marked: tuple[float, str] | None = None
    level: tuple[float, str] | None = None
    x_log: bool = False
    x_step_min: float = 0.0
    y_range: tuple[float, float] | None = None
    opening: str = ""
    words: str = ""
    caption: str = ""
    joined: bool = True


def chart(panel: Panel) -> Chart:
    """The picture: each curve with its band, its own dash and shape, and its name at its end.

    Raises DegenerateInput for a panel without a place, or with x <= 0 on a scale of powers of ten.
    """
    _check(panel)
    shift = 0.0 if panel.joined else SHIFT
    reached = (_x(panel, at.x) + shift * rank for rank, series in enumerate(panel.series) for at in series.places)
    xs = pad_range(tuple(reached), share=0.04)
    room = _room(panel) * (xs[1] - xs[0])
    ys = panel.y_range or pad_range(_values(panel))
    plain = Chart(
        name=panel.name,
        title=panel.title,
        alt=alt(panel),
        x=Axis(
            panel.x_title,
            xs[0],
            xs[1] + room,
            place_decades(*xs) if panel.x_log else place_ticks(*xs, min_step=panel.x_step_min),
        ),
        y=Axis(panel.y_title, *ys, place_ticks(*ys)),
        guides=_guides(panel, xs, ys),
        curves=tuple(_curve(panel, series, at) for at, series in enumerate(panel.series)) if panel.joined else (),
        points=() if panel.joined else tuple(_points(series, at) for at, series in enumerate(panel.series)),
        notes=_notes(panel, ys),
        legend=not room,
        caption=panel.caption,
    )
    ends = [(_x(panel, last.x), last.value, series.name) for series in panel.series if (last := _sorted(series)[-1])]
    labelled = plain if plain.legend else add_labels(plain, ends)
    return labelled if panel.level is None else add_level(labelled, xs, *panel.level)


def alt(panel: Panel) -> str:
    """The finding in words: where each curve begins and ends, with its band there."""
    if panel.words:
        return panel.words
    sentences = [panel.opening or f"{panel.title}."]
    for series in panel.series:
        first, last = _sorted(series)[0], _sorted(series)[-1]
        if first is last:
            sentences.append(f"{series.name} is {_value(last)} at {_place(last.x)}.")
            continue
        gap = last.value - first.value
        verb = "stays at" if abs(gap) < 0.005 else "rises from" if gap > 0 else "falls from"
        start = "" if verb == "stays at" else f" {_value(first)} at {_place(first.x)} to"
        sentences.append(f"{series.name} {verb}{start} {_value(last)} at {_place(last.x)}.")
    if panel.band:
        sentences.append(f"Bands: {panel.band}.")
    return " ".join(sentences)


def _room(panel: Panel) -> float:
    """Return the share of the width for the names at the ends of curves; 0 where a legend names them."""
    longest = max(len(series.name) for series in panel.series)
    if not 1 < len(panel.series) <= MAX_LABELS or longest > LONGEST_LABEL:
        return 0.0
    return (10 + LETTER * longest) / NARROW


def _check(panel: Panel) -> None:
    if not panel.series or not all(series.places for series in panel.series):
        raise DegenerateInput(f"The figure {panel.name} has a curve without a place.")
    lowest = min(at.x for series in panel.series for at in series.places)
    if panel.x_log and lowest <= 0:
        raise DegenerateInput(f"The figure {panel.name} has powers of ten along x, and {lowest:g} has no place there.")


def _sorted(series: Series) -> list[At]:
    return sorted(series.places, key=lambda at: at.x)


def _x(panel: Panel, value: float) -> float:
    return math.log10(value) if panel.x_log else value


def _values(panel: Panel) -> tuple[float, ...]:
    places = [at for series in panel.series for at in series.places]
    ends = [end for at in places for end in (at.low, at.value, at.high) if end is not None]
    return (*ends, *((panel.level[0],) if panel.level else ()))


def _curve(panel: Panel, series: Series, at: int) -> Curve:
    places = _sorted(series)
    banded = all(place.low is not None and place.high is not None for place in places)
    return Curve(
        look=theme.series_look(at),
        name=shorten(series.name),
        x=tuple(_x(panel, place.x) for place in places),
        y=tuple(place.value for place in places),
        hover=tuple(_hover(series.name, place) for place in places),
        low=tuple(place.low for place in places if place.low is not None) if banded else (),
        high=tuple(place.high for place in places if place.high is not None) if banded else (),
        shape=theme.series_shape(at),
        dash=theme.series_dash(at),
    )


def _points(series: Series, at: int) -> Points:
    """The places of a series as marks, each series a little to the right of the one before."""
    places = _sorted(series)
    bounds = tuple(None if place.low is None or place.high is None else (place.low, place.high) for place in places)
    return Points(
        look=theme.series_look(at),
        name=shorten(series.name),
        x=tuple(place.x + SHIFT * at for place in places),
        y=tuple(place.value for place in places),
        hover=tuple(_hover(series.name, place) for place in places),
        shape=theme.series_shape(at),
        y_bounds=bounds if any(bounds) else (),
    )


def _hover(name: str, at: At) -> str:
    return f"{name}{f', {at.name}' if at.name else f' at {_place(at.x)}'}: {_value(at)}" + (
        "" if at.n is None else f", n = {at.n}"
    )


def _value(at: At) -> str:
    none = at.low is None or at.high is None or at.low == at.high
    band = "" if none else f" [{number(at.low)}, {number(at.high)}]"
    return f"{number(at.value)}{band}"


def _place(x: float) -> str:
    for size, name in ((1e9, " billion"), (1e6, " million")):
        if abs(x) >= size:
            return f"{x / size:.3g}{name}"
    return f"{x:,.0f}" if x == int(x) else f"{x:g}".replace("-", "−")


def _guides(panel: Panel, xs: tuple[float, float], ys: tuple[float, float]) -> tuple[Guide, ...]:
    guides = []
    if panel.marked is not None:
        at = _x(panel, panel.marked[0])
        guides.append(Guide((at, at), ys))
    if panel.level is not None:
        guides.append(Guide(xs, (panel.level[0], panel.level[0])))
    return tuple(guides)


def _notes(panel: Panel, ys: tuple[float, float]) -> tuple[Note, ...]:
    if panel.marked is None:
        return ()
    lift = 0.012 * (ys[1] - ys[0])
    return (Note(_x(panel, panel.marked[0]), ys[1] + lift, panel.marked[1], "middle", quiet=True),)
