"""Pass rates, overall and by category of error, with intervals (Laban et al. 2022, section 2.2).

Tests of one context share candidates, so the headline interval is for new contexts; Wilson's, which takes each test
for independent, is given too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.errors import BadInput
from metrics.inference.distributions import check_level
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.inference.proportions import pooled_share, wilson
from metrics.nnd.administer import Administered, Outcome
from metrics.types import Estimate, Interval, Result, Setting
from metrics.version import __version__

BOOTSTRAP = "contexts drawn with replacement, percentiles"
TARGET = "pass rate over new contexts like these, tests counting alike"
CHUNK = 1 << 22  # counts held at once


@dataclass(frozen=True, slots=True)
class PassRate:
    """Share of tests passed, in [0, 1], higher is better.

    estimate: n counts tests; interval: for new contexts, Wilson's with as many tests as the spread between contexts
    is worth. wilson: tests taken for independent (too narrow where they share candidates). bootstrap: percentiles over
    contexts drawn with replacement, None where nothing varies (too narrow with few contexts or a rate near 0 or 1: 80%
    at a stated 95% with 10 contexts near .95). passed + failed = n; ties are among the failed (or decided by
    `ties="second"`).
    """

    estimate: Estimate
    wilson: Interval | None
    passed: int
    failed: int
    ties: int
    contexts: int
    bootstrap: Interval | None = None


@dataclass(frozen=True)
class PassRates(Result):
    """Of one model: overall, by category (a test with several counts in each), by combination of categories."""

    model: str
    overall: PassRate
    by_category: dict[str, PassRate]
    by_combination: dict[str, PassRate]
    left_out: int
    missing: tuple[str, ...]


def pass_rates(administered: Administered, *, level: float = 0.95, draws: int = 2000, seed: int = 0) -> PassRates:
    """Compute a model's pass rates: overall, by category and by combination of categories.

    Args:
        administered: the tests that one model took, as `administer_tests` gives them.
        level: of the intervals, in (0, 1).
        draws: samples of contexts for the bootstrap, at least 1.
        seed: of the bootstrap, at least 0.

    Returns:
        Pass rates in [0, 1], higher is better; intervals are over contexts drawn again. A category whose tests all have
        no score has the value None (flag `no_tests`).

    Raises:
        BadInput: a level, a seed or a number of draws that is not allowed.

    Source:
        Laban, Wu, Murdoch and Xiong (2022), section 2.2.

    Example:
        >>> from metrics import Candidate, administer_tests, build_tests, pass_rates
        >>> from metrics.likelihood import Scored
        >>> from metrics.nnd.orders import Ranks
        >>> candidates = [
        ...     Candidate(f"{label}{q}", f"q{q}", f"Question {q}?", f"{label} answer {q}", label)
        ...     for q in range(10) for label in ("Right", "Wrong")
        ... ]
        >>> tests = build_tests(candidates, Ranks({"Right": 1, "Wrong": 0}), "ten questions")
        >>> def score(pairs):
        ...     low = [text.startswith("Wrong") or text[-1] in "89" for _, text in pairs]
        ...     return [Scored(-7.0 if unlikely else -5.0, 3) for unlikely in low]
        >>> rates = pass_rates(administer_tests(tests, score))
        >>> rates.overall.passed, rates.overall.estimate.n, rates.overall.estimate.value
        (8, 10, 0.8)
    """
    check_level(level)
    if draws < 1:
        raise BadInput("the bootstrap needs at least one draw", column="draws")

    def rate(name: str, outcomes: Sequence[Outcome]) -> PassRate:
        return _rate(name, outcomes, administered, level, draws, seed)

    def rates(kind: str, names: Sequence[str], groups: dict[str, list[Outcome]]) -> dict[str, PassRate]:
        return {name: rate(f"{kind}:{name}", groups.get(name, [])) for name in names}

    by_category: dict[str, list[Outcome]] = {}
    by_combination: dict[str, list[Outcome]] = {}
    for outcome in administered.outcomes:
        by_combination.setdefault(outcome.test.combination, []).append(outcome)
        for name in outcome.test.categories:
            by_category.setdefault(name, []).append(outcome)
    return PassRates(
        administered.model,
        rate("all", administered.outcomes),
        rates("category", list(administered.tests.by_category), by_category),
        rates("combination", list(administered.tests.by_combination), by_combination),
        administered.left_out,
        administered.missing,
    )


def _rate(
    name: str, outcomes: Sequence[Outcome], administered: Administered, level: float, draws: int, seed: int
) -> PassRate:
    n = len(outcomes)
    hits, totals = by_context(outcomes, [float(outcome.passed) for outcome in outcomes])
    settings: dict[str, Setting] = {"draws": draws, "seed": seed, "ties": administered.ties, "contexts": len(totals)}
    signature = (
        f"nnd_pass_rate|{name}|n:{n}|contexts:{len(totals)}|ties:{administered.ties}|seed:{seed}|v:{__version__}"
    )
    flags = [] if administered.ties == "fail" else ["ties_as_in_the_original"]
    if not n:
        estimate = Estimate(None, 0, None, settings, (*flags, "no_tests"), signature)
        return PassRate(estimate, None, 0, 0, 0, 0)
    passed = int(hits.sum())
    ties = sum(outcome.tied for outcome in outcomes)
    if ties:
        flags.append("ties")
    if len(totals) < 2:
        flags.append("one_context")
    elif passed in (0, n):
        flags.append("no_variation")
    interval = context_interval(hits, totals, level)
    independent = Interval(*wilson(passed / n, n, normal_quantile(level)), level, "Wilson, tests independent")
    estimate = Estimate(passed / n, n, interval, settings, tuple(flags), signature)
    drawn = _bootstrap(hits, totals, level, draws, seed)
    return PassRate(estimate, independent, passed, n - passed, ties, len(totals), drawn)


def by_context(outcomes: Sequence[Outcome], values: Sequence[float]) -> tuple[Floats, Ints]:
    """Sum of the values and number of tests of each context, in the order contexts occur."""
    numbers: dict[str, int] = {}
    context = np.array([numbers.setdefault(o.test.context_id, len(numbers)) for o in outcomes], dtype=np.int64)
    sums = np.bincount(context, weights=np.asarray(values, dtype=np.float64))
    return sums.astype(np.float64), np.bincount(context).astype(np.int64)


def draw_means(sums: Floats, totals: Ints, draws: int, seed: int) -> Floats:
    """Mean over tests in each of `draws` samples of contexts with replacement."""
    rng = np.random.default_rng(seed)
    contexts = len(totals)
    step = max(1, CHUNK // contexts)
    means = []
    for begin in range(0, draws, step):
        times = rng.multinomial(contexts, np.full(contexts, 1 / contexts), size=min(step, draws - begin))
        means.append((times @ sums) / (times @ totals))
    return np.concatenate(means)


def context_interval(hits: Floats, totals: Ints, level: float) -> Interval | None:
    """Wilson's, with the number of tests that the variance between contexts is worth and t for z
    (`metrics.inference.proportions`).

    hits, totals: tests passed and tests, by context. Where nothing varies a context counts as one test. None for one
    context.
    """
    share = replace(pooled_share(hits, totals), judgments=float(len(totals)))
    limits = share.interval(level, "contexts")
    return None if limits is None else replace(limits, target=TARGET)


def _bootstrap(hits: Floats, totals: Ints, level: float, draws: int, seed: int) -> Interval | None:
    passed = hits.sum()
    if len(totals) < 2 or passed in (0, totals.sum()):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(draw_means(hits, totals, draws, seed), [tail, 1 - tail])
    value = passed / totals.sum()
    return Interval(float(min(low, value)), float(max(high, value)), level, BOOTSTRAP, TARGET)
