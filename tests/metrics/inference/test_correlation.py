"""HJ against log frequency, and Kendall's tau-b."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.inference.correlation import hj_frequency, kendall_tau, midranks

FREQUENCY, HJ = [1, 2, 5, 10, 100, 1000], [1, 1.5, 2, 2.2, 3.5, 4.6]
METRIC, HUMAN = [0.45, 0.52, 0.61, 0.60, 0.64, 0.68, 0.71], [0.30, 0.38, 0.41, 0.45, 0.44, 0.60, 0.58]


def test_hj_against_log_frequency():
    found = hj_frequency(HJ, FREQUENCY)
    pearson = found.pearson
    assert pearson.estimate.value == pytest.approx(0.998519, abs=1e-6)
    assert pearson.p == pytest.approx(3.289478e-6, rel=1e-5)
    interval = pearson.estimate.interval
    assert (interval.low, interval.high, interval.level) == pytest.approx((0.990145, 0.999778, 0.90), abs=1e-6)
    assert found.spearman.estimate.value == 1


def test_a_perfect_rank_correlation_has_an_exact_p_and_no_interval_without_width():
    spearman = hj_frequency(HJ, FREQUENCY).spearman
    assert spearman.p == pytest.approx(2 / math.factorial(6))
    assert (spearman.estimate.interval, spearman.estimate.flags) == (None, ("perfect",))


def test_texts_of_frequency_zero_are_left_out_and_counted():
    found = hj_frequency([*HJ, 9], [*FREQUENCY, 0])
    assert found.zero == 1
    assert found.pearson.estimate.value == pytest.approx(0.998519, abs=1e-6)
    assert "zero_frequency" in found.pearson.estimate.flags
    assert found.pearson.estimate.n == 6


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(0, 5)), min_size=4, max_size=30), st.floats(0.01, 100))
def test_the_unit_of_frequency_and_of_hj_does_not_matter(pairs, unit):
    frequency, hj = np.array(pairs).T
    if np.ptp(np.log(frequency)) < 1e-3 or np.ptp(hj) < 1e-3:
        return
    found, scaled = hj_frequency(hj, frequency), hj_frequency(hj * unit + 2, frequency * unit)
    assert scaled.pearson.estimate.value == pytest.approx(found.pearson.estimate.value, abs=1e-6)
    expected = np.corrcoef(np.log(frequency), hj)[0, 1]
    assert found.pearson.estimate.value == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.integers(0, 5), min_size=1))
def test_midranks_are_one_more_than_those_below_and_half_the_ties(values):
    expected = [sum(w < v for w in values) + (values.count(v) + 1) / 2 for v in values]
    assert midranks(np.array(values, dtype=float)).tolist() == expected


@pytest.mark.parametrize(("hj", "frequency"), [([3, 3, 3], [1, 2, 3]), ([1, 2, 3], [7, 7, 7])])
def test_a_constant_side_has_no_value(hj, frequency):
    for found in (
        hj_frequency(hj, frequency).pearson,
        hj_frequency(hj, frequency).spearman,
        kendall_tau(hj, frequency),
    ):
        assert (found.estimate.value, found.p) == (None, None)
        assert "no_variation" in found.estimate.flags


def test_three_texts_have_a_value_and_no_interval():
    found = hj_frequency([1, 2, 2.5], [1, 10, 100]).pearson.estimate
    assert found.value > 0.9
    assert (found.interval, found.flags) == (None, ("too_few_for_interval",))


def test_fewer_than_three_texts_that_occur_are_refused_with_the_count():
    with pytest.raises(InsufficientData, match=r"2 \(1 of frequency 0 excluded\)"):
        hj_frequency([1, 2, 3], [0, 1, 2])


@pytest.mark.parametrize(
    ("hj", "frequency", "said"),
    [
        ([1, 2, 3], [1, 2, -1], "row 3, column frequency"),
        ([1, float("nan"), 3], [1, 2, 3], "row 2, column hj"),
        ([1, 2], [1, 2, 3], "2 and 3"),
        ([1, "x", 3], [1, 2, 3], "not a number"),
    ],
)
def test_odd_columns_are_refused(hj, frequency, said):
    with pytest.raises(BadInput, match=said):
        hj_frequency(hj, frequency)


def test_tau_of_seven_systems_with_its_exact_p():
    found = kendall_tau(METRIC, HUMAN)
    assert found.estimate.value == pytest.approx(0.714286, abs=1e-6)
    assert (found.p, found.p_method) == (pytest.approx(0.030159, abs=1e-6), "exact")


def test_tau_with_ties():
    found = kendall_tau([1, 2, 2, 3], [1, 2, 3, 4])
    assert found.estimate.value == pytest.approx(0.912871, abs=1e-6)
    assert found.estimate.flags == ("few_systems",)
    # Of the 24 orders of 1 2 3 4, four put all five untied pairs in one direction.
    assert found.p == pytest.approx(4 / 24)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_tau_is_the_count_of_pairs(pairs):
    signs = [(np.sign(a[0] - b[0]), np.sign(a[1] - b[1])) for i, a in enumerate(pairs) for b in pairs[:i]]
    untied = sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs)
    found = kendall_tau(*zip(*pairs, strict=True))
    if not untied:
        assert found.estimate.value is None
    else:
        assert found.estimate.value == pytest.approx(sum(x * y for x, y in signs) / math.sqrt(untied), abs=1e-9)
        assert 0 <= found.p <= 1


def test_one_system_is_refused():
    with pytest.raises(InsufficientData):
        kendall_tau([1], [1])
