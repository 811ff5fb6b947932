"""The interval: what is drawn, what it rests on, and that fast equals slow."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import Item, evaluate
from metrics.huse import batch as batch_module
from metrics.huse.subsampling import (
    context_numbers,
    draw_subsamples,
    huse_arrays,
    neighbours_in,
    slower_decrease,
    smallest_draw,
    split_texts,
    subsample_sd,
)
from metrics.huse.subsets import Study
from metrics.inference.error_rate_intervals import subsample_interval
from tests.metrics.plain import fraction_twice_error, loop_twice_error


def arrays(n: int = 30, seed: int = 0, lattice: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    if lattice:  # few values, so that ties in the plane abound
        return rng.integers(0, 6, 2 * n), rng.integers(-5, 0, 2 * n) / 8, np.arange(2 * n) < n
    return rng.integers(20, 100, 2 * n), -rng.gamma(2, 1, 2 * n), np.arange(2 * n) < n


def as_items(sums: np.ndarray, q: np.ndarray, z: np.ndarray, context: bool = True) -> list[Item]:
    n = int(z.sum())
    return [
        Item(
            str(i),
            "reference" if z[i] else "model",
            Fraction(int(sums[i]), 20),
            float(q[i]),
            1,
            str(i % n) if context else None,
        )
        for i in range(len(z))
    ]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**30), st.integers(9, 30), st.integers(1, 16), st.booleans())
def test_arrays_give_the_values_of_exact_mode(seed, n, k, lattice):
    sums, q, z = arrays(n, seed, lattice)
    result = evaluate(as_items(sums, q, z), ["exact"], k=k, draws=0)["exact"]
    expected = (result.huse.value, result.huse_q.value, result.huse_d.value)
    assert huse_arrays(sums, q, z, k) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**30), st.sampled_from([0, 1, -1]))
def test_subsets_at_once_are_subsets_one_by_one(seed, tie):
    sums, q, z = arrays(12, seed, lattice=True)
    rng = np.random.default_rng(seed)
    chosen = np.array([np.concatenate((rng.permutation(12)[:6], 12 + rng.permutation(12)[:6])) for _ in range(4)])
    found = Study(sums, q, z, 3, tie).values(chosen)
    vote_tie = {1: "reference", 0: "half", -1: "model"}[tie]
    for row, huse, quality, log_prob in zip(chosen, found.huse, found.huse_q, found.log_prob_only, strict=True):
        hj, logs, truth = [Fraction(int(s)) for s in sums[row]], [Fraction(float(v)) for v in q[row]], z[row].tolist()
        for value, features in ((huse, [hj, logs]), (quality, [hj]), (log_prob, [logs])):
            assert value == pytest.approx(float(fraction_twice_error(features, truth, 3, vote_tie)), abs=1e-12)


@pytest.mark.parametrize("unit", [1.0, 1e4, 1e-300])
def test_minus_infinity_in_subsets_agrees_with_exact_mode(unit):
    sums, q, z = arrays(40, 5)
    q = q * unit
    q[np.random.default_rng(1).choice(80, 25, replace=False)] = -math.inf
    result = evaluate(as_items(sums, q, z), ["exact"], draws=0)["exact"]
    values = Study(sums, q, z).values(np.arange(80)[None, :])
    assert values.huse[0] == pytest.approx(result.huse.value)
    assert values.log_prob_only[0] == pytest.approx(result.log_prob_only.value)


def test_large_subsets_agree_with_small_ones(monkeypatch):
    sums, q, z = arrays(150, 2)
    everything = np.arange(300)[None, :]
    small = Study(sums, q, z).values(everything)
    monkeypatch.setattr(batch_module, "TREE_ABOVE", 100)
    assert Study(sums, q, z).values(everything) == small


def test_a_subset_without_variance_has_value_one():
    values = Study(np.ones(40), np.full(40, -1.0), np.arange(40) < 20).values(np.arange(40)[None, :])
    assert (values.huse[0], values.huse_q[0], values.huse_d[0]) == (1, 1, 1)


def test_paired_draws_hold_both_sides_of_each_context():
    z, context = np.arange(60) < 30, np.tile(np.arange(30), 2)
    for rows in draw_subsamples(z, context, np.random.default_rng(0), 50, 0.4).__next__():
        assert rows.shape == (50, 24)
        for row in rows:
            assert sorted(context[row[z[row]]]) == sorted(context[row[~z[row]]])


def test_unpaired_draws_take_the_same_share_of_each_source_without_repeats():
    z = np.arange(90) < 30
    (rows,) = next(draw_subsamples(z, None, np.random.default_rng(0), 40, 0.5))
    assert all(len(set(row)) == 45 and z[row].sum() == 15 for row in rows.tolist() for row in [np.array(row)])


def test_contexts_of_several_texts_are_drawn_whole():
    z = np.array([True, True, False, False] * 10)
    context = np.repeat(np.arange(10), 4)
    context[36:] = 0  # eight texts in one context
    context = np.unique(context, return_inverse=True)[1]
    for rows in next(draw_subsamples(z, context, np.random.default_rng(0), 30, 0.5)):
        for row in rows:
            drawn = set(context[row])
            assert set(np.flatnonzero(np.isin(context, list(drawn)))) == set(row)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**30), st.integers(2, 21), st.booleans())
def test_the_two_halves_of_a_split_have_no_context_in_common_and_equally_many(seed, contexts, paired):
    z = np.arange(2 * contexts) < contexts
    context = np.tile(np.arange(contexts), 2) if paired else None
    first, second = np.split(split_texts(z, context, np.random.default_rng(seed), 5), 2)
    assert not (first & second).any()
    for half in (first, second):
        assert (half[:, z].sum(axis=1) == contexts // 2).all()
        assert (half[:, ~z].sum(axis=1) == contexts // 2).all()
    if paired:
        assert (first[:, z] == first[:, ~z]).all()


def test_neighbours_in_a_half_fall_with_the_root_of_its_share():
    assert [neighbours_in(0.5, k) for k in (1, 3, 16, 31)] == [1, 2, 11, 22]


def test_the_standard_error_is_that_of_a_loop_over_splits_with_the_originals_classifier():
    # The same splits by seed; half of the mean of (first - second)^2 / 2 is the variance at full size.
    sums, q, z = arrays(40, 6)
    context = np.tile(np.arange(40), 2)
    squares = []
    for first, second in zip(*np.split(split_texts(z, context, np.random.default_rng(9), 12), 2), strict=True):
        values = []
        for half in (first, second):
            features = np.column_stack((sums[half], q[half])).astype(float)
            model = (~z[half]).astype(int)
            both = loop_twice_error(features, model, k=11, tolerance=1e-12)
            quality = loop_twice_error(features[:, :1], model, k=11, tolerance=1e-12)
            values.append((both, quality, 1 + both - quality))
        squares.append(np.subtract(*values) ** 2)
    model = (~z).astype(int)
    quality = loop_twice_error(np.column_stack((sums,)).astype(float), model, k=16, tolerance=1e-12)
    assert quality > 1, "so that HUSE-Q and HUSE-D are raised by all of 6 %"
    slower = 1.06
    expected = np.sqrt(np.mean(squares, axis=0) / 4) * (1, slower, slower)
    found = subsample_sd(sums, q, z, np.random.default_rng(9), 24, context=context)
    assert (found.huse, found.huse_q, found.huse_d) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(("quality", "raised"), [(0.0, 1), (0.6, 1), (0.8, 1.03), (1.0, 1.06), (1.3, 1.06)])
def test_standard_errors_are_raised_in_a_line_from_a_quality_of_point_six_to_one(quality: float, raised: float):
    assert slower_decrease(quality) == pytest.approx(raised)


def test_the_interval_of_huse_is_wilsons_doubled_with_the_texts_that_the_variance_is_worth():
    # sd .1 of twice an error rate of .25: p (1 - p) / .05^2 = 75 texts; Wilson's score interval solved for p.
    interval = subsample_interval(0.5, 0.1, 200, 0.95)
    for end in (interval.low / 2, interval.high / 2):
        assert (end - 0.25) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 75, rel=1e-6)
    assert interval.target.startswith("expectation of the estimator")


def tango(wrong_by_one: int, wrong_by_other: int, n: int, z: float) -> list[float]:
    """Ends of Tango's interval (1998) of a difference of paired shares: where his score statistic passes -+ z."""

    def score(d: float) -> float:
        b, c = wrong_by_one, wrong_by_other
        middle, last = -b - c + (2 * n - b + c) * d, -c * d * (1 - d)
        fewer = (math.sqrt(middle**2 - 8 * n * last) - middle) / (4 * n)
        return (b - c - n * d) / math.sqrt(n * (2 * fewer + d * (1 - d)))

    grid = np.linspace(-0.5, 0.5, 100_001)
    inside = [d for d in grid if abs(score(d)) <= z]
    return [min(inside), max(inside)]


@pytest.mark.parametrize(("one", "other"), [(30, 28), (28, 30), (40, 22), (12, 30)])
def test_the_interval_of_huse_d_is_that_of_a_difference_of_paired_shares(one, other):
    # HUSE-D is 1 + 2 d, d = (one - other) / n; the variance of d is (share of both - d^2) / n.
    n, d = 200, (one - other) / 200
    sd = 2 * math.sqrt(((one + other) / n - d**2) / n)
    interval = subsample_interval(1 + 2 * d, sd, n, 0.95, difference=True)
    expected = [1 + 2 * end for end in tango(one, other, n, 1.984217)]  # t with 99 degrees of freedom
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=0.01)


def test_where_as_many_texts_are_wrong_by_either_rule_huse_d_takes_t_standard_errors():
    # The variance less the squared difference leaves t sd / sqrt(1 + t^2 / n); t with 99 degrees of freedom: 1.984217.
    interval = subsample_interval(1.0, 0.2, 200, 0.95, difference=True)
    half = 1.984217 * 0.2 / math.sqrt(1 + 1.984217**2 / 200)
    assert (interval.low, interval.high) == pytest.approx((1 - half, 1 + half), abs=1e-6)


def test_a_huse_d_is_not_surer_than_one_error_more_would_leave_it():
    # |HUSE - HUSE-Q| = 0 of 200 texts and one error and one hit added: 2 sqrt(p (1 - p) / 202), p = 1 / 202.
    p = 1 / 202
    interval = subsample_interval(1.0, 0.0, 200, 0.95, difference=True)
    half = 1.984217 * 2 * math.sqrt(p * (1 - p) / 202) / math.sqrt(1 + 1.984217**2 / 200)
    assert interval.high - 1 == pytest.approx(half, abs=1e-6)


def test_where_huse_d_leans_to_one_side_its_interval_is_wider_on_that_side():
    # 6 of 200 texts more wrong by HJ alone than by both: with a rate of 0 nearer, fewer would be by chance.
    interval = subsample_interval(0.94, 0.025, 200, 0.95, difference=True)
    assert 0.94 - interval.low > 1.3 * (interval.high - 0.94)


def test_no_errors_at_all_leave_the_interval_open_above():
    # Wilson's upper end of 0 of 200: z^2 / (200 + z^2), doubled.
    interval = subsample_interval(0.0, 0.0, 200, 0.95)
    assert (interval.low, interval.high) == pytest.approx((0, 2 * 3.841459 / 203.841459), abs=1e-6)


def test_intervals_of_both_levels_come_from_the_same_draws():
    study = as_items(*arrays(50))
    wide, narrow = (evaluate(study, ["exact"], level=level)["exact"].huse_d.interval for level in (0.95, 0.90))
    # t with 49 degrees of freedom; the score interval shrinks the ratio a little.
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(2.009575 / 1.676551, rel=0.02)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    study = as_items(*arrays(50))
    one, again, other = (evaluate(study, seed=seed)["exact"].huse.interval for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_the_interval_is_not_clipped_to_what_huse_can_be():
    study = as_items(*arrays(50, seed=3))
    interval = evaluate(study, ["exact"])["exact"].huse_d.interval
    assert interval.high > 1


def test_too_few_texts_for_a_subsample_have_no_interval_and_say_so():
    estimate = evaluate(as_items(*arrays(16)), ["exact"])["exact"].huse
    assert estimate.interval is None
    assert "too_few_for_interval" in estimate.flags


def test_texts_with_contexts_on_one_side_only_are_unpaired():
    study = as_items(*arrays(20))
    study[0] = replace(study[0], context="elsewhere")
    z = np.array([item.source == "reference" for item in study])
    assert context_numbers([item.context for item in study], z) is None
    assert smallest_draw(z, None, 16) == 20


def test_standard_errors_shrink_with_the_number_of_texts():
    small, large = (subsample_sd(*arrays(n), np.random.default_rng(0), 200).huse for n in (50, 200))
    assert large < small


def test_the_standard_error_is_the_spread_between_studies():
    # One normal feature two sd apart plus noise in the other: 300 studies against the mean standard error.
    rng = np.random.default_rng(7)
    z = np.arange(200) < 100
    values, errors = [], []
    for _ in range(300):
        sums = np.rint(60 + 15 * rng.normal(size=200) + 20 * z).astype(np.int64)
        q = rng.normal(size=200)
        values.append(huse_arrays(sums, q, z)[0])
        if len(errors) < 60:
            errors.append(subsample_sd(sums, q, z, rng, 100).huse)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_many_draws_of_many_texts_come_in_batches(monkeypatch):
    from metrics.huse import subsampling as resampling

    monkeypatch.setattr(resampling, "BATCH_CELLS", 600)
    sums, q, z = arrays(30)
    sizes = [sum(len(rows) for rows in batch) for batch in draw_subsamples(z, None, np.random.default_rng(0), 25, 0.5)]
    assert sizes == [10, 10, 5]
    assert subsample_sd(sums, q, z, np.random.default_rng(0), 25).huse > 0
