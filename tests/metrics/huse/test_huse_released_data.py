"""HUSE on the released summarisation study: published values, and values of the original code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics import evaluate
from metrics.huse.subsampling import huse_arrays
from tests.metrics.factories import batch_items, summary_items

pytestmark = pytest.mark.needs_data


def values(result) -> tuple[float, ...]:
    return result.huse.value, result.huse_q.value, result.huse_d.value, result.log_prob_only.value


def test_paper_mode_gives_the_published_values_to_the_last_bit(data_dir):
    result = evaluate(summary_items(data_dir), ["paper"], draws=0)["paper"]
    assert values(result) == (0.53, 0.5800000000000001, 0.95, 1.1600000000000001)


def test_exact_mode_gives_the_values_of_rational_arithmetic(data_dir):
    result = evaluate(summary_items(data_dir), ["exact"], draws=0)["exact"]
    assert values(result) == pytest.approx((0.53, 0.60, 0.93, 1.16), abs=1e-12)


@pytest.mark.parametrize(
    ("replicates", "huse", "quality", "diversity"),
    [
        (20, 0.53, 0.5800000000000001, 0.95),
        (10, 0.6699999999999999, 0.7, 0.97),
        (5, 0.7, 0.8, 0.8999999999999999),
        (3, 0.8300000000000001, 0.6799999999999999, 1.1500000000000001),
        (1, 0.52, 0.49, 1.03),
    ],
)
def test_paper_mode_on_first_replicates_is_the_original_to_the_last_bit(data_dir, replicates, huse, quality, diversity):
    result = evaluate(batch_items(data_dir, replicates), ["paper"], draws=0)["paper"]
    assert values(result)[:3] == (huse, quality, diversity)


def test_first_forty_of_each_source(data_dir):
    given = summary_items(data_dir)
    first = [item for s in ("model", "reference") for item in [i for i in given if i.source == s][:40]]
    both = evaluate(first, draws=0)
    assert values(both["paper"])[:3] == (0.6000000000000001, 0.7749999999999999, 0.8250000000000002)
    assert both["exact"].huse_q.value == 0.75


@pytest.mark.parametrize(
    ("vote_tie", "huse", "quality", "diversity", "log_prob"),
    [("half", 0.535, 0.60, 0.935, 1.105), ("model", 0.54, 0.60, 0.94, 1.05)],
)
def test_exact_mode_by_rule_for_tied_votes(data_dir, vote_tie, huse, quality, diversity, log_prob):
    result = evaluate(summary_items(data_dir), ["exact"], vote_tie=vote_tie, draws=0)["exact"]
    assert values(result) == pytest.approx((huse, quality, diversity, log_prob), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "huse"), [(5, 0.44), (9, 0.52), (13, 0.51), (15, 0.52), (16, 0.53), (17, 0.47), (21, 0.46), (31, 0.47)]
)
def test_sensitivity_to_k(data_dir, k, huse):
    assert evaluate(summary_items(data_dir), ["exact"], k=k, draws=0)["exact"].huse.value == pytest.approx(
        huse, abs=1e-12
    )


@pytest.mark.parametrize(
    ("k", "huse", "quality"),
    [
        (1, 0.55, 0.60),
        (3, 0.50, 0.65),
        (7, 0.48, 0.64),
        (14, 0.52, 0.58),
        (16, 0.47, 0.60),
        (25, 0.44, 0.59),
        (99, 0.59, 0.61),
    ],
)
def test_the_originals_sweep_over_its_own_k_which_is_ours_less_one(data_dir, k, huse, quality):
    result = evaluate(summary_items(data_dir), ["paper"], k=k + 1, draws=0)["paper"]
    assert values(result)[:2] == pytest.approx((huse, quality), abs=1e-12)


def test_labels_swapped_with_the_same_rule_for_ties(data_dir):
    other = {"model": "reference", "reference": "model"}
    swapped = [replace(item, source=other[item.source]) for item in summary_items(data_dir)]
    result = evaluate(swapped, ["paper"], draws=0)["paper"]
    assert values(result)[:2] == pytest.approx((0.54, 0.62), abs=1e-12)


def test_without_length_normalisation(data_dir):
    plain = evaluate([replace(item, length=1) for item in summary_items(data_dir)], draws=0)
    assert values(plain["exact"]) == pytest.approx((0.48, 0.60, 0.88, 0.85), abs=1e-12)
    assert values(plain["paper"]) == pytest.approx((0.48, 0.58, 0.90, 0.85), abs=1e-12)


def test_one_context_occurs_twice_on_each_side(data_dir):
    result = evaluate(batch_items(data_dir, 20), ["exact"], draws=50)["exact"]
    assert "duplicate_contexts" in result.huse.flags
    assert result.huse.settings["paired"] is True


def test_replicate_curve_lies_where_the_corrected_table_has_it(data_dir):
    # 400 draws of 10 of 20 ratings without replacement gave 0.591 (sd 0.055).
    rng = np.random.default_rng(3)
    ratings, q, z = ratings_of(data_dir)
    means = []
    for _ in range(100):
        chosen = np.take_along_axis(ratings, rng.random(ratings.shape).argsort(axis=1)[:, :10], axis=1)
        means.append(huse_arrays(chosen.sum(axis=1), q, z)[:2])
    assert np.mean(means, axis=0) == pytest.approx((0.591225, 0.668675), abs=4 * 0.067 / np.sqrt(100))


def ratings_of(data_dir):
    """Ratings (texts x 20), log p per token, is-reference."""
    totals = np.array([[int(item.hj * r) for item in batch_items(data_dir, r)] for r in range(1, 21)])
    last = batch_items(data_dir, 20)
    q = np.array([item.log_prob / item.length for item in last])
    return np.diff(totals, axis=0, prepend=0).T, q, np.array([item.source == "reference" for item in last])
