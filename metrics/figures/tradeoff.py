"""HUSE-D against HUSE-Q (Hashimoto et al. 2019, Fig. 3): what each model pays in diversity for its quality.

Colour and shape: the task; models that do not generate (retrieval) are crosses. Grey lines join places of equal HUSE
(D + Q = 1 + HUSE). A shaded region holds what a task's models dominate: worse HUSE in the same proportion of D to Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics.data.number_format import estimate, number
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import Area, Axis, Chart, Guide, Note, Points, ends, padded, ticks
from metrics.figures.interactive import figure as interactive
from metrics.figures.labels import labelled
from metrics.figures.texts import short
from metrics.figures.theme import Shape
from metrics.types import Estimate

if TYPE_CHECKING:
    import plotly.graph_objects as go

MAX_NAMES = 12
STEP = 0.2  # of HUSE between the grey lines
ROOM = 0.24  # of the width, for their names on the right


@dataclass(frozen=True, slots=True)
class System:
    """One model: its label ("t=0.7"), its task, and its three estimates. generates: False for retrieval."""

    name: str
    task: str
    huse: Estimate
    huse_q: Estimate
    huse_d: Estimate
    generates: bool = True


@dataclass(frozen=True, slots=True)
class Region:
    """What the models of a task dominate: the corners of a polygon as (HUSE-Q, HUSE-D)."""

    task: str
    corners: tuple[tuple[float, float], ...]


def data(systems: Sequence[System]) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
    """The table behind the picture: one row for each model."""
    columns = ["task", "model", "n"]
    for name in ("huse", "huse_q", "huse_d"):
        columns += [name, f"{name}_low", f"{name}_high"]
    return tuple(columns), [_row(one) for one in systems]


def chart(systems: Sequence[System], regions: Sequence[Region] = (), *, name: str = "tradeoff") -> Chart:
    """The picture. Models without HUSE-Q or HUSE-D are left out; DegenerateInput is raised where none has both."""
    shown = [one for one in systems if one.huse_q.value is not None and one.huse_d.value is not None]
    if not shown:
        raise DegenerateInput("The trade-off of quality and diversity needs a model with HUSE-Q and HUSE-D.")
    across, along = _range(shown, "huse_q"), _range(shown, "huse_d")
    tasks = list(dict.fromkeys(one.task for one in shown))
    guides, notes = _equal_huse(across, along)
    plain = Chart(
        name=name,
        title="Quality and diversity",
        alt=alt(systems),
        x=Axis("HUSE-Q (quality)", across[0], across[1] + ROOM * (across[1] - across[0]), ticks(*across)),
        y=Axis("HUSE-D (diversity)", *along, ticks(*along)),
        areas=tuple(Area(theme.series(tasks.index(r.task)), f"dominated, {r.task}", r.corners) for r in regions),
        guides=guides,
        points=tuple(points for at, task in enumerate(tasks) for points in _points(shown, task, at)),
        notes=notes,
        legend=False,
        height=400,
    )
    several = len(tasks) > 1
    return labelled(
        plain, [(_value(one.huse_q), _value(one.huse_d), _label(one, several)) for one in _named_systems(shown)]
    )


def figure(systems: Sequence[System], regions: Sequence[Region] = ()) -> go.Figure:
    """The picture in Plotly."""
    return interactive(chart(systems, regions))


def alt(systems: Sequence[System]) -> str:
    """The finding in words: for each task, which model is best by quality and which by diversity, with intervals."""
    told = []
    for task in dict.fromkeys(one.task for one in systems):
        own = [one for one in systems if one.task == task]
        known = [one for one in own if one.huse_q.value is not None and one.huse_d.value is not None]
        told.append(f"{task}: {_best(known)}" if known else f"{task}: no model has both HUSE-Q and HUSE-D.")
    return " ".join(told)


def _best(known: Sequence[System]) -> str:
    quality = max(known, key=lambda one: _value(one.huse_q))
    diversity = max(known, key=lambda one: _value(one.huse_d))
    if len(known) == 1:
        return f"{_placed(quality)}."
    if quality is diversity:
        return f"{_placed(quality)}, has the highest estimates of both quality and diversity of {len(known)} models."
    best = f"{_placed(quality)}, has the highest quality; {_placed(diversity)}, the highest diversity."
    return f"of {len(known)} models, {best}"


def _placed(one: System) -> str:
    return f"{one.name}, at HUSE-Q {estimate(one.huse_q)} and HUSE-D {estimate(one.huse_d)} (n = {one.huse.n})"


def _row(one: System) -> tuple[str | float | None, ...]:
    row: list[str | float | None] = [one.task, one.name, one.huse.n]
    for value in (one.huse, one.huse_q, one.huse_d):
        row += [value.value, *((value.interval.low, value.interval.high) if value.interval else (None, None))]
    return tuple(row)


def _value(given: Estimate) -> float:
    """The value of an estimate that has one."""
    return float("nan") if given.value is None else given.value


def _range(systems: Sequence[System], measure: str) -> tuple[float, float]:
    """Holds every value with its interval, and 0 to 1."""
    reached = [0.0, 1.0]
    for one in systems:
        value: Estimate = getattr(one, measure)
        reached += [_value(value), *((value.interval.low, value.interval.high) if value.interval else ())]
    return padded(tuple(reached), share=0.04)


def _points(systems: Sequence[System], task: str, at: int) -> list[Points]:
    """The models of a task: those that generate in the task's shape, the others as crosses."""
    found = []
    for generates in (True, False):
        own = [one for one in systems if one.task == task and one.generates == generates]
        shape: Shape = theme.series_shape(at) if generates else "x"
        if own:
            found.append(
                Points(
                    look=theme.series(at),
                    name=task if generates else f"{task}, retrieval",
                    x=tuple(_value(one.huse_q) for one in own),
                    y=tuple(_value(one.huse_d) for one in own),
                    hover=tuple(_hover(one) for one in own),
                    shape=shape,
                    x_bounds=tuple(ends(one.huse_q.interval) for one in own),
                    y_bounds=tuple(ends(one.huse_d.interval) for one in own),
                )
            )
    return found


def _hover(one: System) -> str:
    values = f"HUSE {estimate(one.huse)}\nHUSE-Q {estimate(one.huse_q)}\nHUSE-D {estimate(one.huse_d)}"
    return f"{one.task}, {one.name} (n = {one.huse.n})\n{values}"


def _named_systems(shown: Sequence[System]) -> list[System]:
    """Whom to name in the plot: all, or of many the best of each task, whom the words name."""
    if len(shown) <= MAX_NAMES:
        return list(shown)
    best: list[System] = []
    for task in dict.fromkeys(one.task for one in shown):
        own = [one for one in shown if one.task == task]
        best += [max(own, key=lambda one: _value(one.huse_q)), max(own, key=lambda one: _value(one.huse_d))]
    return [one for one in shown if one in best]


def _label(one: System, several: bool) -> str:
    return f"{short(one.task, 11)}, {short(one.name, 13)}" if several else short(one.name)


def _equal_huse(across: tuple[float, float], along: tuple[float, float]) -> tuple[tuple[Guide, ...], tuple[Note, ...]]:
    """Lines D + Q = 1 + c inside the plot, for round c, those that leave it on the right named there."""
    guides, notes = [], []
    for step in range(-5, 11):
        total = 1 + step * STEP
        left, right = max(across[0], total - along[1]), min(across[1], total - along[0])
        if right - left < 0.12 * (across[1] - across[0]):
            continue
        guides.append(Guide((left, right), (total - left, total - right), faint=True))
        if right == across[1]:
            text = f"HUSE {number(step * STEP, 1)}"
            notes.append(Note(right + 0.01, total - right - 0.01, text, quiet=True))
    return tuple(guides), tuple(notes)
