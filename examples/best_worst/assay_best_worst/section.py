"""Split-half reliability of best-worst scores, as a section of the report."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from metrics.data.answer_types import AnswerType
from metrics.inference.correlation import midranks, pearson
from metrics.report.records import ReportInput
from metrics.report.section import Reference
from metrics.report.section_kind import Options, SectionKind
from metrics.tables.record import Column, Table

SPLITS = 100
KIRITCHENKO = Reference(
    "kiritchenko2017best",
    "inproceedings",
    (
        ("author", "Kiritchenko, Svetlana and Mohammad, Saif"),
        ("title", "Best-Worst Scaling More Reliable than Rating Scales"),
        ("booktitle", "Proceedings of the 55th Annual Meeting of the Association for Computational Linguistics"),
        ("year", "2017"),
    ),
)
COLUMNS = (
    Column("measure", "Correlation of halves"),
    Column("plain", "Mean over splits", "number", digits=3),
    Column("full", "Spearman-Brown", "number", digits=3),
    Column("n", "Texts", "count"),
)
# Answers of one person about the texts of one context: the code of each text.
Answer = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class BestWorst:
    """Mean correlation of the scores of two halves, by Pearson and by Spearman; None where halves do not vary."""

    pearson: float | None
    spearman: float | None
    texts: int


def gather(report_input: ReportInput) -> tuple[tuple[Answer, ...], ...] | None:
    """The answers about each context; None where nothing was ranked."""
    contexts = {text.id: text.context_id for text in report_input.texts}
    answers: defaultdict[tuple[str | None, str], dict[str, float]] = defaultdict(dict)
    for rating in report_input.ratings:
        if rating.kept and report_input.answer_of(rating.criterion) is AnswerType.RANKING:
            answers[contexts[rating.text], rating.rater][rating.text] = float(rating.value)
    by_context: defaultdict[str | None, list[Answer]] = defaultdict(list)
    for (context, _rater), answer in answers.items():
        by_context[context].append(answer)
    return tuple(tuple(group) for group in by_context.values()) or None


def compute(groups: Sequence[Sequence[Answer]], options: Options) -> BestWorst:
    """Halve the answers of each context at random, `SPLITS` times by the report's seed, and correlate the scores."""
    options.announce("best-worst")
    rng = random.Random(f"best-worst {options.seed}")
    halves = [_halves(groups, rng) for _ in range(SPLITS)]
    return BestWorst(
        *(_mean([each[at] for each in halves]) for at in (0, 1)), len({t for g in groups for a in g for t in a})
    )


def _halves(groups: Sequence[Sequence[Answer]], rng: random.Random) -> tuple[float | None, float | None]:
    first, second = {}, {}
    for group in groups:
        drawn = rng.sample(group, len(group))
        middle = len(drawn) // 2
        if middle:
            first |= scores(drawn[:middle])
            second |= scores(drawn[middle:])
    x, y = (np.array([side[text] for text in first]) for side in (first, second))
    if len(x) < 3:
        return None, None
    return pearson(x, y), pearson(midranks(x), midranks(y))


def scores(answers: Sequence[Answer]) -> dict[str, float]:
    """Times best less times worst, by times shown.

    >>> scores([{"A": 1, "B": 0, "D": -1}, {"A": 0, "B": 1, "D": -1}])
    {'A': 0.5, 'B': 0.5, 'D': -1.0}
    """
    return {text: fmean(answer[text] for answer in answers) for text in answers[0]}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def tables(result: BestWorst) -> tuple[Table, ...]:
    """Both correlations, plain and for the full number of answers."""
    rows = tuple(
        (name, value, None if value is None or value <= -1 else 2 * value / (1 + value), result.texts)
        for name, value in (("Pearson", result.pearson), ("Spearman", result.spearman))
    )
    title = f"Split-half reliability of the scores: answers of each context are halved at random {SPLITS} times."
    return (Table("best-worst", title, COLUMNS, rows),)


SECTIONS = (
    SectionKind(
        key="best-worst",
        title="Best and worst",
        order=105,
        gather=gather,
        compute=compute,
        tables=tables,
        references=lambda result: (KIRITCHENKO,),
    ),
)
