"""How much repeated studies of one thing differ: by single scores, by sets of scores, by findings (QRA++, Belz 2025).

A single score: CV*, the coefficient of variation for small samples (Belz 2022). Scores of a set: their correlations.
Findings: the share that the repetition upholds.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.columns import check_column
from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.inference.correlation import NO_VARIATION, midranks, pearson
from metrics.types import Estimate
from metrics.version import __version__

Thing = TypeVar("Thing", bound=Hashable)


def reproduction_variation(scores: ArrayLike) -> Estimate:
    """CV* in per cent, at least 0, lower is closer: (1 + 1/4n) (s / c4) / |mean| 100.

    scores: (n,) results of an original study and its repetitions, on a scale with a true zero: shift ratings from
    1-6 to 0-5 first, or the number means nothing. No interval (two or three studies carry none). Flag `below_zero`
    where scores lie on both sides of 0. Raises InsufficientData below 2 scores, DegenerateInput for a mean of 0,
    BadInput.
    """
    values = check_column(scores, "scores")
    n = len(values)
    if n < 2:
        raise InsufficientData(f"CV* needs 2 scores, and there are {n}.")
    mean = float(values.mean())
    if abs(mean) <= 1e-12 * float(np.abs(values).max()):
        raise DegenerateInput("CV* relates the spread to the mean, and the mean is 0.")
    spread = float(values.std(ddof=1)) / _c4(n)
    value = (1 + 1 / (4 * n)) * spread / abs(mean) * 100
    flags = ("below_zero",) if values.min() < 0 < values.max() else ()
    return Estimate(value, n, None, {"mean": mean}, flags, f"cv_star|n:{n}|v:{__version__}")


def set_correlations(first: ArrayLike, second: ArrayLike) -> tuple[Estimate, Estimate]:
    """Pearson's and Spearman's correlation of one set of scores in two studies, each in [-1, 1], higher is closer.

    first, second: (n,) scores of the same things, in any units. No interval: the things are those that both studies
    scored. A constant side: value None, flag `no_variation`. Raises InsufficientData below 3 things, BadInput.
    """
    x, y = check_column(first, "first"), check_column(second, "second")
    if len(x) != len(y):
        raise BadInput(f"both sets score the same things, and they have {len(x)} and {len(y)}")
    if len(x) < 3:
        raise InsufficientData(f"A correlation needs 3 things that both studies scored, and there are {len(x)}.")
    values = {"pearson": pearson(x, y), "spearman": pearson(midranks(x), midranks(y))}
    of_product, of_ranks = (
        Estimate(
            value, len(x), None, {}, () if value is not None else (NO_VARIATION,), f"{name}|n:{len(x)}|v:{__version__}"
        )
        for name, value in values.items()
    )
    return of_product, of_ranks


def findings_upheld(original: Mapping[Thing, str], repetition: Mapping[Thing, str]) -> Estimate:
    """Share of the original study's findings that the repetition finds, too, in [0, 1], higher is closer.

    original, repetition: what each found of a thing, such as `better`; findings of the original that the repetition did
    not test are not counted. n: findings counted. Raises InsufficientData where there is none.
    """
    tested = [thing for thing in original if thing in repetition]
    if not tested:
        raise InsufficientData("No finding of the original study was tested again.")
    share = sum(original[thing] == repetition[thing] for thing in tested) / len(tested)
    return Estimate(share, len(tested), None, {}, (), f"findings_upheld|n:{len(tested)}|v:{__version__}")


def _c4(n: int) -> float:
    """Expectation of the sample standard deviation of n normal numbers of standard deviation 1."""
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))
