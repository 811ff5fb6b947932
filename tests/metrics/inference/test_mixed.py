"""The crossed mixed model: published numbers, a dense likelihood, simulated worlds, and where it gives way."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.inference.mixed_model import mixed_model
from metrics.inference.pigeonhole_bootstrap import resample_pigeonhole
from metrics.inference.reml_blocks import build_design, solve_blocks

TABLE = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
ITEM, RATER = (axis.ravel() for axis in np.indices(TABLE.shape))


def world(seed: int, n: int, items: int, raters: int, rater_sd: float = 0.5, slope_sd: float = 0.0):
    """value, item, rater, source: an effect of source of 0.3, items of sd 1, raters, slopes, residual of sd 1."""
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(0, items, n), rng.integers(0, raters, n)
    source = (item % 2).astype(float)
    severity = rater_sd * spread(rng, raters)[rater] + slope_sd * spread(rng, raters)[rater] * source
    return rng.normal(size=items)[item] + severity + 0.3 * source + rng.normal(size=n), item, rater, source


def spread(rng, n: int):
    """Normal draws with the mean and standard deviation they stand for, 0 and 1."""
    drawn = rng.normal(size=n)
    return (drawn - drawn.mean()) / drawn.std()


def dense_criterion(y, x, item, rater, theta, slope=None):
    """-2 log restricted likelihood, residual variance profiled out, from the N x N covariance matrix."""
    n, p = x.shape
    z_item, z_rater = (np.eye(code.max() + 1)[code] for code in (item, rater))
    lower = np.zeros((1, 1) if slope is None else (2, 2))
    lower[np.tril_indices(len(lower))] = theta[1:]
    columns = [z_rater] if slope is None else [z_rater, z_rater * slope[:, None]]
    spread = lower @ lower.T
    v = np.eye(n) + theta[0] ** 2 * z_item @ z_item.T
    for a, first in enumerate(columns):
        for b, second in enumerate(columns):
            v = v + spread[a, b] * first @ second.T
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    left = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
    squares = left @ inverse @ left
    logdets = np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1]
    return logdets + (n - p) * (1 + np.log(2 * np.pi * squares / (n - p)))


def test_the_published_table_gives_the_published_variances():
    found = mixed_model(TABLE.ravel(), ITEM, RATER, smallest=4)
    assert found.variances["item"] == pytest.approx(2.555556, abs=1e-4)
    assert found.variances["rater"] == pytest.approx(5.244444, abs=1e-4)
    assert found.variances["residual"] == pytest.approx(1.019444, abs=1e-4)
    assert found.effects["intercept"].value == pytest.approx(5.291667, abs=1e-6)
    assert found.standard_errors["intercept"] == pytest.approx(1.333984, abs=1e-4)
    assert (found.flags, found.note) == ((), "")


@pytest.mark.parametrize("slope", [False, True])
def test_the_criterion_is_that_of_the_dense_covariance_matrix(slope):
    y, item, rater, source = world(1, 90, 12, 7)
    x = np.column_stack((np.ones(90), source))
    data = build_design(y, x, item, rater, source if slope else None)
    for theta in ([1.0, 0.5], [0.2, 2.0]) if not slope else ([1.0, 0.5, 0.3, 0.7], [0.3, 1.5, -0.4, 0.1]):
        expected = dense_criterion(y, x, item, rater, theta, source if slope else None)
        assert solve_blocks(data, np.array(theta)).criterion == pytest.approx(expected, abs=1e-8)


def test_no_other_variances_are_likelier():
    y, item, rater, source = world(2, 150, 20, 9)
    found = mixed_model(y, item, rater, {"source": source})
    ratio = np.sqrt([found.variances[side] / found.variances["residual"] for side in ("item", "rater")])
    x = np.column_stack((np.ones(150), source))
    best = dense_criterion(y, x, item, rater, ratio)
    for move in ([0.02, 0], [-0.02, 0], [0, 0.02], [0, -0.02]):
        assert dense_criterion(y, x, item, rater, ratio + move) > best


def test_more_raters_than_items_is_the_same_model_seen_from_the_other_side():
    y, item, rater, source = world(3, 400, 15, 60)
    found = mixed_model(y, item, rater, {"source": source})
    mirrored = mixed_model(y, rater, item, {"source": source})
    assert found.effects["source"].value == pytest.approx(mirrored.effects["source"].value, abs=1e-6)
    assert found.variances["item"] == pytest.approx(mirrored.variances["rater"], abs=1e-5)


def test_a_large_world_is_found_again_with_slopes():
    y, item, rater, source = world(4, 20_000, 2000, 150, slope_sd=0.4)
    found = mixed_model(y, item, rater, {"source": source}, slope="source")
    assert found.variances["item"] == pytest.approx(1, abs=0.1)
    assert found.variances["rater"] == pytest.approx(0.25, abs=0.05)
    assert found.variances["rater_slope"] == pytest.approx(0.16, abs=0.06)
    assert found.effects["source"].interval.low < 0.3 < found.effects["source"].interval.high


def test_origin_and_unit_of_the_ratings_do_not_matter():
    y, item, rater, source = world(5, 300, 30, 12)
    found, moved = (
        mixed_model(y, item, rater, {"source": source}),
        mixed_model(1e6 + 50 * y, item, rater, {"source": source / 7}),
    )
    assert moved.effects["source"].value == pytest.approx(350 * found.effects["source"].value, rel=1e-5)
    assert moved.variances["rater"] == pytest.approx(2500 * found.variances["rater"], rel=1e-3)
    assert moved.effects["intercept"].value == pytest.approx(1e6 + 50 * found.effects["intercept"].value, rel=1e-8)


def test_names_and_order_of_ratings_do_not_matter():
    y, item, rater, source = world(6, 200, 20, 10)
    order = np.random.default_rng(0).permutation(200)
    named = [f"text {i}" for i in item[order]], [f"worker {r}" for r in rater[order]]
    shuffled = mixed_model(y[order], *named, {"source": source[order]})
    found = mixed_model(y, item, rater, {"source": source})
    assert shuffled.effects["source"].value == pytest.approx(found.effects["source"].value, abs=1e-6)


def test_the_interval_of_an_effect_of_source_covers_it():
    hits = 0
    for seed in range(150):
        y, item, rater, source = world(100 + seed, 300, 30, 15)
        interval = mixed_model(y, item, rater, {"source": source}, draws=100).effects["source"].interval
        hits += interval.low <= 0.3 <= interval.high
    assert 0.90 <= hits / 150 <= 0.995  # 95 %, and four standard errors of it


def test_few_raters_are_refused_a_random_effect_in_a_sentence():
    found = mixed_model(TABLE.ravel(), ITEM, RATER, draws=200)
    assert found.flags == ("few_raters",)
    assert found.note.startswith("A random effect of raters needs 5 raters, and there are 4")
    assert found.variances == {}
    intercept = found.effects["intercept"]
    assert intercept.interval.method == "items and raters drawn with replacement, percentiles"
    assert intercept.interval.low < intercept.value < intercept.interval.high


def test_a_variance_of_zero_is_returned_flagged_and_the_bootstrap_shown_instead():
    rng = np.random.default_rng(7)
    item, rater = (axis.ravel() for axis in np.indices((20, 10)))
    y = rng.normal(size=200)
    y -= np.array([y[item == i].mean() for i in range(20)])[item]  # no two items differ
    found = mixed_model(y, item, rater, draws=200)
    assert found.flags == ("singular_fit",)
    assert found.variances["item"] == pytest.approx(0, abs=1e-6)
    assert "cluster bootstrap" in found.note
    assert found.effects["intercept"].settings["method"] == "bootstrap"


def test_an_optimiser_that_does_not_settle_is_flagged_and_the_bootstrap_shown_instead(monkeypatch):
    monkeypatch.setattr("metrics.inference.mixed_model.STATIONARY", 0.0)
    y, item, rater, source = world(10, 120, 12, 8)
    found = mixed_model(y, item, rater, {"source": source}, draws=50)
    assert found.flags == ("not_converged",)
    assert found.note.startswith("The optimizer did not settle")
    assert found.effects["source"].settings["method"] == "bootstrap"


def test_more_levels_than_the_dense_side_holds_are_named(monkeypatch):
    monkeypatch.setattr("metrics.inference.mixed_model.WIDEST", 5)
    y, item, rater, _ = world(11, 120, 12, 8)
    found = mixed_model(y, item, rater, draws=50)
    assert found.flags == ("too_many_levels",)
    assert found.note.startswith("12 items and 8 raters are more than")


def test_the_bootstrap_effects_are_least_squares():
    y, item, rater, source = world(8, 80, 10, 4)
    found = mixed_model(y, item, rater, {"source": source}, draws=50)
    assert found.effects["source"].value == pytest.approx(y[source == 1].mean() - y[source == 0].mean(), abs=1e-9)


def test_the_bootstrap_of_a_mean_spreads_as_the_resampled_means_do():
    y, item, rater, _ = world(9, 200, 12, 8)
    found = resample_pigeonhole(y, np.ones((200, 1)), item, rater, 4000, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    slow = []
    for _ in range(4000):
        chosen = [rng.integers(0, 12, 12), rng.integers(0, 8, 8)]
        weight = np.bincount(chosen[0], minlength=12)[item] * np.bincount(chosen[1], minlength=8)[rater]
        slow.append(np.average(y, weights=weight))
    assert found.draws.std() == pytest.approx(np.std(slow), rel=0.06)


def test_one_rater_resamples_items_only():
    found = mixed_model([1, 2, 3, 5], [1, 2, 3, 4], ["a"] * 4, draws=100)
    assert found.effects["intercept"].interval.method == "items drawn with replacement, percentiles"
    assert set(found.flags) == {"few_items", "few_raters"}


def test_all_ratings_equal_have_an_effect_and_no_interval():
    found = mixed_model([3] * 36, np.arange(36) // 6, np.arange(36) % 6)
    assert found.flags == ("no_variation",)
    assert (found.effects["intercept"].value, found.effects["intercept"].interval) == (3, None)


@pytest.mark.parametrize(("value", "item"), [([], []), ([1, 2], [1, 1]), ([1], [1])])
def test_no_rating_or_one_item_is_refused(value, item):
    with pytest.raises(InsufficientData):
        mixed_model(value, item, list(range(len(item))))


def test_an_effect_that_does_not_vary_is_refused():
    with pytest.raises(DegenerateInput, match="cannot be estimated separately"):
        mixed_model(TABLE.ravel(), ITEM, RATER, {"source": np.ones(24)})


@pytest.mark.parametrize(
    ("fixed", "options", "said"),
    [
        ({"source": ["human"] * 24}, {}, "column of numbers"),
        ({"source": [1, 2]}, {}, "each of the 24 ratings"),
        ({"source": [float("nan")] * 24}, {}, "row 1, column source"),
        ({"intercept": np.arange(24)}, {}, "of its own"),
        ({}, {"slope": "source"}, "one of the fixed effects"),
        ({}, {"level": 1}, "between 0 and 1"),
    ],
)
def test_odd_effects_are_refused(fixed, options, said):
    with pytest.raises(BadInput, match=said):
        mixed_model(TABLE.ravel(), ITEM, RATER, fixed, **options)
