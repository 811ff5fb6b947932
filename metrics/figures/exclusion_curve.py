"""HUSE or accuracy under every selection of exclusion rules, ascending, with random removals of the same size."""

from __future__ import annotations

from metrics.data.number_format import number, plural
from metrics.data.sentence import template
from metrics.errors import InsufficientData
from metrics.figures import curves
from metrics.figures.chart import Chart
from metrics.figures.curves import At, Panel, Series
from metrics.inference.specification_curve import AGAINST, NAMES, Exclusions, Specification

CAPTION = template(
    "figures.exclusions",
    "Each place is a selection of rules, in order of its value; the table of selections names its rules. Bars hold the "
    "middle 95% of removals of as many ratings at random and are not intervals.",
    "rules.assignments",
)


def chart(exclusions: Exclusions, *, name: str = "exclusions") -> Chart:
    """The picture: the value under each selection, and the band of random removals."""
    return curves.chart(_panel(exclusions, name))


def alt(exclusions: Exclusions) -> str:
    """The finding in words: how far the measure moves, and how many selections lie outside the headline's interval."""
    ordered, measure = _ordered(exclusions), NAMES[exclusions.measure]
    low, high = ordered[0], ordered[-1]
    text = (
        f"{measure} under {plural(len(ordered), 'selection')} of exclusion rules lies between {number(low.value)} "
        f"({low.named}) and {number(high.value)} ({high.named}); without any rule it is "
        f"{number(exclusions.headline.value)}."
    )
    if exclusions.without:
        text += f" {exclusions.sentence_without}"
    removing = [selection for selection in ordered if selection.ratings]
    outside = sum(selection.random is not None and not _within(selection) for selection in removing)
    if removing:
        text += f" Outside the middle 95% of random removals of the same size: {outside} of {len(removing)}."
    if exclusions.inside is None or exclusions.headline.interval is None:
        return text
    sides = (
        f"{exclusions.inside:.0%} lie inside the headline's interval, {exclusions.below:.0%} below, "
        f"{exclusions.above:.0%} above."
    )
    return f"{text} {sides}"


def _within(selection: Specification) -> bool:
    removals, value = selection.random, selection.value
    return removals is not None and value is not None and removals.low <= value <= removals.high


def _ordered(exclusions: Exclusions) -> tuple[Specification, ...]:
    if not exclusions.by_value:
        raise InsufficientData("No selection leaves every text a rating.")
    return exclusions.by_value


def _random(selection: Specification) -> tuple[float | None, float | None, float | None]:
    removals = selection.random
    return (removals.mean, removals.low, removals.high) if removals else (None, None, None)


def _panel(exclusions: Exclusions, name: str) -> Panel:
    ordered, measure = _ordered(exclusions), NAMES[exclusions.measure]
    chosen = tuple(
        At(at, float(selection.value or 0.0), n=exclusions.headline.n, name=selection.named)
        for at, selection in enumerate(ordered, 1)
    )
    random = tuple(
        At(at, mean, low, high, selection.random.draws if selection.random else None, selection.named)
        for at, selection in enumerate(ordered, 1)
        for mean, low, high in [_random(selection)]
        if mean is not None
    )
    return Panel(
        name=name,
        title=f"{measure} under every selection of exclusion rules",
        series=(Series("by the rules", chosen), Series("as many at random", random)),
        x_title="selections of rules, by value",
        x_step_min=1,
        y_title=measure,
        band="95% of random removals",
        level=(AGAINST["accuracy"], "chance") if exclusions.measure == "accuracy" else None,
        words=alt(exclusions),
        joined=False,
        caption=CAPTION.fill(),
    )
