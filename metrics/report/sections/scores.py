"""How often each label of the scale was given, by source: counts, and shares with intervals over raters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from metrics.figures.score_histogram import Scores
from metrics.inference.proportions import pooled_share
from metrics.report.records import RatingRow, ReportInput
from metrics.types import MODEL, REFERENCE, Interval, Source

MAX_LABELS = 8  # a longer scale is no set of labels


def list_labels(report_input: ReportInput) -> tuple[str, ...]:
    """The labels of the scale, lowest first; those of the ratings where the scale is not recorded; () for too many."""
    named = {label.name: label.code for label in report_input.study.scale}
    used = {rating.label: rating.value for rating in report_input.ratings if rating.kept}
    if not set(used) <= set(named):
        named = dict(used)
    return tuple(sorted(named, key=lambda name: named[name])) if 2 <= len(named) <= MAX_LABELS else ()


def count_scores(report_input: ReportInput, generator: str, level: float) -> tuple[Scores, ...]:
    """The references' ratings and the generator's; empty where one of them has none."""
    source = {text.id: (text.source, text.generator) for text in report_input.texts}
    included = [rating for rating in report_input.ratings if rating.kept]
    by_source = {
        REFERENCE: [rating for rating in included if source[rating.text][0] == REFERENCE],
        MODEL: [rating for rating in included if source[rating.text] == (MODEL, generator)],
    }
    if not all(by_source.values()):
        return ()
    names = list_labels(report_input)
    return (
        _scores("reference", REFERENCE, by_source[REFERENCE], names, level),
        _scores(generator, MODEL, by_source[MODEL], names, level),
    )


def _scores(name: str, source: Source, ratings: Sequence[RatingRow], names: Sequence[str], level: float) -> Scores:
    by_rater: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for rating in ratings:
        by_rater[rating.rater][rating.label] += 1
    counts = tuple(sum(counts_of_rater[label] for counts_of_rater in by_rater.values()) for label in names)
    return Scores(name, source, counts, tuple(_interval(by_rater, label, level) for label in names), len(by_rater))


def _interval(by_rater: defaultdict[str, Counter[str]], label: str, level: float) -> Interval | None:
    hits = np.array([counts[label] for counts in by_rater.values()], dtype=np.int64)
    totals = np.array([counts.total() for counts in by_rater.values()], dtype=np.int64)
    return pooled_share(hits, totals).interval(level, "raters")
