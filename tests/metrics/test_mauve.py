"""MAUVE on histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.mauve import mauve, mauve_of_features

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


def blobs(near: int, far: int) -> np.ndarray:
    """Texts at two places far from each other."""
    rng = np.random.default_rng(near)
    return np.concatenate((rng.normal(0, 0.1, (near, 2)), rng.normal(50, 0.1, (far, 2))))


@pytest.mark.parametrize(("p", "q", "value"), [((10, 10), (18, 2), 0.671096), ((20, 0), (0, 20), 0.004072)])
def test_features_that_fall_into_two_groups_give_the_histograms_of_the_method(p, q, value):
    found = mauve_of_features(blobs(*p), blobs(*q), clusters=2)
    assert (found.value, found.n, found.settings["clusters"]) == (pytest.approx(value, abs=1e-6), 40, 2)


def test_the_unit_of_a_feature_does_not_matter_and_the_seed_decides_alone():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(30, 3)), rng.normal(0.5, 1, size=(30, 3))
    found = mauve_of_features(a, b, seed=2)
    assert mauve_of_features(a * [1, 1000, 0.01], b * [1, 1000, 0.01], seed=2).value == pytest.approx(found.value)
    assert mauve_of_features(a, b, seed=2) == found


@pytest.mark.parametrize(
    ("reference", "model", "error"),
    [
        (np.zeros((9, 1)), np.ones((10, 1)), InsufficientData),
        (np.ones((10, 1)), np.ones((10, 1)), DegenerateInput),
        (np.ones((10, 1)), np.ones((10, 2)), BadInput),
        (np.full((10, 1), np.nan), np.ones((10, 1)), BadInput),
    ],
)
def test_features_that_cannot_be_clustered_are_refused(reference, model, error):
    with pytest.raises(error):
        mauve_of_features(reference, model)
