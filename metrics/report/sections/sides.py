"""Whether sides mattered: how often the text on the left was preferred, by criterion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from metrics.data.sentence import template
from metrics.inference.sides import side_share
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section_kind import Options, SectionKind
from metrics.tables.record import CRITERION, Column, Row, Table

CAPTION = template(
    "captions.sides",
    "Share of decided votes for the text on the left, with tests of 50%.",
    "ratings.value",
    "ratings.turned",
)
NOTE = (
    "Assay draws sides at random for each rater and stores them, so a habit of preferring one side favors no source; "
    "of imported votes the file says the sides. The test by rater is the one to read: people differ in their habit, "
    "and votes of one person belong together."
)
COLUMNS = (
    CRITERION,
    Column("left", "Left preferred", "share", digits=1),
    Column("p_exact", "p, binomial", "p"),
    Column("t", "t, by rater", "number", digits=2),
    Column("p", "p, by rater", "p"),
    Column("raters", "Raters", "count"),
    Column("n", "Decided votes", "count"),
)


def gather(report_input: ReportInput) -> Mapping[str, Sequence[RatingRow]] | None:
    """Decided votes by criterion; None where no pair says which text was on the left."""
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in report_input.ratings:
        if rating.kept and rating.partner is not None and rating.turned is not None and rating.value:
            by_criterion[rating.criterion].append(rating)
    return dict(by_criterion) or None


def compute(votes: Mapping[str, Sequence[RatingRow]], options: Options) -> tuple[Row, ...]:
    """A row for each criterion."""
    options.announce("sides")
    return tuple(_row(criterion, ratings) for criterion, ratings in votes.items())


def _row(criterion: str, ratings: Sequence[RatingRow]) -> Row:
    # The first text was on the left, unless the sides were changed.
    left = [float((rating.value > 0) != rating.turned) for rating in ratings]
    sides = side_share([rating.rater for rating in ratings], left)
    return (criterion, sides.share, sides.p_exact, sides.t, sides.p, sides.raters, sides.n)


def tables(rows: tuple[Row, ...]) -> tuple[Table, ...]:
    """One table of all criteria."""
    return (Table("sides", CAPTION.fill(), COLUMNS, rows, (NOTE,)),)


SECTIONS = (SectionKind(key="sides", title="Sides", order=102, gather=gather, compute=compute, tables=tables),)
