"""Human-or-machine accuracy by arm, with chance (Clark et al. 2021, Tables 1 and 2 as a picture)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import plural, share
from metrics.data.sentence import Sentence, template
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import (
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
from metrics.figures.texts import ROW_LETTERS, noun_of, shorten, shorten_parts
from metrics.types import Estimate

ARMS = ("arm", "arms")
ROW = 40  # SVG units of a row
TALL_ROW = 56  # of a row whose name has a line of its own
LINE = 15  # SVG units from line to line
CAPTION = template(
    "figures.accuracy",
    "Mean share of right answers{bars}; n counts {unit}. Upright line: guessing.{assigned}",
    "ratings.text",
    "options.level",
    "study.arm_assignment",
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One cell of the design: its name ("GPT-3, stories"), its group (the training, "" for none), its accuracy.

    accuracy: in [0, 1], n counts the evaluators (or what its settings call the unit).
    """

    name: str
    accuracy: Estimate
    group: str = ""


def chart(
    arms: Sequence[Arm],
    *,
    chance: float = 0.5,
    unit: str = "evaluators",
    name: str = "accuracy",
    nouns: tuple[str, str] = ARMS,
    assigned: Sequence[str] = (),
) -> Chart:
    """The picture: a row an arm, the first on top, its value and interval written above it; a line at chance.

    nouns: what one arm and several are called.
    assigned: sentences on how people came to their arm, which follow the finding and the caption.
    Raises DegenerateInput where no arm has a value.
    """
    if not any(arm.accuracy.value is not None for arm in arms):
        raise DegenerateInput("Accuracy by arm needs an arm with a value.")
    span = _range(arms, chance)
    heights = [float(len(arms) - 1 - at) for at in range(len(arms))]
    lift = (span[1] - span[0]) * 0.01
    grouped = len({arm.group for arm in arms}) > 1
    row = TALL_ROW if _is_tall(arms, grouped) else ROW
    return Chart(
        name=name,
        title=f"Accuracy by {nouns[0]}",
        alt=" ".join((alt(arms, chance=chance, unit=unit, nouns=nouns), *assigned)),
        x=Axis("accuracy", *span, tuple((at, f"{at * 100:.0f}%") for at, _ in place_ticks(*span))),
        y=Axis("", -0.75, len(arms) - 0.2),
        guides=_guides(chance, heights, row),
        points=_points(arms, heights),
        notes=(
            *(
                Note(span[0] + lift, height + (12 + LINE * above) / row, line)
                for arm, height in zip(arms, heights, strict=True)
                for above, line in enumerate(_lines(arm, grouped, tall=row == TALL_ROW))
            ),
            Note(chance + lift, -0.7, f"chance {chance:.0%}", quiet=True),
        ),
        legend=grouped,
        height=96 + row * len(arms),
        caption=_caption(arms, unit, assigned),
    )


def _guides(chance: float, heights: Sequence[float], row: int) -> tuple[Guide, ...]:
    """The line at chance, a piece for each row, without dashes: none crosses what is written above a row."""
    lowest = min(heights)
    return tuple(
        Guide((chance, chance), (-0.75 if height == lowest else height - 11 / row, height + 10 / row), solid=True)
        for height in heights
    )


def _caption(arms: Sequence[Arm], unit: str, assigned: Sequence[str]) -> Sentence:
    bars = name_intervals((arm.accuracy.interval for arm in arms), unit)
    return CAPTION.fill(bars=bars, unit=unit, assigned="".join(f" {sentence}" for sentence in assigned))


def alt(arms: Sequence[Arm], *, chance: float = 0.5, unit: str = "evaluators", nouns: tuple[str, str] = ARMS) -> str:
    """The finding in words: which arms lie above or below chance with their whole interval, and each value."""
    above = [_name(arm) for arm in arms if arm.accuracy.interval and arm.accuracy.interval.low > chance]
    below = [_name(arm) for arm in arms if arm.accuracy.interval and arm.accuracy.interval.high < chance]
    filled = sum(arm.accuracy.value is not None for arm in arms)
    verb, whose = ("is", "its") if 1 in (len(above), filled) else ("are", "their")
    sentences = [
        f"{len(above)} of {plural(filled, *nouns)} {verb} above chance ({chance:.0%}) with {whose} whole interval"
        + (f": {', '.join(above)}." if above else ".")
    ]
    if below:
        sentences.append(f"Below it: {', '.join(below)}.")
    if empty := [_name(arm) for arm in arms if not arm.accuracy.n]:
        sentences.append(f"Without a value: {', '.join(empty)}.")
    known = sorted((arm for arm in arms if arm.accuracy.value is not None), key=lambda arm: -(arm.accuracy.value or 0))
    if known:
        sentences += [
            f"Highest: {_full_label(known[0])} {noun_of(known[0].accuracy.n, unit)}.",
            f"Lowest: {_full_label(known[-1])} {noun_of(known[-1].accuracy.n, unit)}.",
        ][: len(known)]
    return " ".join(sentences)


def _range(arms: Sequence[Arm], chance: float) -> tuple[float, float]:
    reached = [chance]
    for arm in arms:
        span = arm.accuracy.interval
        reached += [
            *((span.low, span.high) if span else ()),
            *(() if arm.accuracy.value is None else (arm.accuracy.value,)),
        ]
    return pad_range(tuple(reached), share=0.08)


def _points(arms: Sequence[Arm], heights: Sequence[float]) -> tuple[Points, ...]:
    """Arms by group, each group in a look and a shape of its own."""
    groups = list(dict.fromkeys(arm.group for arm in arms))
    points = []
    for at, group in enumerate(groups):
        group_arms = [(arm, y) for arm, y in zip(arms, heights, strict=True) if arm.group == group]
        shown = [(arm, arm.accuracy.value, y) for arm, y in group_arms if arm.accuracy.value is not None]
        points.append(
            Points(
                look=theme.series_look(at) if len(groups) > 1 else "ink",
                name=shorten(group),
                x=tuple(value for _, value, _ in shown),
                y=tuple(y for _, _, y in shown),
                hover=tuple(_full_label(arm) for arm, _, _ in shown),
                shape=theme.series_shape(at),
                x_bounds=tuple(interval_ends(arm.accuracy.interval) for arm, _, _ in shown),
            )
        )
    return tuple(points)


def _name(arm: Arm) -> str:
    return f"{arm.name} ({arm.group})" if arm.group else arm.name


def _is_tall(arms: Sequence[Arm], grouped: bool) -> bool:
    """Whether a name with its numbers is longer than a narrow screen, so that each name has a line of its own."""
    return any(len(_label(arm, _shown_name(arm, grouped))) > ROW_LETTERS for arm in arms)


def _shown_name(arm: Arm, grouped: bool) -> str:
    """The name; the group goes first where the legend names it and both are too long."""
    return arm.name if grouped and len(_full_label(arm)) > ROW_LETTERS else _name(arm)


def _lines(arm: Arm, grouped: bool, *, tall: bool) -> tuple[str, ...]:
    """What is written above a row, the lowest line first; only a name longer than a line is shortened."""
    name = _shown_name(arm, grouped)
    return (_label(arm, ""), shorten_parts(name, ROW_LETTERS)) if tall else (_label(arm, name),)


def _full_label(arm: Arm) -> str:
    return _label(arm, _name(arm))


def _label(arm: Arm, name: str) -> str:
    return f"{name} {share(arm.accuracy.value, arm.accuracy.interval)}, n = {arm.accuracy.n}".lstrip()
