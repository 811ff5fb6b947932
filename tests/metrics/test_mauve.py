"""MAUVE on histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput
from metrics.mauve import mauve

PAIRS = st.integers(1, 6).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(0, 50), min_size=k, max_size=k).filter(any) for _ in range(2)])
)


@pytest.mark.parametrize(
    ("p", "q", "value"),
    [
        ((0.5, 0.5), (0.9, 0.1), 0.671096),
        ((0.4, 0.3, 0.2, 0.1), (0.1, 0.2, 0.3, 0.4), 0.653854),
        ((0.3, 0.7), (0.3, 0.7), 1),
        ((1, 0), (0, 1), 0.004072),
    ],
)
def test_histograms_of_the_method(p, q, value):
    assert mauve(p, q).value == pytest.approx(value, abs=1e-6)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30).filter(any))
def test_equal_histograms_have_an_area_of_one_whatever_their_shape(counts):
    assert mauve(counts, counts).value == pytest.approx(1, abs=1e-9)


@given(PAIRS, st.integers(1, 1000), st.randoms())
def test_it_is_symmetric_and_knows_neither_sample_size_nor_order_of_clusters(pair, times, random):
    p, q = map(np.array, pair)
    order = list(range(len(p)))
    random.shuffle(order)
    value = mauve(p, q).value
    assert 0 < value <= 1 + 1e-9
    assert mauve(q, p).value == pytest.approx(value, abs=1e-3)  # trapezia by x, not by y
    assert mauve(times * p[order], q[order]).value == pytest.approx(value, abs=1e-9)


@given(PAIRS)
def test_a_cluster_nobody_uses_changes_nothing(pair):
    p, q = pair
    assert mauve([*p, 0], [*q, 0]).value == pytest.approx(mauve(p, q).value, abs=1e-12)


def test_histograms_of_different_clusters_and_empty_ones_are_refused():
    with pytest.raises(DegenerateInput, match="2 and 3"):
        mauve([1, 1], [1, 1, 1])
    with pytest.raises(DegenerateInput, match="p is empty"):
        mauve([0, 0], [1, 1])


@pytest.mark.parametrize("p", [[-1, 2], [float("nan"), 1], ["x", 1], [[1, 1]]])
def test_odd_histograms_are_refused(p):
    with pytest.raises(BadInput):
        mauve(p, [1, 1])


def test_odd_settings_are_refused():
    with pytest.raises(BadInput):
        mauve([1, 1], [1, 1], mixtures=0)
