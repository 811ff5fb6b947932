"""Planning a study of evaluators: power, size and smallest effect of two-sided t-tests (method, 2.12; Cohen 1988).

Effects are standardised: d = difference of means / sd of one value per evaluator. Everything supposes normal values;
designs with crossed evaluators and items need a simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from metrics.errors import BadInput
from metrics.inference.distributions import check_alpha, find_root, noncentral_t_below, t_quantile

Design = Literal["one_sample", "two_sample"]
LARGEST_N = 1e9
LARGEST_D = 1e3


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Evaluators needed, each group: `exact` as the equation gives it, `n` whole, `power` what n reaches."""

    exact: float
    n: int
    power: float
    design: Design
    effect: float
    alpha: float


def t_power(
    effect: float, n: float, *, n_second: float | None = None, design: Design = "two_sample", alpha: float = 0.05
) -> float:
    """Chance in [0, 1] that a two-sided t-test finds an effect d at level alpha.

    n: evaluators a group (of the one group in `one_sample`), more than 1; n_second: of the second group, where it
    differs. Both tails count, so an effect of 0 has power alpha. Raises BadInput.
    """
    check_alpha(alpha)
    _check_design(design)
    second = n if n_second is None else n_second
    if not (1 < n <= LARGEST_N and 1 < second <= LARGEST_N):
        raise BadInput("a group has more than 1 and at most 1e9 evaluators", column="n")
    if not math.isfinite(effect) or abs(effect) > LARGEST_D:
        raise BadInput("an effect lies between -1000 and 1000 sd", column="effect")
    return _power(abs(effect), n, second, design, alpha)


def sample_size(effect: float, *, power: float = 0.8, design: Design = "two_sample", alpha: float = 0.05) -> SampleSize:
    """Evaluators a group, groups of one size, for this power. effect: d, not 0. Raises BadInput.

    Effects so small that more than 1e9 evaluators were needed raise BadInput.
    """
    _check_power(power, alpha)
    _check_design(design)
    effect = abs(effect)
    if not 0 < effect <= LARGEST_D:
        raise BadInput("an effect is not 0 and at most 1000 sd", column="effect")
    if _power(effect, 2, 2, design, alpha) >= power:
        return SampleSize(2.0, 2, _power(effect, 2, 2, design, alpha), design, effect, alpha)
    if _power(effect, LARGEST_N, LARGEST_N, design, alpha) < power:
        raise BadInput("an effect this small needs more than 1e9 evaluators", column="effect")
    high = 4.0
    while _power(effect, high, high, design, alpha) < power:
        high *= 2
    exact = find_root(lambda n: _power(effect, n, n, design, alpha) - power, max(2.0, high / 2), min(high, LARGEST_N))
    rounded_up = math.ceil(exact - 1e-9)
    return SampleSize(exact, rounded_up, _power(effect, rounded_up, rounded_up, design, alpha), design, effect, alpha)


def minimum_effect(n: float, *, power: float = 0.8, design: Design = "two_sample", alpha: float = 0.05) -> float:
    """The smallest effect d > 0 that n evaluators a group find with this power (above alpha). Raises BadInput."""
    _check_power(power, alpha)
    _check_design(design)
    if not 1 < n <= LARGEST_N:
        raise BadInput("a group has more than 1 and at most 1e9 evaluators", column="n")
    high = 1e-6
    while _power(high, n, n, design, alpha) < power:
        high *= 2
        if high > LARGEST_D:
            raise BadInput("no effect of up to 1000 sd has this power at so few evaluators", column="n")
    return find_root(lambda d: _power(d, n, n, design, alpha) - power, 0.0, high)


def accuracy_difference(effect: float, ratings: int, *, accuracy: float = 0.5) -> float:
    """Return the difference in accuracy of an effect d, where each evaluator judges `ratings` texts.

    It is d sqrt(a (1 - a) / ratings), a being the `accuracy` around which ratings vary, in (0, 1). Evaluators who
    differ in skill have a larger sd. Raises BadInput.
    """
    return effect * _accuracy_sd(ratings, accuracy)


def _accuracy_sd(ratings: int, accuracy: float) -> float:
    if ratings < 1:
        raise BadInput("an evaluator judges at least one text", column="ratings")
    if not 0 < accuracy < 1:
        raise BadInput("an accuracy lies between 0 and 1", column="accuracy")
    return math.sqrt(accuracy * (1 - accuracy) / ratings)


def _check_design(design: str) -> None:
    if design not in ("one_sample", "two_sample"):
        raise BadInput("a design is 'one_sample' or 'two_sample'", column="design")


def _check_power(power: float, alpha: float) -> None:
    check_alpha(alpha)
    if not alpha < power < 1:
        raise BadInput("a power lies between alpha and 1", column="power")


def _power(effect: float, n: float, second: float, design: Design, alpha: float) -> float:
    """1 - P(|T'| <= critical t) of the noncentral t."""
    two = design == "two_sample"
    df = n + second - 2 if two else n - 1
    noncentrality = effect * math.sqrt(n * second / (n + second) if two else n)
    critical = t_quantile(1 - alpha / 2, df)
    above = 1 - noncentral_t_below(critical, df, noncentrality)
    return min(1.0, above + noncentral_t_below(-critical, df, noncentrality))
