"""Which of two sources is better: one of six outcomes, from differences of ratings and what was declared before.

Over a family of comparisons p-values are Holm's, those of equivalence (two one-sided tests, the larger p) among
themselves. Equivalent within the margin goes before better and worse: the margin says which differences matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from metrics.data.number_format import plural
from metrics.errors import BadInput
from metrics.inference.cluster_variances import ITEMS_UNKNOWN
from metrics.inference.equivalence import Margin
from metrics.inference.multiple_testing import Family, adjust
from metrics.inference.rating_differences import UNPAIRED, RatingDifference
from metrics.types import Interval

Outcome = Literal["better", "worse", "equivalent", "undecided", "too small", "not comparable"]
OUTCOMES: tuple[Outcome, ...] = ("better", "worse", "equivalent", "undecided", "too small", "not comparable")
# Why there is no interval, by flag.
NO_INTERVAL = {
    "no_mle": "not every source was preferred to every other, directly or through others",
    "items_unknown": "the context of the texts is not known",
}
MIN_CLUSTERS = 5  # contexts, and raters where they are drawn again, below which nothing is decided


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is decided of `first` against `second`; better and worse are of the first.

    comparison: the difference it rests on; None where the sources cannot be compared. adjusted_p: Holm's over `tests`
    comparisons; None without an interval. equivalence_p: adjusted likewise; None without a margin. narrow: the interval
    that lies inside the margin where they are equivalent, at 1 - 2 alpha. reason: in words, why it is too small or not
    comparable.
    """

    first: str
    second: str
    outcome: Outcome
    comparison: RatingDifference | None
    adjusted_p: float | None
    equivalence_p: float | None
    narrow: Interval | None
    margin: Margin | None
    tests: int
    reason: str = ""


def decide(
    comparisons: Sequence[RatingDifference], *, family: str, margin: Margin | None = None, alpha: float = 0.05
) -> tuple[Verdict, ...]:
    """Decide every comparison of one family.

    Args:
        comparisons: of different pairs, all of which were declared (or all of which are tested by default).
        family: its name.
        margin: within which two sources are equivalent, around 0, in the units of the ratings; None: not tested.
        alpha: error rate of the family.

    Returns:
        A verdict for each comparison, in order.

    Raises:
        BadInput: a pair that occurs twice, a margin that does not hold 0, an alpha outside (0, 1).

    Example:
        >>> from metrics.inference.rating_differences import rating_difference
        >>> item, rater = [i for i in range(12) for _ in range(10)] * 2, list(range(10)) * 24
        >>> value = [4 - 2 * (n >= 120) + (i * r) % 3 for n, (i, r) in enumerate(zip(item, rater))]
        >>> compared = rating_difference(item, rater, ["a"] * 120 + ["b"] * 120, value, ("a", "b"))
        >>> decide([compared], family="generators")[0].outcome
        'better'
    """
    if margin is not None and not margin.low < 0 < margin.high:
        raise BadInput("a margin of a difference holds 0 inside", column="margin")
    if not comparisons:
        return ()
    names = [f"{compared.first} - {compared.second}" for compared in comparisons]
    tested = Family(family, tuple(names), alpha)
    raw = {name: compared.p for name, compared in zip(names, comparisons, strict=True)}
    inside = {name: _outside(compared, margin) for name, compared in zip(names, comparisons, strict=True)}
    different, alike = adjust(tested, raw).p, adjust(tested, inside).p
    return tuple(
        _verdict(compared, different[name], alike[name], margin, alpha, len(names))
        for name, compared in zip(names, comparisons, strict=True)
    )


def not_comparable(first: str, second: str, reason: str, *, tests: int = 1) -> Verdict:
    """Return the verdict on two sources that share nothing to compare them on."""
    return Verdict(first, second, "not comparable", None, None, None, None, None, tests, reason)


def _outside(compared: RatingDifference, margin: Margin | None) -> float | None:
    """The larger p of the two one-sided tests that the difference lies outside the margin."""
    if margin is None:
        return None
    above, below = compared.p_above(margin.low), compared.p_above(margin.high)
    return None if above is None or below is None else max(above, 1 - below)


def _verdict(
    compared: RatingDifference,
    different: float | None,
    alike: float | None,
    margin: Margin | None,
    alpha: float,
    tests: int,
) -> Verdict:
    narrow = compared.interval(1 - 2 * alpha) if margin is not None and alpha < 0.5 else None
    verdict = Verdict(compared.first, compared.second, "undecided", compared, different, alike, narrow, margin, tests)
    if reason := _too_small(compared):
        return replace(verdict, outcome="too small", reason=reason)
    if alike is not None and alike <= alpha:
        return replace(verdict, outcome="equivalent")
    if different is not None and different <= alpha:
        return replace(verdict, outcome="better" if (compared.difference.value or 0) > 0 else "worse")
    return verdict


def _unit(flags: Sequence[str]) -> tuple[str, str]:
    """What is counted of items: unpaired, a text without a context is an item of its own."""
    return ("context or text", "contexts or texts") if UNPAIRED in flags else ("context", "contexts")


def _too_small(compared: RatingDifference) -> str:
    """Why nothing can be decided; "" where something can."""
    flags = compared.difference.flags
    # Where contexts are not known, how many there are is not known either.
    units = {} if ITEMS_UNKNOWN in flags else {_unit(flags): compared.contexts}
    if compared.raters is not None and compared.difference.settings.get("target") != "items":
        units["rater", "raters"] = compared.raters
    few = [plural(count, *names) for names, count in units.items() if count < MIN_CLUSTERS]
    if few:
        return f"{' and '.join(few)}, and at least {MIN_CLUSTERS} are needed"
    if compared.difference.interval is None:
        reasons = (why for flag, why in NO_INTERVAL.items() if flag in flags)
        return next(reasons, "the ratings do not vary")
    return ""
