"""Two models on the same tests: McNemar's exact test, and the difference of their pass rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput, InsufficientData
from metrics.inference.distributions import check_level
from metrics.inference.t_tests import binomial_test
from metrics.nnd.administer import Administered, Outcome
from metrics.nnd.rates import BOOTSTRAP, by_context, draw_means
from metrics.types import Estimate, Interval
from metrics.version import __version__


@dataclass(frozen=True, slots=True)
class McNemar:
    """Tests that only the first model passed, and only the second; p: exact, two-sided, 1 where they never differ.

    p takes tests for independent; where they share candidates it is too small, and the interval of the difference,
    which is for new contexts, is the safer reading.
    """

    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """First less second, over the tests both took: `difference` of pass rates in [-1, 1], positive where the
    first is better.
    """

    first: str
    second: str
    both: int
    neither: int
    mcnemar: McNemar
    difference: Estimate


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Exact test that both models pass equally often (McNemar 1947; the binomial form). Raises BadInput."""
    if only_first < 0 or only_second < 0:
        raise BadInput("a number of tests is at least 0", column="only_first" if only_first < 0 else "only_second")
    differ = only_first + only_second
    return McNemar(only_first, only_second, binomial_test(only_first, differ).p if differ else 1.0)


def compare_models(
    first: Administered, second: Administered, *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> Comparison:
    """Compare two models on the tests both took. Raises InsufficientData where they share none, BadInput."""
    check_level(level)
    theirs = {(o.test.high.id, o.test.low.id, o.test.high.part): o for o in second.outcomes}
    pairs = [
        (outcome, other)
        for outcome in first.outcomes
        if (other := theirs.get((outcome.test.high.id, outcome.test.low.id, outcome.test.high.part))) is not None
    ]
    if not pairs:
        raise InsufficientData(f"{first.model} and {second.model} share no test.")
    only_first = sum(a.passed and not b.passed for a, b in pairs)
    only_second = sum(b.passed and not a.passed for a, b in pairs)
    both = sum(a.passed and b.passed for a, b in pairs)
    difference = _difference(pairs, level, draws, seed)
    return Comparison(
        first.model,
        second.model,
        both,
        len(pairs) - both - only_first - only_second,
        mcnemar(only_first, only_second),
        difference,
    )


def _difference(pairs: Sequence[tuple[Outcome, Outcome]], level: float, draws: int, seed: int) -> Estimate:
    sums, totals = by_context([a for a, _ in pairs], [float(a.passed) - float(b.passed) for a, b in pairs])
    value = float(sums.sum() / totals.sum())
    flags: tuple[str, ...] = ()
    interval = None
    if len(totals) < 2:
        flags = ("one_context",)
    elif not sums.any():
        flags = ("no_variation",)
    else:
        tail = (1 - level) / 2
        low, high = np.quantile(draw_means(sums, totals, draws, seed), [tail, 1 - tail])
        interval = Interval(float(min(low, value)), float(max(high, value)), level, BOOTSTRAP)
    settings = {"draws": draws, "seed": seed, "contexts": len(totals)}
    signature = f"nnd_difference|n:{len(pairs)}|contexts:{len(totals)}|seed:{seed}|v:{__version__}"
    return Estimate(value, len(pairs), interval, settings, flags, signature)
