"""HJ by source: every text's mean rating as a dot, and each source's mean with its interval."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import estimate, number
from metrics.data.sentence import template
from metrics.figures.chart import Axis, Chart, Mark, Note, Points, name_intervals, pad_range, place_ticks
from metrics.figures.texts import ROW_LETTERS, shorten
from metrics.types import REFERENCE, Estimate, Source

BINS = 60  # dots in the same bin are stacked
SPREAD = 0.30  # height of the tallest stack, in rows
CAPTION = template(
    "figures.hj-by-source",
    "Each mark is a text's mean rating (HJ). Large rings: mean of each source{bars}.",
    "results.generators",
    "options.level",
)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source: its name, the HJ of each of its texts (id, HJ, body), and their mean."""

    name: str
    source: Source
    texts: tuple[tuple[str, float, str], ...]
    mean: Estimate


def chart(rows: Sequence[SourceRow], *, name: str = "hj-by-source") -> Chart:
    """The picture: one line of dots for each source, references on top."""
    span = pad_range(tuple(hj for row in rows for _, hj, _ in row.texts))
    heights = {row.name: float(len(rows) - 1 - at) for at, row in enumerate(rows)}
    bin_width = (span[1] - span[0]) / BINS
    return Chart(
        name=name,
        title="HJ by source",
        alt=alt(rows),
        x=Axis("HJ (mean rating, scale points)", *span, place_ticks(*span)),
        y=Axis("", -0.6, len(rows) - 0.25),
        points=tuple(_dots(row, heights[row.name], bin_width) for row in rows),
        marks=tuple(_mark(row, heights[row.name]) for row in rows),
        notes=tuple(Note(span[0] + bin_width, heights[row.name] + 0.42, _note(row)) for row in rows),
        legend=False,
        height=90 + 92 * len(rows),
        caption=CAPTION.fill(bars=name_intervals((row.mean.interval for row in rows), "texts")),
    )


def alt(rows: Sequence[SourceRow]) -> str:
    """The finding in words: each mean with its interval, and how each generator compares with the references."""
    means = "; ".join(f"{_label(row)}" for row in rows)
    reference = next((row for row in rows if row.source == REFERENCE), None)
    comparisons = [_compared(row, reference) for row in rows if reference and row is not reference]
    return " ".join([f"Mean HJ by source: {means}.", *filter(None, comparisons)])


def _compared(row: SourceRow, reference: SourceRow) -> str:
    if row.mean.value is None or reference.mean.value is None:
        return ""
    gap = row.mean.value - reference.mean.value
    if abs(gap) < 0.005:
        return f"{row.name} is rated as the references are."
    return f"{row.name} is rated {number(abs(gap))} {'higher' if gap > 0 else 'lower'} than the references."


def _note(row: SourceRow) -> str:
    """The label in what fits the figure: a long name is shortened, its value never."""
    return f"{shorten(row.name, max(12, ROW_LETTERS - len(_value(row)) - 1))} {_value(row)}"


def _label(row: SourceRow) -> str:
    return f"{row.name} {_value(row)}"


def _value(row: SourceRow) -> str:
    return f"{estimate(row.mean)}, n = {row.mean.n}"


def _mark(row: SourceRow, height: float) -> Mark:
    interval = row.mean.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Mark(row.mean.value or 0.0, height, low, high, f"mean of {_label(row)}")


def _dots(row: SourceRow, height: float, bin_width: float) -> Points:
    """Dots of a bin are stacked around the row's line, the same way each time."""
    places = [round(hj / bin_width) for _, hj, _ in row.texts]
    tallest = max(Counter(places).values(), default=1)
    step = min(0.07, 2 * SPREAD / max(1, tallest - 1))
    seen: defaultdict[int, int] = defaultdict(int)
    offsets = []
    for place in places:
        at = seen[place]
        seen[place] += 1
        offsets.append(step * ((at + 1) // 2) * (1 if at % 2 else -1))
    return Points(
        look=row.source,
        name=row.name,
        x=tuple(hj for _, hj, _ in row.texts),
        y=tuple(height + offset for offset in offsets),
        hover=tuple(f"{row.name} {text}: HJ {number(hj)}\n{body}".strip() for text, hj, body in row.texts),
    )
