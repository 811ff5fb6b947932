"""MAUVE on histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.text_scores.mauve import mauve, mauve_of_features

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


def token_statistics(rng: np.random.Generator, texts: int, apart: float, shared: bool) -> tuple[np.ndarray, np.ndarray]:
    """(texts, 12) shares of each text's 80 tokens of two sources; a context makes its two texts alike where shared."""
    usual = np.array([30, 18, 12, 9, 7, 6, 5, 4, 3, 3, 2, 1.0])
    context = np.exp(rng.normal(0, 0.5, (texts, 12)))
    found = []
    for mean in (usual, usual * np.exp(apart * np.linspace(-1, 1, 12))):
        own = context if shared else np.exp(rng.normal(0, 0.5, (texts, 12)))
        chances = [rng.dirichlet(row) for row in mean / mean.sum() * 25 * own]
        found.append(np.array([rng.multinomial(80, row) / 80 for row in chances]))
    return found[0], found[1]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("texts", "apart"), [(40, 1.2), (40, 0.7), (100, 0.0)])
def test_intervals_hold_what_new_texts_show_on_average_about_as_often_as_they_say(texts, apart, shared):
    """From MAUVE .13 over .5 to .9; values of other numbers of texts do not compare, so the average is of as many."""
    rng, names, found = np.random.default_rng(7), [str(at) for at in range(texts)], []
    for _ in range(30):
        sides = token_statistics(rng, texts, apart, shared)
        found.append(mauve_of_features(*sides, seed=1, contexts=(names, names) if shared else None))
    average = np.mean([one.value for one in found])
    held = np.mean([one.interval.low <= average <= one.interval.high for one in found])
    assert 0.86 <= held <= 1


def test_equal_texts_have_an_interval_up_to_one_and_texts_wholly_apart_none():
    near = np.random.default_rng(3).normal(size=(20, 2))
    same, far = mauve_of_features(near, near), mauve_of_features(near, near + 1000, clusters=2)
    assert same.value == pytest.approx(1)
    assert 0.5 < same.interval.low < 1 <= same.interval.high + 1e-12
    assert (far.value, far.interval, far.flags) == (pytest.approx(0.004072, abs=1e-6), None, ("no_variation",))
