"""Pass rates of near-negative tests by category (Laban et al. 2022, Figure 2): one bar per model, with chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.data.number_format import share
from metrics.data.sentence import template
from metrics.errors import DegenerateInput
from metrics.figures import theme
from metrics.figures.chart import Axis, Bars, Chart, Guide, interval_ends, name_intervals
from metrics.figures.texts import shorten
from metrics.types import Estimate

GROUP = 0.8  # of the space of a category is taken by its bars
LETTERS = 45  # that fit under the plot on a narrow screen
CAPTION = template(
    "figures.pass-rates",
    "Share of near-negative tests passed{bars}. Dashed: what chance gives.",
    "attached.document",
)
PERCENT = tuple((at / 4, f"{at * 25}%") for at in range(5))


@dataclass(frozen=True, slots=True)
class Rate:
    """One model's pass rate on one category of tests, in [0, 1]; n counts tests."""

    model: str
    category: str
    rate: Estimate


def chart(rates: Sequence[Rate], *, name: str = "pass-rates") -> Chart:
    """The picture; a model without a rate on a category has no bar there. Raises DegenerateInput without a rate."""
    known = [rate for rate in rates if rate.rate.value is not None]
    if not known:
        raise DegenerateInput("Pass rates need a model with a rate.")
    categories = list(dict.fromkeys(rate.category for rate in known))
    models = list(dict.fromkeys(rate.model for rate in known))
    width = GROUP / len(models)
    return Chart(
        name=name,
        title="Pass rates by category",
        alt=alt(known),
        x=Axis("", -0.55, len(categories) - 0.45, _under(categories)),
        y=Axis("tests passed", 0, 1, PERCENT),
        bars=tuple(
            _bars(model, [rate for rate in known if rate.model == model], categories, at, len(models), width)
            for at, model in enumerate(models)
        ),
        guides=(Guide((-0.55, len(categories) - 0.45), (0.5, 0.5)),),
        caption=CAPTION.fill(bars=name_intervals(rate.rate.interval for rate in known)),
    )


def _bars(
    model: str, model_rates: Sequence[Rate], categories: Sequence[str], at: int, models: int, width: float
) -> Bars:
    return Bars(
        look=theme.series_look(at),
        name=shorten(model, 26),
        x=tuple(categories.index(rate.category) + (at - (models - 1) / 2) * width for rate in model_rates),
        height=tuple(rate.rate.value or 0.0 for rate in model_rates),
        width=width * 0.92,
        hover=tuple(f"{rate.model}, {rate.category}: {_rate_label(rate.rate)}" for rate in model_rates),
        bounds=tuple(interval_ends(rate.rate.interval) for rate in model_rates),
    )


def alt(rates: Sequence[Rate]) -> str:
    """The finding in words: each model's best and worst category, with intervals."""
    sentences = []
    for model in dict.fromkeys(rate.model for rate in rates):
        model_rates = sorted((rate for rate in rates if rate.model == model), key=lambda rate: rate.rate.value or 0.0)
        best, worst = model_rates[-1], model_rates[0]
        if best is worst:
            sentences.append(f"{model} passes {_rate_label(best.rate)} of {best.category}.")
        elif best.rate.value == worst.rate.value:
            sentences.append(f"{model} passes {share(best.rate.value or 0.0, digits=0)} of every category.")
        else:
            sentences.append(
                f"{model} passes most of {best.category} ({_rate_label(best.rate)}), fewest of {worst.category} "
                f"({_rate_label(worst.rate)})."
            )
    return " ".join(sentences) + " Dashed: 50%, what chance gives."


def _rate_label(rate: Estimate) -> str:
    return f"{share(rate.value or 0.0, rate.interval, 0)}, n = {rate.n}"


def _under(labels: Sequence[str]) -> tuple[tuple[float, str], ...]:
    room = max(6, LETTERS // len(labels))
    return tuple(
        (float(at), ("\n" if at % 2 and len(labels) > 3 else "") + shorten(label, room))
        for at, label in enumerate(labels)
    )
