"""HUSE or accuracy under every selection of exclusion rules, ascending, beside random removals of the same size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metrics.data.number_format import number, plural
from metrics.errors import InsufficientData
from metrics.figures import curves
from metrics.figures.chart import Chart
from metrics.figures.curves import At, Panel, Series
from metrics.inference.specification_curve import AGAINST, NAMES, Exclusions, Specification

if TYPE_CHECKING:
    import plotly.graph_objects as go


def data(found: Exclusions) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
    """The table behind the picture: one row for each selection that leaves every text a rating, as drawn."""
    columns = (
        "at",
        "rules",
        "assignments",
        "ratings",
        "fewest",
        "value",
        "low",
        "high",
        "random_mean",
        "random_low",
        "random_high",
        "equalised",
    )
    return columns, [
        (at, one.named, one.units, one.ratings, one.fewest, one.value, *_span(one), *_random(one), one.equalised)
        for at, one in enumerate(_ordered(found), 1)
    ]


def chart(found: Exclusions, *, name: str = "exclusions") -> Chart:
    """The picture: the value under each selection, and the band of random removals."""
    return curves.chart(_panel(found, name))


def figure(found: Exclusions) -> go.Figure:
    """The picture in Plotly."""
    return curves.figure(_panel(found, "exclusions"))


def alt(found: Exclusions) -> str:
    """The finding in words: how far the measure moves, and how many selections lie outside the headline's interval."""
    ordered, measure = _ordered(found), NAMES[found.measure]
    low, high = ordered[0], ordered[-1]
    told = (
        f"{measure} under {plural(len(ordered), 'selection')} of exclusion rules lies between {number(low.value)} "
        f"({low.named}) and {number(high.value)} ({high.named}); without any rule it is {number(found.headline.value)}."
    )
    if found.without:
        told += f" {found.sentence_without}"
    removing = [one for one in ordered if one.ratings]
    outside = sum(one.random is not None and not _within(one) for one in removing)
    if removing:
        told += f" Outside the middle 95 % of random removals of the same size: {outside} of {len(removing)}."
    if found.inside is None or found.headline.interval is None:
        return told
    sides = f"{found.inside:.0%} lie inside the headline's interval, {found.below:.0%} below, {found.above:.0%} above."
    return f"{told} {sides}"


def _within(one: Specification) -> bool:
    return one.random is not None and one.value is not None and one.random.low <= one.value <= one.random.high


def _ordered(found: Exclusions) -> list[Specification]:
    usable = [one for one in found.specifications if one.value is not None]
    if not usable:
        raise InsufficientData("No selection leaves every text a rating.")
    return sorted(usable, key=lambda one: (one.value or 0.0, one.rules))


def _random(one: Specification) -> tuple[float | None, float | None, float | None]:
    return (one.random.mean, one.random.low, one.random.high) if one.random else (None, None, None)


def _span(one: Specification) -> tuple[float | None, float | None]:
    return (one.interval.low, one.interval.high) if one.interval else (None, None)


def _panel(found: Exclusions, name: str) -> Panel:
    ordered, measure = _ordered(found), NAMES[found.measure]
    chosen = tuple(At(at, float(one.value or 0.0), n=found.headline.n) for at, one in enumerate(ordered, 1))
    random = tuple(
        At(at, mean, low, high, one.random.draws if one.random else None)
        for at, one in enumerate(ordered, 1)
        for mean, low, high in [_random(one)]
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
        level=(AGAINST["accuracy"], "chance") if found.measure == "accuracy" else None,
        words=alt(found),
    )
