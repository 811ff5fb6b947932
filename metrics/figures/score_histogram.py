"""Histograms of ratings by source (Clark et al. 2021, appendix A.2): what share of its ratings each label received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import Axis, Bars, Chart, ends, ticks
from metrics.figures.interactive import figure as interactive
from metrics.figures.texts import counted, short
from metrics.figures.theme import Look
from metrics.types import REFERENCE, Interval, Source

if TYPE_CHECKING:
    import plotly.graph_objects as go

GROUP = 0.8  # of the space of a label is taken by its bars
LETTERS = 45  # that fit under the plot on a narrow screen


@dataclass(frozen=True, slots=True)
class Scores:
    """Ratings of one source's texts: for each label how often it was given, and the interval of its share.

    name: "human", or the generator. source: None for one of neither. counts: in the order of the labels. intervals: of
    the shares, clustered by who rated, None where none is defined. raters: people behind the ratings. unit: what is
    counted, where that is no rating; behind: how much it is, in words.
    """

    name: str
    source: Source | None
    counts: tuple[int, ...]
    intervals: tuple[Interval | None, ...]
    raters: int = 0
    unit: str = "rating"
    behind: str = ""

    @property
    def n(self) -> int:
        """Ratings."""
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of the ratings that each label received; 0 for a source without ratings."""
        return tuple(count / self.n if self.n else 0.0 for count in self.counts)


def data(
    labels: Sequence[str], found: Sequence[Scores]
) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
    """The table behind the picture: one row for each source and label."""
    columns = ("source", "label", "count", "share", "low", "high", "ratings", "raters")
    rows: list[tuple[str | float | None, ...]] = []
    for one in found:
        for label, count, share, span in zip(labels, one.counts, one.shares, one.intervals, strict=True):
            bounds = (span.low, span.high) if span else (None, None)
            rows.append((one.name, label, count, share, *bounds, one.n, one.raters))
    return columns, rows


def chart(
    labels: Sequence[str], found: Sequence[Scores], *, name: str = "scores", title: str = "Ratings by source"
) -> Chart:
    """The picture: at each label one bar a source, references filled and models open, each with its interval.

    Raises DegenerateInput without a source, or where counts and labels do not go together.
    """
    if not found or any(len(one.counts) != len(labels) or len(one.intervals) != len(labels) for one in found):
        raise DegenerateInput("A histogram of ratings needs a source, and a count and an interval for each label.")
    width = GROUP / len(found)
    reached = [end for one in found for span in one.intervals if span for end in (span.low, span.high)]
    most = max([0.05, *reached, *(share for one in found for share in one.shares)]) * 1.06
    return Chart(
        name=name,
        title=title,
        alt=alt(labels, found),
        x=Axis("", -0.55, len(labels) - 0.45, _under(labels)),
        y=Axis(f"share of the source's {found[0].unit}s", 0, most, _percent(most)),
        bars=tuple(
            Bars(
                look=_look(found, at),
                name=f"{short(one.name, 26)} ({counted(one.n, one.unit)})",
                x=tuple(place + (at - (len(found) - 1) / 2) * width for place in range(len(labels))),
                height=one.shares,
                width=width * 0.92,
                hover=tuple(_hover(one, label, at) for at, label in enumerate(labels)),
                bounds=tuple(ends(span) for span in one.intervals),
            )
            for at, one in enumerate(found)
        ),
    )


def figure(labels: Sequence[str], found: Sequence[Scores]) -> go.Figure:
    """The picture in Plotly."""
    return interactive(chart(labels, found))


def alt(labels: Sequence[str], found: Sequence[Scores]) -> str:
    """The finding in words: each source's most frequent label, and where model and reference differ most."""
    told = [_mode_sentence(labels, one) for one in found if one.n]
    reference = next((one for one in found if one.source == REFERENCE and one.n), None)
    for one in found:
        if reference is not None and one is not reference and one.n:
            gaps = [a - b for a, b in zip(one.shares, reference.shares, strict=True)]
            at = max(range(len(gaps)), key=lambda place: abs(gaps[place]))
            told.append(
                f"They differ most at {labels[at]!r}: {one.shares[at]:.0%} for {one.name}, "
                f"{reference.shares[at]:.0%} for {reference.name}."
            )
    return " ".join(told) or "No source has ratings."


def _mode_sentence(labels: Sequence[str], one: Scores) -> str:
    at = max(range(len(labels)), key=lambda place: one.counts[place])
    behind = one.behind or f"{counted(one.n, one.unit)} by {counted(one.raters, 'rater')}"
    return f"{one.name}: most often {labels[at]!r} ({one.shares[at]:.0%} of {behind})."


def _look(found: Sequence[Scores], at: int) -> Look:
    """That of its source; of its own where several generators stand side by side."""
    generators = [place for place, one in enumerate(found) if one.source != REFERENCE]
    own = found[at].source
    if own is None or (len(generators) > 1 and at in generators):
        return theme.series(generators.index(at))
    return own


def _hover(one: Scores, label: str, at: int) -> str:
    span = one.intervals[at]
    bounds = f" [{span.low:.1%}, {span.high:.1%}]" if span else ""
    return f"{one.name}, {label}: {one.shares[at]:.1%}{bounds}\n{one.counts[at]} of {one.n} {one.unit}s"


def _percent(most: float) -> tuple[tuple[float, str], ...]:
    return tuple((at, f"{at * 100:g}%") for at, _ in ticks(0, most))


def _under(labels: Sequence[str]) -> tuple[tuple[float, str], ...]:
    """The labels in lines that fit under their bars; where words are too long for that, every second one is lower."""
    letters = max(1, LETTERS // len(labels))
    lines = [_wrapped(label, letters) for label in labels]
    lower = any(len(line) > letters for label in lines for line in label.split("\n"))
    return tuple((float(at), "\n" + line if lower and at % 2 else line) for at, line in enumerate(lines))


def _wrapped(label: str, letters: int) -> str:
    lines = [""]
    for word in label.replace("-", "-\0").replace("\0", " \0").split(" "):
        joined = word.startswith("\0")
        word = word.lstrip("\0")
        if lines[-1] and len(lines[-1]) + len(word) >= letters:
            lines.append(word)
        else:
            lines[-1] += word if joined or not lines[-1] else f" {word}"
    return "\n".join(lines)
