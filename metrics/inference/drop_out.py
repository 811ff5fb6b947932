"""Differential drop-out: whether people leave some conditions of an experiment more often than others.

Where they do, those who finish differ between conditions, and a difference in what is measured is no longer an effect
of the condition alone.

Source:
    Zhou and Fishbach (2016), The pitfall of experimenting on the web, JPSP 111(4), 493-504: why it is tested.
    Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in Medicine
    17(8), 873-890, method 10: the interval of a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.inference.proportions import wilson
from metrics.types import Interval

# The usual rule for the chi-square distribution: no expected count is smaller.
MIN_EXPECTED = 5
PERMUTATIONS = 9_999
CHI_SQUARE, FISHER, PERMUTATION = "Pearson's chi-square test", "Fisher's exact test", "permutation test"


@dataclass(frozen=True, slots=True)
class DropOut:
    """A test that all conditions lose the same share of people, and the largest difference between two of them.

    test: which one was used. highest, lowest: places of the conditions with the largest and the smallest share.
    difference: of their shares, at least 0; its interval holds for all pairs of conditions at once (Bonferroni).
    """

    test: str
    statistic: float
    p: float
    highest: int
    lowest: int
    difference: float
    interval: Interval


def compare_drop_out(left: Sequence[int], people: Sequence[int], *, level: float = 0.95, seed: int = 0) -> DropOut:
    """Test whether conditions lose the same share of people.

    Args:
        left: people who left each condition without finishing.
        people: people who left or finished, by condition; conditions without anybody are not compared.
        level: of the interval, in (0, 1).
        seed: of the permutations.

    Returns:
        Pearson's chi-square test where every expected count is at least 5; else Fisher's exact test of two conditions,
        and a permutation test on the same statistic of more.

    Raises:
        BadInput: counts that contradict each other.
        InsufficientData: fewer than two conditions have people.

    Source:
        Newcombe (1998), method 10, for the interval; Phipson and Smyth (2010) for the permutation p value.

    Example:
        >>> from metrics.inference.drop_out import compare_drop_out
        >>> result = compare_drop_out([10, 30], [100, 100])
        >>> result.test, round(result.statistic, 2), round(result.p, 5), round(result.difference, 3)
        ("Pearson's chi-square test", 12.5, 0.00041, 0.2)
    """
    if len(left) != len(people) or any(not 0 <= number <= of for number, of in zip(left, people, strict=True)):
        raise BadInput("people who left are 0 to the number of people of their condition", column="left")
    places = [place for place, of in enumerate(people) if of]
    if len(places) < 2:
        raise InsufficientData("fewer than two conditions have people who left or finished")
    lost, totals = np.array([left[place] for place in places]), np.array([people[place] for place in places])
    test, statistic, p = _tested(lost, totals, seed)
    shares = lost / totals
    highest, lowest = int(np.argmax(shares)), int(np.argmin(shares))
    if highest == lowest:
        highest, lowest = 0, 1
    pairs = len(list(combinations(places, 2)))
    # scipy comes at the first call.
    from scipy.special import ndtri

    z = float(ndtri(1 - (1 - level) / (2 * pairs)))
    low, high = _newcombe(lost[[highest, lowest]], totals[[highest, lowest]], z)
    target = "difference of the shares of people lost, for all pairs of conditions at once"
    interval = Interval(low, high, level, "Newcombe (1998), method 10, Bonferroni", target)
    return DropOut(
        test, statistic, p, places[highest], places[lowest], float(shares[highest] - shares[lowest]), interval
    )


def _tested(lost: Ints, totals: Ints, seed: int) -> tuple[str, float, float]:
    from scipy import stats

    statistic = _chi_square(lost[np.newaxis, :], totals)[0]
    share = lost.sum() / totals.sum()
    if share in (0.0, 1.0):
        return CHI_SQUARE, 0.0, 1.0
    if min(totals.min() * share, totals.min() * (1 - share)) >= MIN_EXPECTED:
        return CHI_SQUARE, float(statistic), float(stats.chi2.sf(statistic, len(totals) - 1))
    if len(totals) == 2:
        table = np.array([lost, totals - lost])
        return FISHER, float(statistic), float(stats.fisher_exact(table).pvalue)
    # Who left, dealt anew over the conditions: the same numbers of people in each, and of people who left in all.
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(totals, int(lost.sum()), size=PERMUTATIONS)
    as_large = int((_chi_square(drawn, totals) >= statistic - 1e-9).sum())
    return PERMUTATION, float(statistic), (1 + as_large) / (1 + PERMUTATIONS)


def _chi_square(lost: Ints, totals: Ints) -> Floats:
    """Pearson's statistic of each row of `lost`."""
    share = lost.sum(axis=1, keepdims=True) / totals.sum()
    variance = totals * share * (1 - share)
    parts = np.where(variance > 0, (lost - totals * share) ** 2 / np.where(variance > 0, variance, 1), 0.0)
    return np.asarray(parts.sum(axis=1), dtype=np.float64)


def _newcombe(lost: Ints, totals: Ints, z: float) -> tuple[float, float]:
    shares = lost / totals
    (low, high), (other_low, other_high) = (
        wilson(float(share), float(total), z) for share, total in zip(shares, totals, strict=True)
    )
    first, second = (float(share) for share in shares)
    difference = first - second
    return (
        difference - float(np.hypot(first - low, other_high - second)),
        difference + float(np.hypot(high - first, second - other_low)),
    )
