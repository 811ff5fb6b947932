"""Numbers standardized by rater, with the raw means: how systems compare when everyone's own scale is taken out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from metrics.data.answer_types import AnswerType
from metrics.data.sentence import template
from metrics.errors import MetricsError
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.rating_scales import REFERENCES, gather_single
from metrics.report.wording import name_criterion, plural
from metrics.tables.record import CRITERION, Column, Row, Table
from metrics.worker_models.standardise import standardise_by_rater

CAPTION = template(
    "captions.standardized",
    "Mean of all ratings by source, raw and standardized by rater (z).",
    "ratings.value",
    "ratings.rater",
)
NOTE = (
    "z: a rating less its rater's mean, in standard deviations of that rater. It is shown with the raw mean, never "
    "instead of it."
)
CONFOUNDED = (
    "{raters} of {all} rated texts of one source only: z would remove the difference between sources (flag confounded)"
)
FLAGS = {
    "constant_raters": "Raters who gave one number throughout have a z of 0.",
    "few_ratings_by_rater": "Some raters gave fewer than 5 ratings; their z is mostly noise.",
}
COLUMNS = (
    CRITERION,
    Column("source", "Source"),
    Column("raw", "Raw", "number", digits=2),
    Column("z", "Standardized", "number", digits=3),
    Column("n", "Ratings", "count"),
)


@dataclass(frozen=True, slots=True)
class NumberFacts:
    """Ratings by numbers, by criterion, and the source of each text."""

    ratings: Mapping[str, Sequence[RatingRow]]
    sides: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Standardized:
    """Rows of the table, what must be known of them, and what could not be computed."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]


def gather(report_input: ReportInput) -> NumberFacts | None:
    """None where no text was rated by a number."""
    single = gather_single(report_input, lambda answer: answer is AnswerType.NUMBER)
    if single is None:
        return None
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in single.ratings:
        by_criterion[rating.criterion].append(rating)
    return NumberFacts(dict(by_criterion), single.sides)


def compute(facts: NumberFacts, options: Options) -> Standardized:
    """Raw and standardized means of each criterion and source."""
    options.announce("standardized")
    rows: list[Row] = []
    missing: list[tuple[str, str]] = []
    flags: dict[str, None] = {}
    for criterion, ratings in facts.ratings.items():
        if reason := _confounded(ratings, facts.sides):
            missing.append((f"Standardized {name_criterion(criterion)}", reason))
            continue
        try:
            # A person may rate a text again in another task: each is an item of its own here.
            items = [(rating.text, rating.hit) for rating in ratings]
            raters = [rating.rater for rating in ratings]
            values = [float(Fraction(rating.value)) for rating in ratings]
            standard = standardise_by_rater(items, raters, values)
        except MetricsError as error:
            missing.append((f"Standardized {name_criterion(criterion)}", str(error)))
            continue
        flags |= dict.fromkeys(standard.flags)
        sides = np.array([facts.sides[rating.text] for rating in ratings])
        for name in sorted(set(sides.tolist()), key=lambda name: (name != REFERENCES, name)):
            mine = sides == name
            rows.append(
                (
                    criterion,
                    name,
                    float(np.mean(np.array(values)[mine])),
                    float(standard.values[mine].mean()),
                    int(mine.sum()),
                )
            )
    return Standardized(tuple(rows), (NOTE, *(FLAGS[flag] for flag in flags)), tuple(missing))


def _confounded(ratings: Sequence[RatingRow], sides: Mapping[str, str]) -> str:
    """Why standardizing would take away what is asked for; "" where it does not."""
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for rating in ratings:
        seen[rating.rater].add(sides[rating.text])
    sources = {sides[rating.text] for rating in ratings}
    single = sum(len(names) < 2 for names in seen.values())
    return CONFOUNDED.format(raters=single, all=plural(len(seen), "rater")) if single and len(sources) > 1 else ""


def tables(result: Standardized) -> tuple[Table, ...]:
    """One table of all criteria; none where nothing could be computed."""
    return (Table("standardized", CAPTION.fill(), COLUMNS, result.rows, result.notes),) if result.rows else ()


SECTIONS = (
    SectionKind(
        key="standardized",
        title="Standardized by rater",
        order=82,
        gather=gather,
        compute=compute,
        tables=tables,
        missing=lambda result: result.missing,
    ),
)
