"""HJ against log corpus frequency (Hashimoto et al. 2019, Fig. 2): is what people call typical what is frequent?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrics.data.number_format import estimate, number
from metrics.data.sentence import Sentence, template
from metrics.errors import DegenerateInput
from metrics.figures.chart import (
    Axis,
    Chart,
    Points,
    interval_ends,
    name_intervals,
    pad_range,
    place_decades,
    place_ticks,
)
from metrics.types import Estimate, Interval

CAPTION = template(
    "figures.hj-by-frequency", "Each mark is a text's HJ{bars}.{left_out}", "texts.corpus_count", "ratings.text"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One text: how often it occurs in the corpus (a count > 0), its HJ with its interval, and its ratings."""

    text: str
    frequency: float
    hj: float
    interval: Interval | None
    ratings: int


@dataclass(frozen=True, slots=True)
class Typicality:
    """What the picture shows. pearson: of log frequency and HJ. excluded: texts of frequency 0, which have no log."""

    phrases: tuple[Phrase, ...]
    pearson: Estimate
    spearman: Estimate
    excluded: int = 0


def chart(typicality: Typicality, *, name: str = "hj-by-frequency") -> Chart:
    """The picture: each text by its frequency (powers of ten) and its HJ, with the interval of its HJ.

    Raises DegenerateInput without a text, or with a frequency of 0 or less.
    """
    if not typicality.phrases or min(phrase.frequency for phrase in typicality.phrases) <= 0:
        raise DegenerateInput("HJ by frequency needs texts, each with a frequency above 0.")
    xs = tuple(math.log10(phrase.frequency) for phrase in typicality.phrases)
    reached = [
        end for phrase in typicality.phrases if phrase.interval for end in (phrase.interval.low, phrase.interval.high)
    ]
    wide, high = pad_range(xs), pad_range((*(phrase.hj for phrase in typicality.phrases), *reached))
    return Chart(
        name=name,
        title="HJ by corpus frequency",
        alt=alt(typicality),
        x=Axis("frequency in the corpus (log scale)", *wide, place_decades(*wide)),
        y=Axis("HJ (mean rating, scale points)", *high, place_ticks(*high)),
        points=(
            Points(
                look="s0",
                name="texts",
                x=xs,
                y=tuple(phrase.hj for phrase in typicality.phrases),
                hover=tuple(_hover(phrase) for phrase in typicality.phrases),
                shape="diamond",
                y_bounds=tuple(interval_ends(phrase.interval) for phrase in typicality.phrases),
            ),
        ),
        caption=_caption(typicality),
    )


def _caption(typicality: Typicality) -> Sentence:
    bars = name_intervals(phrase.interval for phrase in typicality.phrases)
    left_out = " Texts of frequency 0 have no place on this scale." if typicality.excluded else ""
    return CAPTION.fill(bars=bars, left_out=left_out)


def alt(typicality: Typicality) -> str:
    """The finding in words: the correlation with its interval, over how many texts, and what could not be shown."""
    left_out = f" {typicality.excluded} of frequency 0 are not shown." if typicality.excluded else ""
    bars = {phrase.interval.level for phrase in typicality.phrases if phrase.interval}
    level = f" Bars: {min(bars):.0%} intervals of each HJ." if len(bars) == 1 else ""
    return f"{_finding(typicality)}{level}{left_out}"


def _finding(typicality: Typicality) -> str:
    value, n = typicality.pearson.value, typicality.pearson.n
    if value is None:
        return f"Over {n} texts no correlation of HJ and log frequency is defined."
    span = typicality.pearson.interval
    if span is None:
        verdict = "HJ and log frequency"
    elif span.low <= 0 <= span.high:
        verdict = "no clear relation of HJ to log frequency"
    else:
        verdict = f"HJ {'rises' if value > 0 else 'falls'} with log frequency"
    level = f" ({span.level:.0%} interval)" if span else " (no interval)"
    rank = f"; Spearman {estimate(typicality.spearman)}" if typicality.spearman.value is not None else ""
    return f"Over {n} texts, {verdict}: Pearson {estimate(typicality.pearson)}{level}{rank}."


def _hover(phrase: Phrase) -> str:
    span = f" [{number(phrase.interval.low)}, {number(phrase.interval.high)}]" if phrase.interval else ""
    return f"{phrase.text}\nHJ {number(phrase.hj)}{span} from {phrase.ratings} ratings; frequency {phrase.frequency:,g}"
