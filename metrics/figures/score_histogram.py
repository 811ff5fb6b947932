"""Histograms of ratings by source (Clark et al. 2021, appendix A.2): what share of its ratings each label received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import share
from metrics.data.sentence import Sentence, template
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import Axis, Bars, Chart, interval_ends, name_intervals, place_ticks
from metrics.figures.texts import format_count, shorten
from metrics.figures.theme import Look
from metrics.types import REFERENCE, Interval, Source

GROUP = 0.8  # of the space of a label is taken by its bars
EQUAL = 1e-9  # below which shares do not differ
LETTERS = 45  # that fit under the plot on a narrow screen
RATINGS = template("figures.ratings", "Share of each source's ratings{bars}.", "ratings.text", "options.level")
SCORED = template("figures.scored", "Share of each source's {unit}s{bars}.", "attached.document", "options.level")


@dataclass(frozen=True, slots=True)
class Scores:
    """Ratings of one source's texts: for each label how often it was given, and the interval of its share.

    name: "human", or the generator. source: None for one of neither. counts: in the order of the labels. intervals: of
    the shares, clustered by who rated, None where none is defined. raters: people behind the ratings. unit: what is
    counted, if not ratings; behind: how much it is, in words.
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


def largest_share(histograms: Sequence[Scores]) -> float:
    """The top of an axis that holds every share with its interval, of one picture or of several on one scale."""
    spans = [span.high for histogram in histograms for span in histogram.intervals if span]
    return max([0.05, *spans, *(share for histogram in histograms for share in histogram.shares)]) * 1.06


def chart(
    labels: Sequence[str],
    histograms: Sequence[Scores],
    *,
    name: str = "scores",
    title: str = "Ratings by source",
    max_share: float | None = None,
) -> Chart:
    """The picture: at each label one bar a source, references filled and models open, each with its interval.

    max_share: top of the axis, of several pictures on one scale; None takes the picture's own.

    Raises DegenerateInput without a source, or where counts and labels do not go together.
    """
    if not histograms or any(
        len(histogram.counts) != len(labels) or len(histogram.intervals) != len(labels) for histogram in histograms
    ):
        raise DegenerateInput("A histogram of ratings needs a source, and a count and an interval for each label.")
    width = GROUP / len(histograms)
    top = max_share or largest_share(histograms)
    return Chart(
        name=name,
        title=title,
        alt=alt(labels, histograms),
        x=Axis("", -0.55, len(labels) - 0.45, _under(labels)),
        y=Axis(f"share of the source's {histograms[0].unit}s", 0, top, _percent(top)),
        bars=tuple(
            Bars(
                look=_look(histograms, at),
                name=f"{shorten(histogram.name, 26)} ({format_count(histogram.n, histogram.unit)})",
                x=tuple(place + (at - (len(histograms) - 1) / 2) * width for place in range(len(labels))),
                height=histogram.shares,
                width=width * 0.92,
                hover=tuple(_hover(histogram, label, at) for at, label in enumerate(labels)),
                bounds=tuple(interval_ends(span) for span in histogram.intervals),
            )
            for at, histogram in enumerate(histograms)
        ),
        caption=_caption(histograms),
    )


def _caption(histograms: Sequence[Scores]) -> Sentence:
    """Of people's ratings, or of what a file of scores counts."""
    bars = name_intervals(span for histogram in histograms for span in histogram.intervals)
    unit = histograms[0].unit
    return RATINGS.fill(bars=bars) if unit == "rating" else SCORED.fill(unit=unit, bars=bars)


def alt(labels: Sequence[str], histograms: Sequence[Scores]) -> str:
    """The finding in words: each source's most frequent label, and where model and reference differ most."""
    sentences = [_mode_sentence(labels, histogram) for histogram in histograms if histogram.n]
    reference = next((histogram for histogram in histograms if histogram.source == REFERENCE and histogram.n), None)
    for histogram in histograms:
        if reference is not None and histogram is not reference and histogram.n:
            gaps = [abs(a - b) for a, b in zip(histogram.shares, reference.shares, strict=True)]
            if max(gaps) < EQUAL:
                sentences.append(f"Every label has the same share for {histogram.name} and {reference.name}.")
                continue
            at = max(range(len(gaps)), key=lambda place: gaps[place])
            sentences.append(
                f"The largest difference of {histogram.name} and {reference.name} is at \u201c{labels[at]}\u201d: "
                f"{share(histogram.shares[at], digits=0)} for {histogram.name}, "
                f"{share(reference.shares[at], digits=0)} for {reference.name}."
            )
    return " ".join(sentences) or "No source has ratings."


def _mode_sentence(labels: Sequence[str], histogram: Scores) -> str:
    at = max(range(len(labels)), key=lambda place: histogram.counts[place])
    behind = (
        histogram.behind or f"{format_count(histogram.n, histogram.unit)} by {format_count(histogram.raters, 'rater')}"
    )
    part = f"{share(histogram.shares[at], digits=0)} of {behind}"
    return f"Most frequent for {histogram.name}: \u201c{labels[at]}\u201d ({part})."


def _look(histograms: Sequence[Scores], at: int) -> Look:
    """Return the look of its source, or a series look where there are several generators."""
    generators = [place for place, histogram in enumerate(histograms) if histogram.source != REFERENCE]
    source = histograms[at].source
    if source is None or (len(generators) > 1 and at in generators):
        return theme.series_look(generators.index(at))
    return source


def _hover(histogram: Scores, label: str, at: int) -> str:
    span = histogram.intervals[at]
    count = f"{histogram.counts[at]} of {histogram.n} {histogram.unit}s"
    return f"{histogram.name}, {label}: {share(histogram.shares[at], span)}\n{count}"


def _percent(max_share: float) -> tuple[tuple[float, str], ...]:
    return tuple((at, f"{at * 100:g}%") for at, _ in place_ticks(0, max_share))


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
