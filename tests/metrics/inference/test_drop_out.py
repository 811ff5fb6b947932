"""Differential drop-out, against tables that other people published and slow references."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from scipy import stats

from metrics.errors import BadInput, InsufficientData
from metrics.inference.drop_out import CHI_SQUARE, FISHER, PERMUTATION, compare_drop_out


def test_large_counts_are_compared_by_pearsons_chi_square():
    left, people = [12, 18, 30, 41], [100, 100, 98, 102]
    table = [left, [of - number for number, of in zip(left, people, strict=True)]]
    expected = stats.chi2_contingency(table, correction=False)
    found = compare_drop_out(left, people)
    assert (found.test, found.highest, found.lowest) == (CHI_SQUARE, 3, 0)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.difference == pytest.approx(41 / 102 - 12 / 100)


def test_small_counts_of_two_conditions_are_compared_by_fishers_exact_test():
    # The lady tasting tea (Fisher 1935): 3 of 4 and 1 of 4.
    found = compare_drop_out([3, 1], [4, 4])
    assert found.test == FISHER
    assert found.p == pytest.approx(34 / 70)


def test_small_counts_of_three_conditions_are_compared_by_permutations():
    left, people = [0, 1, 5], [6, 7, 6]
    found = compare_drop_out(left, people, seed=3)
    assert found.test == PERMUTATION
    exact = exact_p(left, people)
    assert found.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 9999) ** 0.5)


def exact_p(left: list[int], people: list[int]) -> float:
    """Every way to deal those who left over the conditions, by hand."""

    def statistic(lost: tuple[int, ...]) -> float:
        share = sum(lost) / sum(people)
        return sum((x - n * share) ** 2 / (n * share * (1 - share)) for x, n in zip(lost, people, strict=True))

    ways = [lost for lost in product(*(range(n + 1) for n in people)) if sum(lost) == sum(left)]
    weight = {lost: comb(people[0], lost[0]) * comb(people[1], lost[1]) * comb(people[2], lost[2]) for lost in ways}
    seen = statistic(tuple(left))
    return sum(weight[lost] for lost in ways if statistic(lost) >= seen - 1e-9) / sum(weight.values())


def test_the_interval_of_two_conditions_is_newcombes():
    # Newcombe (1998), table II, column (a): 56/70 - 48/80, method 10: 0.0524 to 0.3339.
    found = compare_drop_out([56, 48], [70, 80])
    assert (found.interval.low, found.interval.high) == (
        pytest.approx(0.0524, abs=5e-5),
        pytest.approx(0.3339, abs=5e-5),
    )


def test_the_interval_of_the_largest_of_several_differences_is_wider():
    two, four = compare_drop_out([56, 48], [70, 80]), compare_drop_out([56, 48, 60, 55], [70, 80, 80, 80])
    assert four.interval.high - four.interval.low > two.interval.high - two.interval.low


def test_nobody_left_anywhere():
    found = compare_drop_out([0, 0, 0], [10, 10, 10])
    assert (found.p, found.difference) == (1.0, 0.0)


def test_counts_that_cannot_be():
    with pytest.raises(BadInput):
        compare_drop_out([3], [2])
    with pytest.raises(InsufficientData):
        compare_drop_out([1, 0], [2, 0])
