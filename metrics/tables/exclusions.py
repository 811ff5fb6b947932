"""The table of exclusions: the measure under each selection of rules, with random removals of the same size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from metrics.data.sentence import Sentence, template
from metrics.inference.specification_curve import NAMES, Exclusions, Specification
from metrics.tables.record import Cell, Column, Table

# The value is next to its rules, where a narrow screen shows both.
VALUES = (
    Column("rules", "Rules"),
    Column("value", "Value", "number"),
    Column("low", "Interval from", "number"),
    Column("high", "to", "number"),
)
EXCLUDED = (
    Column("assignments", "Assignments excluded", "count"),
    Column("ratings", "Ratings excluded", "count"),
)
RANDOM = (
    Column("random", "As many at random, mean", "number"),
    Column("random_low", "2.5%", "number"),
    Column("random_high", "97.5%", "number"),
)
PLACE = Column("place", "Place in the figure", "count")
FEWEST, EQUALISED = Column("fewest", "Fewest ratings per text", "count"), Column("equalised", "Equalized", "number")
PARTS = (
    Column("huse_q", "HUSE-Q", "estimate", n="n"),
    Column("huse_d", "HUSE-D", "estimate", n="n"),
    Column("n", "n", "count"),
)
EVALUATORS = Column("evaluators", "Evaluators left", "count")
RULES = ("rules.assignments", "ratings.text")
TITLE = template(
    "tables.exclusions",
    "{measure} by rules of exclusion ({subsets} selections), {draws} random removals of the same size for each{equal}.",
    *RULES,
)
WITHOUT = template("tables.exclusions-without", "{selections}", *RULES)
SIDES = template(
    "tables.exclusions-sides",
    "Of the selections{usable} {below:.0%} lie below, {inside:.0%} inside and {above:.0%} above the interval without "
    "any rule, [{low:.2f}, {high:.2f}].",
    *RULES,
    "options.level",
)
CHANGES = template("tables.exclusions-changes", "The conclusion changes under {n} of the selections.", *RULES)
HOLDS = template("tables.exclusions-holds", "The conclusion is the same under every selection{usable}.", *RULES)
CIRCULAR = template(
    "tables.exclusions-reading",
    "Rules that look at how raters agree choose by the answers themselves and can only be read as sensitivity.",
    *RULES,
)


def exclusions_table(exclusions: Exclusions, *, name: str = "exclusions", of: str = "") -> Table:
    """One row for each selection; which share of them lies on each side of the headline's interval in a note.

    of: the generator (of accuracy: the condition), where the table names it in every row.
    """
    judges = exclusions.measure == "accuracy"
    equal = (
        "" if exclusions.common is None else f"; the column Equalized draws {exclusions.common} ratings of every text"
    )
    title = TITLE.fill(
        measure=NAMES[exclusions.measure],
        subsets=exclusions.subsets,
        draws=exclusions.settings["draws"],
        equal=equal,
    )
    values = (VALUES[0], replace(VALUES[1], title=NAMES[exclusions.measure]), *VALUES[2:])
    with_parts = exclusions.measure == "huse"
    of_huse = (EQUALISED, *(PARTS if with_parts else ()))
    last = (PLACE,) if judges else (*of_huse, PLACE)
    measure_columns = (*values, *EXCLUDED, EVALUATORS if judges else FEWEST, *RANDOM, *last)
    head = Column("condition", "Condition") if judges else Column("generator", "Generator")
    columns, named = ((head, *measure_columns), (of,)) if of else (measure_columns, ())
    # A figure has two places at least.
    ordered = exclusions.by_value if len(exclusions.by_value) > 1 else ()
    places = {selection.rules: place for place, selection in enumerate(ordered, 1)}
    rows = tuple(
        (
            *named,
            *_cells(selection),
            *(() if judges else _of_huse(selection, with_parts=with_parts)),
            places.get(selection.rules),
        )
        for selection in exclusions.specifications
    )
    return Table(name, title, columns, rows, (*_notes(exclusions), CIRCULAR.fill()))


def _cells(selection: Specification) -> tuple[Cell, ...]:
    removals = selection.random
    random = (removals.mean, removals.low, removals.high) if removals else (None, None, None)
    span = (selection.interval.low, selection.interval.high) if selection.interval else (None, None)
    return selection.named, selection.value, *span, selection.units, selection.ratings, selection.fewest, *random


def _of_huse(selection: Specification, *, with_parts: bool) -> tuple[Cell, ...]:
    """The value on equal numbers of ratings, and where HUSE is the measure its two parts with their n."""
    if not with_parts:
        return (selection.equalised,)
    quality = selection.quality
    return (selection.equalised, quality, selection.diversity, quality.n if quality else None)


def _notes(exclusions: Exclusions) -> Iterator[Sentence]:
    if exclusions.without:
        yield WITHOUT.fill(selections=exclusions.sentence_without)
    span = exclusions.headline.interval
    if span is None or exclusions.below is None or exclusions.inside is None or exclusions.above is None:
        return
    yield SIDES.fill(
        usable=" with a value" if exclusions.without else "",
        below=exclusions.below,
        inside=exclusions.inside,
        above=exclusions.above,
        low=span.low,
        high=span.high,
    )
    if len(exclusions.specifications) > 1:
        yield _held(exclusions)


def _held(exclusions: Exclusions) -> Sentence:
    n = len(exclusions.changing)
    return CHANGES.fill(n=n) if n else HOLDS.fill(usable=" that has a value" if exclusions.without else "")
