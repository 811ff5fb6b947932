"""Theory helpers: the specification's numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput
from metrics.huse.theory import feature_bound, theoretical_huse, total_variation

P, Q = (0.5, 0.3, 0.2, 0.0), (0.25, 0.25, 0.25, 0.25)


def test_example_has_total_variation_three_tenths():
    assert total_variation(P, Q) == pytest.approx(0.3, abs=1e-12)


def test_example_has_l_star_seven_tenths():
    assert theoretical_huse(P, Q) == pytest.approx(0.7, abs=1e-12)


def test_a_tenth_of_a_bit_costs_the_printed_bound():
    assert feature_bound(0.1) == pytest.approx(0.133934, abs=1e-6)


def test_no_missing_information_costs_nothing():
    assert feature_bound(0) == 0


@settings(deadline=None)
@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_total_variation_is_symmetric_and_between_zero_and_one(counts, random):
    p = [c / sum(counts) for c in counts]
    q = random.sample(p, len(p))
    assert 0 <= total_variation(p, q) <= 1
    assert total_variation(p, q) == pytest.approx(total_variation(q, p))
    assert total_variation(p, p) == 0


def test_disjoint_distributions_are_always_told_apart():
    assert theoretical_huse((1.0, 0.0), (0.0, 1.0)) == 0


def test_different_numbers_of_outcomes_are_degenerate():
    with pytest.raises(DegenerateInput, match="have 4 and 2"):
        total_variation(P, (0.5, 0.5))


@pytest.mark.parametrize("bad", [(0.5, 0.6), (-0.5, 1.5), (math.nan, 1.0), ()])
def test_what_is_no_distribution_is_refused(bad):
    with pytest.raises(BadInput, match="sum to 1"):
        total_variation(bad, (0.5, 0.5))


@pytest.mark.parametrize("bits", [-1, math.inf, math.nan])
def test_information_is_finite_and_not_negative(bits):
    with pytest.raises(BadInput, match="finite number of bits"):
        feature_bound(bits)
