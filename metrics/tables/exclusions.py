"""The table of exclusions: the measure under each selection of rules, beside random removals of the same size."""

from __future__ import annotations

from collections.abc import Iterator

from metrics.inference.specification_curve import NAMES, Exclusions, Specification
from metrics.tables.record import Cell, Column, Table

LEFT_OUT = (
    Column("rules", "Rules"),
    Column("assignments", "Assignments left out", "count"),
    Column("ratings", "Ratings left out", "count"),
)
VALUES = (
    Column("value", "Value", "number"),
    Column("low", "Interval from", "number"),
    Column("high", "to", "number"),
    Column("random", "As many at random, mean", "number"),
    Column("random_low", "2.5 %", "number"),
    Column("random_high", "97.5 %", "number"),
)
FEWEST, EQUALISED = Column("fewest", "Fewest ratings a text", "count"), Column("equalised", "Equalised", "number")
EVALUATORS = Column("evaluators", "Evaluators left", "count")
CIRCULAR = "Rules that look at how raters agree choose by the answers themselves and can only be read as sensitivity."


def exclusions_table(found: Exclusions, *, name: str = "exclusions", of: str = "") -> Table:
    """One row for each selection; which share of them lies on each side of the headline's interval in a note.

    of: the generator (of accuracy: the condition), where the table names it in every row.
    """
    judges = found.measure == "accuracy"
    equal = "" if found.common is None else f"; equalised: {found.common} ratings on every text"
    drawn = f"{found.settings['draws']} random removals beside each"
    title = f"{NAMES[found.measure]} by rules of exclusion ({found.subsets} selections), {drawn}{equal}"
    own = (*LEFT_OUT, EVALUATORS, *VALUES) if judges else (*LEFT_OUT, FEWEST, *VALUES, EQUALISED)
    head = Column("condition", "Condition") if judges else Column("generator", "Generator")
    columns, named = ((head, *own), (of,)) if of else (own, ())
    rows = tuple((*named, *_cells(one), *(() if judges else (one.equalised,))) for one in found.specifications)
    return Table(name, title, columns, rows, (*_notes(found), CIRCULAR))


def _cells(one: Specification) -> tuple[Cell, ...]:
    beside = (one.random.mean, one.random.low, one.random.high) if one.random else (None, None, None)
    span = (one.interval.low, one.interval.high) if one.interval else (None, None)
    return one.named, one.units, one.ratings, one.fewest, one.value, *span, *beside


def _notes(found: Exclusions) -> Iterator[str]:
    if found.without:
        yield found.sentence_without
    span = found.headline.interval
    if span is None or found.below is None or found.inside is None or found.above is None:
        return
    yield (
        f"Of the selections{' with a value' if found.without else ''} {found.below:.0%} lie below, {found.inside:.0%} "
        f"inside and {found.above:.0%} above the interval without any rule, [{span.low:.2f}, {span.high:.2f}]."
    )
    if len(found.specifications) > 1:
        yield _held(found)


def _held(found: Exclusions) -> str:
    n = len(found.changing)
    if n:
        return f"The conclusion changes under {n} of the selections."
    return f"The conclusion is the same under every selection{' that has a value' if found.without else ''}."
