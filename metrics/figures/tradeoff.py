"""HUSE-D against HUSE-Q (Hashimoto et al. 2019, Fig. 3): what each model pays in diversity for its quality.

Colour and shape: the task; models that do not generate (retrieval) are crosses. Grey lines join places of equal HUSE
(D + Q = 1 + HUSE). A shaded region holds what a task's models dominate: worse HUSE in the same proportion of D to Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import estimate, number
from metrics.data.sentence import Sentence, template
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import (
    Area,
    Axis,
    Chart,
    Guide,
    Note,
    Points,
    interval_ends,
    name_intervals,
    pad_range,
    place_ticks,
)
from metrics.figures.labels import add_labels
from metrics.figures.texts import shorten
from metrics.figures.theme import Shape
from metrics.types import Estimate

MAX_NAMES, LONGEST_NAME = 4, 22  # more or longer names would lie far from their marks: numbers then
STEP = 0.2  # of HUSE between the grey lines
ROOM = 0.24  # of the width, for their names on the right
CAPTION = template(
    "figures.tradeoff",
    "Each mark is a model{bars}.{key} Gray lines join places of equal HUSE.{ground}",
    "results.generators",
    "options.level",
)


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


def chart(
    systems: Sequence[System], regions: Sequence[Region] = (), *, name: str = "tradeoff", over: str = ""
) -> Chart:
    """The picture. Models without HUSE-Q or HUSE-D are skipped; DegenerateInput is raised where none has both.

    over: what the intervals are over, where other tables have others.
    """
    shown = [system for system in systems if system.huse_q.value is not None and system.huse_d.value is not None]
    if not shown:
        raise DegenerateInput("The trade-off of quality and diversity needs a model with HUSE-Q and HUSE-D.")
    across, along = _range(shown, "huse_q"), _range(shown, "huse_d")
    tasks = list(dict.fromkeys(system.task for system in shown))
    guides, notes = _equal_huse(across, along)
    plain = Chart(
        name=name,
        title="Quality and diversity",
        alt=alt(systems),
        x=Axis("HUSE-Q (quality)", across[0], across[1] + ROOM * (across[1] - across[0]), place_ticks(*across)),
        y=Axis("HUSE-D (diversity)", *along, place_ticks(*along)),
        areas=tuple(Area(theme.series_look(tasks.index(r.task)), f"dominated, {r.task}", r.corners) for r in regions),
        guides=guides,
        points=tuple(points for at, task in enumerate(tasks) for points in _points(shown, task, at)),
        notes=notes,
        legend=False,
        height=400,
        caption=_caption(shown, over, several_regions=bool(regions)),
    )
    return add_labels(
        plain,
        [
            (_value(system.huse_q), _value(system.huse_d), label)
            for system, label in zip(shown, _labels(shown), strict=True)
        ],
    )


def _caption(shown: Sequence[System], over: str, *, several_regions: bool) -> Sentence:
    spans = [estimate.interval for system in shown for estimate in (system.huse_q, system.huse_d)]
    bars = name_intervals(spans, over)
    ground = (
        " Shaded: from 0, 0 to the line that joins a task's models, where HUSE is lower than on that line at the "
        "same ratio of HUSE-D to HUSE-Q."
        if several_regions
        else ""
    )
    return CAPTION.fill(bars=bars, key=_key(shown), ground=ground)


def alt(systems: Sequence[System]) -> str:
    """The finding in words: for each task, which model is best by quality and which by diversity, with intervals."""
    sentences = []
    for task in dict.fromkeys(system.task for system in systems):
        task_systems = [system for system in systems if system.task == task]
        known = [
            system for system in task_systems if system.huse_q.value is not None and system.huse_d.value is not None
        ]
        sentences.append(f"{task}: {_best(known)}" if known else f"{task}: no model has both HUSE-Q and HUSE-D.")
    return " ".join(sentences)


def _best(known: Sequence[System]) -> str:
    quality = max(known, key=lambda system: _value(system.huse_q))
    diversity = max(known, key=lambda system: _value(system.huse_d))
    if len(known) == 1:
        return f"{_placed(quality)}."
    if quality is diversity:
        return f"{_placed(quality)}, has the highest estimates of both quality and diversity of {len(known)} models."
    best = f"{_placed(quality)}, has the highest quality; {_placed(diversity)}, the highest diversity."
    return f"of {len(known)} models, {best}"


def _placed(system: System) -> str:
    return (
        f"{system.name}, at HUSE-Q {estimate(system.huse_q)} and HUSE-D {estimate(system.huse_d)} (n = {system.huse.n})"
    )


def _value(measured: Estimate) -> float:
    """The value of an estimate that has one."""
    return float("nan") if measured.value is None else measured.value


def _range(systems: Sequence[System], measure: str) -> tuple[float, float]:
    """Holds every value with its interval, and 0 to 1."""
    reached = [0.0, 1.0]
    for system in systems:
        value: Estimate = getattr(system, measure)
        reached += [_value(value), *((value.interval.low, value.interval.high) if value.interval else ())]
    return pad_range(tuple(reached), share=0.04)


def _points(systems: Sequence[System], task: str, at: int) -> list[Points]:
    """The models of a task: those that generate in the task's shape, the others as crosses."""
    points = []
    for generates in (True, False):
        task_systems = [system for system in systems if system.task == task and system.generates == generates]
        shape: Shape = theme.series_shape(at) if generates else "x"
        if task_systems:
            points.append(
                Points(
                    look=theme.series_look(at),
                    name=task if generates else f"{task}, retrieval",
                    x=tuple(_value(system.huse_q) for system in task_systems),
                    y=tuple(_value(system.huse_d) for system in task_systems),
                    hover=tuple(_hover(system) for system in task_systems),
                    shape=shape,
                    x_bounds=tuple(interval_ends(system.huse_q.interval) for system in task_systems),
                    y_bounds=tuple(interval_ends(system.huse_d.interval) for system in task_systems),
                )
            )
    return points


def _hover(system: System) -> str:
    values = f"HUSE {estimate(system.huse)}\nHUSE-Q {estimate(system.huse_q)}\nHUSE-D {estimate(system.huse_d)}"
    return f"{system.task}, {system.name} (n = {system.huse.n})\n{values}"


def _full_name(system: System, shown: Sequence[System]) -> str:
    return f"{system.task}, {system.name}" if len({each.task for each in shown}) > 1 else system.name


def _is_numbered(shown: Sequence[System]) -> bool:
    longest = max(len(_full_name(system, shown)) for system in shown)
    return len(shown) > MAX_NAMES or (len(shown) > 2 and longest > LONGEST_NAME)


def _labels(shown: Sequence[System]) -> list[str]:
    """Return the names at the marks; numbers where these are many or long, as the caption's key says."""
    if _is_numbered(shown):
        return [str(number) for number, _ in enumerate(shown, 1)]
    return [shorten(_full_name(system, shown)) for system in shown]


def _key(shown: Sequence[System]) -> str:
    if not _is_numbered(shown):
        return ""
    return (
        " Numbers: "
        + "; ".join(f"({at}) {shorten(_full_name(system, shown))}" for at, system in enumerate(shown, 1))
        + "."
    )


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
