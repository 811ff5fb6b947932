"""The table of exclusions: the measure under each selection of rules, beside random removals of the same size."""

from __future__ import annotations

from metrics.exclusions import NAMES, Exclusions, Specification
from metrics.tables.record import Cell, Column, Table

COLUMNS = (
    Column("rules", "Rules"),
    Column("assignments", "Assignments left out", "count"),
    Column("ratings", "Ratings left out", "count"),
    Column("fewest", "Fewest ratings a text", "count"),
    Column("value", "Value", "number"),
    Column("random", "As many at random, mean", "number"),
    Column("random_low", "2.5 %", "number"),
    Column("random_high", "97.5 %", "number"),
    Column("equalised", "Equalised", "number"),
)
CIRCULAR = "Rules that look at how raters agree choose by the answers themselves and can only be read as sensitivity."


def exclusions_table(found: Exclusions, *, name: str = "exclusions", of: str = "") -> Table:
    """One row for each selection; which share of them lies on each side of the headline's interval in a note.

    of: the generator, where the table names it in every row.
    """
    equal = "" if found.common is None else f"; equalised: {found.common} ratings on every text"
    drawn = f"{found.settings['draws']} random removals beside each"
    title = f"{NAMES[found.measure]} by rules of exclusion ({found.subsets} selections), {drawn}{equal}"
    columns, named = ((Column("generator", "Generator"), *COLUMNS), (of,)) if of else (COLUMNS, ())
    rows = tuple((*named, *_cells(one)) for one in found.specifications)
    return Table(name, title, columns, rows, (*_sides(found), CIRCULAR))


def _cells(one: Specification) -> tuple[Cell, ...]:
    beside = (one.random.mean, one.random.low, one.random.high) if one.random else (None, None, None)
    return one.named, one.units, one.ratings, one.fewest, one.value, *beside, one.equalised


def _sides(found: Exclusions) -> tuple[str, ...]:
    span = found.headline.interval
    if span is None or found.below is None or found.inside is None or found.above is None:
        return ()
    return (
        f"Of the selections {found.below:.0%} lie below, {found.inside:.0%} inside and {found.above:.0%} above the "
        f"interval without any rule, [{span.low:.2f}, {span.high:.2f}].",
    )
