"""Pass rates over the size of models or over training, drawn (Laban et al. 2022, Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.data.sentence import template
from metrics.errors import InsufficientData
from metrics.figures.curves import At, Panel, Series, chart
from metrics.figures.embed import page
from metrics.nnd.curves import OVERALL, CurvePoint

TITLES = {"parameters": "parameters", "checkpoint_step": "training steps"}
CHANCE = (0.5, "chance")
BANDS = "intervals of a bootstrap over contexts"
CAPTION = template(
    "figures.pass-rate-curve",
    "Share of near-negative tests passed, by {axis}.{bands} Dashed: what chance gives.",
    "attached.document",
)


def panels(points: Sequence[CurvePoint]) -> tuple[Panel, ...]:
    """Return a picture for all tests and one for each category, a curve per family; points without a rate are skipped.

    Raises InsufficientData where no place has a rate.
    """
    known = [point for point in points if point.value is not None]
    if not known:
        raise InsufficientData("No place of the curves has a pass rate.")
    return tuple(_panel(name, known) for name in dict.fromkeys(point.category for point in known))


def curves_page(points: Sequence[CurvePoint]) -> str:
    """All pictures in one HTML file that needs no network. Raises InsufficientData."""
    return page([chart(panel) for panel in panels(points)], title="Pass rates of near-negative tests")


def _panel(category: str, points: Sequence[CurvePoint]) -> Panel:
    mine = [point for point in points if point.category == category]
    axis = mine[0].axis
    families = dict.fromkeys(point.family for point in mine)
    title = "All tests" if category == OVERALL else f"Tests against {category}"
    return Panel(
        name=f"pass-rate-{category}".replace(" ", "-"),
        # One curve has no label at its end.
        title=title if len(families) > 1 else f"{title}, {next(iter(families))}",
        opening=f"Share of tests passed, by {TITLES[axis]}.",
        series=tuple(
            Series(family, tuple(_at(point) for point in mine if point.family == family)) for family in families
        ),
        x_title=TITLES[axis],
        y_title="pass rate",
        band=BANDS,
        level=CHANCE,
        x_log=axis == "parameters",
        y_range=(0.0, 1.0),
        caption=CAPTION.fill(
            axis=TITLES[axis], bands=f" Bands: {BANDS}." if any(point.low is not None for point in mine) else ""
        ),
    )


def _at(point: CurvePoint) -> At:
    return At(point.x, point.value or 0.0, point.low, point.high, point.n)
