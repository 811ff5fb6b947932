"""HUSE against the number of texts and of raters (Hashimoto et al. 2019, Fig. 5): accuracy and HUSE, with bands.

Accuracy is the classifier's leave-one-out accuracy, in [0, 1]; HUSE = 2 - 2 * accuracy, in [0, 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.sentence import Sentence, template
from metrics.figures import curves
from metrics.figures.chart import Chart, pad_range
from metrics.figures.curves import At, Panel, Series

CAPTION = template(
    "figures.huse-by-size",
    "Mean over subsamples of the {noun}, drawn without replacement.{bands}",
    "results.generators",
)


@dataclass(frozen=True, slots=True)
class Place:
    """HUSE over draws at one number of texts or raters: the mean, and the band's ends at the level of the curve."""

    at: int
    huse: float
    low: float | None
    high: float | None
    draws: int


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """One generator's curve. over: what grows. level: of the band, in (0, 1). fixed: what is held, in words."""

    generator: str
    over: str  # "texts" or "raters"
    places: tuple[Place, ...]
    level: float
    fixed: str = ""


def panel(curve: SizeCurve, *, name: str = "", y_range: tuple[float, float] | None = None) -> Panel:
    """The picture as curves: HUSE and accuracy on one axis, y_range of several pictures if they share one."""
    noun = "texts" if curve.over == "texts" else "ratings per text"
    draws = {place.draws for place in curve.places}
    count = f"{min(draws)}" if len(draws) == 1 else f"{min(draws)} to {max(draws)}" if draws else "0"
    held = f", {curve.fixed}" if curve.fixed else ""
    return Panel(
        name=name or f"huse-by-{curve.over}",
        title=f"{curve.generator}: HUSE by number of {noun}",
        series=(
            Series(
                "HUSE", tuple(At(place.at, place.huse, place.low, place.high, place.draws) for place in curve.places)
            ),
            Series("accuracy", tuple(_accuracy(place) for place in curve.places)),
        ),
        x_title=f"number of {noun}{held}",
        x_step_min=1,
        y_title="HUSE, and accuracy (share)",
        band=f"{curve.level:.0%} of {count} draws" if any(place.low is not None for place in curve.places) else "",
        opening=f"For {curve.generator}, over the number of {noun}{held}:",
        y_range=y_range,
        caption=_caption(curve, noun),
    )


def _caption(curve: SizeCurve, noun: str) -> Sentence:
    """What the bands are: they are not intervals, and at the study's full size nothing is drawn."""
    banded = any(place.low is not None for place in curve.places)
    bands = f" Bands hold the middle {curve.level:.0%} of the subsamples and are not intervals." if banded else ""
    return CAPTION.fill(noun=noun, bands=bands)


def charts(size_curves: Sequence[SizeCurve]) -> list[Chart]:
    """Return one picture for each curve, all on one scale, so that generators and sizes can be compared."""
    reached = [
        end
        for curve in size_curves
        for place in curve.places
        for huse in (place.low, place.huse, place.high)
        if huse is not None
        for end in (huse, 1 - huse / 2)
    ]
    y_range = pad_range(tuple(reached)) if any(reached) else None
    return [
        curves.chart(panel(curve, name=f"huse-by-{curve.over}-{at}" if len(size_curves) > 2 else "", y_range=y_range))
        for at, curve in enumerate(size_curves, 1)
    ]


def alt(curve: SizeCurve) -> str:
    """The finding in words."""
    return curves.alt(panel(curve))


def _accuracy(place: Place) -> At:
    low = None if place.high is None else 1 - place.high / 2
    high = None if place.low is None else 1 - place.low / 2
    return At(place.at, 1 - place.huse / 2, low, high, place.draws)
