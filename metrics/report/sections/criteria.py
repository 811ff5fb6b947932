"""Several criteria together: how the means of texts on two criteria go with each other, within sources and over all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.sentence import template
from metrics.inference.correlation import pearson
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.rating_scales import gather_single
from metrics.report.sections.source_comparisons import has_several
from metrics.tables.record import Column, Row, Table

FEWEST_TEXTS = 3
CAPTION = template(
    "captions.criteria",
    "Correlation of two criteria over texts: Pearson's r of the texts' mean ratings.",
    "ratings.criterion",
    "ratings.text",
)
NOTE = (
    "Within sources, each text's mean is taken less that of its source: what is left does not come from one source "
    "being better in both. Raters who answer several questions about a text at once make criteria look more alike."
)
COLUMNS = (
    Column("first", "First", "name"),
    Column("second", "Second", "name"),
    Column("over_all", "Over all texts", "number", digits=2),
    Column("within", "Within sources", "number", digits=2),
    Column("n", "Texts", "count"),
)


@dataclass(frozen=True, slots=True)
class CriteriaFacts:
    """Mean rating by criterion and text, and the source of each text."""

    means: Mapping[str, Mapping[str, float]]
    sides: Mapping[str, str]


def gather(report_input: ReportInput) -> CriteriaFacts | None:
    """None with fewer than two criteria that have a mean."""
    single = gather_single(report_input, lambda answer: answer.has_mean)
    if single is None:
        return None
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in single.ratings:
        by_criterion[rating.criterion].append(rating)
    values: defaultdict[str, defaultdict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for criterion, ratings in by_criterion.items():
        if not has_several(ratings):
            for rating in ratings:
                values[criterion][rating.text].append(Fraction(rating.value))
    if len(values) < 2:
        return None
    means = {
        criterion: {text: float(sum(codes, Fraction(0)) / len(codes)) for text, codes in by_text.items()}
        for criterion, by_text in values.items()
    }
    return CriteriaFacts(means, single.sides)


def compute(facts: CriteriaFacts, options: Options) -> tuple[Row, ...]:
    """A row for each two criteria; None where one does not vary, or where too few texts have both."""
    options.announce("criteria")
    return tuple(_row(first, second, facts) for first, second in combinations(facts.means, 2))


def _row(first: str, second: str, facts: CriteriaFacts) -> Row:
    a, b = facts.means[first], facts.means[second]
    texts = [text for text in a if text in b]
    x, y = np.array([a[text] for text in texts]), np.array([b[text] for text in texts])
    sides = [facts.sides[text] for text in texts]
    return (first, second, _correlation(x, y), _correlation(_centred(x, sides), _centred(y, sides)), len(texts))


def _correlation(x: Floats, y: Floats) -> float | None:
    return pearson(x, y) if len(x) >= FEWEST_TEXTS else None


def _centred(values: Floats, sides: list[str]) -> Floats:
    """Each value less the mean of its source; exactly 0 where a source does not vary."""
    centred = np.zeros(len(values))
    names = np.array(sides)
    for name in dict.fromkeys(sides):
        mine = names == name
        if np.ptp(values[mine]) > 0:
            centred[mine] = values[mine] - values[mine].mean()
    return centred


def tables(rows: tuple[Row, ...]) -> tuple[Table, ...]:
    """One table of all pairs."""
    return (Table("criteria", CAPTION.fill(), COLUMNS, rows, (NOTE,)),)


SECTIONS = (
    SectionKind(key="criteria", title="Criteria together", order=85, gather=gather, compute=compute, tables=tables),
)
