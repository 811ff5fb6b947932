"""Fleiss' and Cohen's kappa."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.agreement.kappa import cohen_kappa, fleiss_kappa
from metrics.errors import BadInput, InsufficientData

FIRST, SECOND = [1, 1, 0, 0, 1, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 0, 1, 1, 1, 1]


def test_fleiss_example():
    assert fleiss_kappa([[3, 0], [2, 1], [0, 3], [1, 2]]).value == pytest.approx(1 / 3, abs=1e-12)


def test_cohen_example():
    assert cohen_kappa(FIRST, SECOND).value == pytest.approx(0.583333, abs=1e-6)


def test_intervals_say_what_is_resampled_and_hold_the_value():
    for found in (cohen_kappa(FIRST, SECOND), fleiss_kappa([[3, 0], [2, 1], [0, 3], [1, 2]])):
        assert found.interval.low < found.value < found.interval.high
        assert found.interval.method == "items drawn with replacement, percentiles"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_cohen_is_agreement_beyond_chance_and_knows_no_names(pairs):
    first, second = zip(*pairs, strict=True)
    agree = np.mean([a == b for a, b in pairs])
    chance = sum(first.count(c) * second.count(c) for c in "abc") / len(pairs) ** 2
    found = cohen_kappa(first, second, draws=0).value
    assert found == (None if chance == 1 else pytest.approx((agree - chance) / (1 - chance), abs=1e-9))
    renamed = cohen_kappa([ord(c) for c in first], [ord(c) for c in second], draws=0).value
    assert renamed == found


@given(st.lists(st.integers(0, 4), min_size=1))
def test_fleiss_of_two_categories_is_the_formula_item_by_item(yes):
    counts = [[y, 4 - y] for y in yes]
    agree = np.mean([(y * (y - 1) + (4 - y) * (3 - y)) / 12 for y in yes])
    share = np.mean(yes) / 4
    chance = share**2 + (1 - share) ** 2
    found = fleiss_kappa(counts, draws=0).value
    assert found == (None if share in (0, 1) else pytest.approx((agree - chance) / (1 - chance), abs=1e-9))


def test_one_category_throughout_has_no_value():
    for found in (cohen_kappa([1, 1], [1, 1]), fleiss_kappa([[3, 0], [3, 0]])):
        assert (found.value, found.interval, found.flags) == (None, None, ("no_variation",))


def test_one_item_has_no_interval():
    assert fleiss_kappa([[1, 2]]).flags == ("too_few_for_interval",)


@pytest.mark.parametrize("call", [lambda: cohen_kappa([], []), lambda: fleiss_kappa(np.zeros((0, 2), dtype=int))])
def test_nothing_coded_is_refused(call):
    with pytest.raises(InsufficientData):
        call()


def test_one_rater_is_refused():
    with pytest.raises(InsufficientData, match="two raters"):
        fleiss_kappa([[1, 0], [0, 1]])


def test_unequal_numbers_of_raters_are_refused_by_row():
    with pytest.raises(BadInput, match="row 2"):
        fleiss_kappa([[3, 0], [2, 0]])


@pytest.mark.parametrize("counts", [[[0.5, 1.5]], [[-1, 3]], [1, 2]])
def test_odd_counts_are_refused(counts):
    with pytest.raises(BadInput):
        fleiss_kappa(counts)


def test_columns_of_different_length_are_refused():
    with pytest.raises(BadInput, match="2 and 1"):
        cohen_kappa([1, 2], [1])
