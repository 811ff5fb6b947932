"""CV*, the any-time interval, the prediction-powered mean, standardisation by rater."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.inference.anytime_valid import any_time_half_width, any_time_mean
from metrics.inference.prediction_powered import prediction_powered_mean
from metrics.inference.reproducibility import reproduction_variation
from metrics.worker_models.standardise import standardise_by_rater

NUMBERS = st.lists(st.floats(0.1, 100), min_size=2, max_size=20)


@pytest.mark.parametrize(("scores", "value"), [([0.58, 0.62], 6.646702), ([3.5, 3.7, 3.6], 3.395585)])
def test_cv_star_of_two_and_three_studies(scores, value):
    assert reproduction_variation(scores).value == pytest.approx(value, abs=1e-6)


@given(NUMBERS, st.floats(0.01, 100))
def test_cv_star_does_not_know_the_unit_but_knows_the_zero(scores, unit):
    value = reproduction_variation(scores).value
    assert reproduction_variation([unit * s for s in scores]).value == pytest.approx(value, rel=1e-6, abs=1e-9)
    assert reproduction_variation([s + 100 for s in scores]).value <= value + 1e-9


def test_cv_star_refuses_one_score_and_a_mean_of_zero_and_flags_mixed_signs():
    with pytest.raises(InsufficientData):
        reproduction_variation([1])
    with pytest.raises(DegenerateInput):
        reproduction_variation([-1, 1])
    with pytest.raises(BadInput, match="row 2"):
        reproduction_variation([1, float("inf")])
    assert reproduction_variation([-1, 2]).flags == ("below_zero",)
    assert reproduction_variation([3, 3]).value == 0


@pytest.mark.parametrize(("t", "half"), [(20, 0.688759), (100, 0.327302)])
def test_the_half_width_after_20_and_100_ratings(t, half):
    assert any_time_half_width(t) == pytest.approx(half, abs=1e-6)


def test_the_any_time_interval_misses_the_mean_at_any_of_500_looks_in_at_most_5_percent():
    rng = np.random.default_rng(0)
    t = np.arange(1, 501)
    half = np.array([any_time_half_width(int(n)) for n in t])
    paths = np.cumsum(rng.normal(size=(2000, 500)), axis=1) / t
    missed = (np.abs(paths) > half).any(axis=1).mean()
    assert missed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert missed > 0.005


def test_the_any_time_mean_with_a_known_and_an_estimated_spread():
    values = [1.0, 2.0, 4.0, 5.0]
    known = any_time_mean(values, sd=2)
    assert known.interval.high - known.value == pytest.approx(2 * any_time_half_width(4))
    assert known.flags == ()
    assert any_time_mean(values).flags == ("sd_estimated",)
    assert any_time_mean([3.0]).interval is None
    assert any_time_mean([3.0], sd=1).interval is not None


@pytest.mark.parametrize("options", [{"rho": 0}, {"level": 1}, {"sd": -1}])
def test_the_any_time_mean_refuses_odd_settings(options):
    with pytest.raises(BadInput):
        any_time_mean([1, 2], **options)
    with pytest.raises(InsufficientData):
        any_time_mean([])


def test_the_prediction_powered_mean_of_the_method():
    found = prediction_powered_mean([3, 4, 5, 2], [3.5, 3.5, 4.5, 2.5], [3, 4, 4.5, 2.5, 3.5, 3.5])
    assert found.value == pytest.approx(3.5, abs=1e-12)
    assert found.settings["se"] == pytest.approx(0.408248, abs=1e-6)
    assert found.settings["se_labels_only"] == pytest.approx(0.645497, abs=1e-6)


def test_the_prediction_powered_interval_covers_the_human_mean_under_a_biased_predictor():
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(600):
        truth = rng.normal(2, 1, 460)
        guess = truth * 0.7 + 1.5 + rng.normal(0, 0.5, 460)
        interval = prediction_powered_mean(truth[:60], guess[:60], guess[60:]).interval
        hits.append(interval.low <= 2 <= interval.high)
    assert 0.91 <= np.mean(hits) <= 0.985


@given(NUMBERS, st.floats(-50, 50))
def test_a_constant_error_of_the_predictor_does_not_matter(labels, bias):
    other = [v + 1 for v in labels]
    found = prediction_powered_mean(labels, labels, other)
    moved = prediction_powered_mean(labels, [v + bias for v in labels], [v + bias for v in other])
    assert moved.value == pytest.approx(found.value, abs=1e-6)


def test_predictions_that_do_not_help_are_flagged_and_too_few_are_refused():
    assert prediction_powered_mean([1, 1.1], [0, 9], [0, 9]).flags == ("predictions_do_not_help",)
    with pytest.raises(InsufficientData):
        prediction_powered_mean([1], [1], [1, 2])
    with pytest.raises(BadInput, match="2 and 1"):
        prediction_powered_mean([1, 2], [1], [1, 2])


def test_raters_of_different_severity_look_alike_when_standardised():
    found = standardise_by_rater([1, 2, 3, 1, 2, 3], ["a"] * 3 + ["b"] * 3, [5, 3, 4, 3, 1, 2])
    assert found.values == pytest.approx([1, -1, 0, 1, -1, 0])
    assert found.constant == ()


def test_standardised_direct_assessments_are_those_of_the_hand_example():
    """Specification 2.2: texts A1, B1, A2, B2."""
    item, rater = ["A1", "B1", "A2", "B2"] * 2, ["1"] * 4 + ["2"] * 4
    found = standardise_by_rater(item, rater, [80, 60, 70, 50, 95, 90, 94, 85])
    z = [1.161895, -0.387298, 0.387298, -1.161895, 0.879883, -0.219971, 0.659912, -1.319824]
    assert found.values == pytest.approx(z, abs=1e-6)
    of_a = [value for name, value in zip(item, found.values, strict=True) if name[0] == "A"]
    assert sum(of_a) / len(of_a) == pytest.approx(0.772247, abs=1e-6)


def test_a_constant_rater_gets_zeros_and_a_flag():
    found = standardise_by_rater([1, 2, 1, 2], ["a", "a", "b", "b"], [0.1, 0.1, 1, 2])
    assert found.values[:2].tolist() == [0, 0]
    assert found.constant == ("a",)
    assert "constant_raters" in found.flags


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=30))
def test_each_rater_has_mean_zero_and_sd_one_or_is_named_constant(cells):
    item, rater, value = range(len(cells)), [r for r, _ in cells], [v for _, v in cells]
    found = standardise_by_rater(list(item), rater, value)
    for name in set(rater):
        own = found.values[np.array(rater) == name]
        if name in found.constant:
            assert not own.any()
        else:
            assert (own.mean(), own.std(ddof=1)) == pytest.approx((0, 1), abs=1e-9)


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=10), st.floats(0.1, 10), st.floats(-100, 100))
def test_severity_and_use_of_the_scale_do_not_matter_to_z(values, stretch, shift):
    assume(np.ptp(values) > 0.1)
    found = standardise_by_rater(list(range(len(values))), ["a"] * len(values), values)
    moved = standardise_by_rater(list(range(len(values))), ["a"] * len(values), [stretch * v + shift for v in values])
    assert moved.values == pytest.approx(found.values, abs=1e-6)


def test_no_rating_is_refused():
    with pytest.raises(InsufficientData):
        standardise_by_rater([], [], [])
