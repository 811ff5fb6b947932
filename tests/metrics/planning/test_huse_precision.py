"""What the planner promises, held against studies of worlds that it does not know."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.errors import BadInput, InsufficientData
from metrics.huse.ratings_by_text import Rated, lay_out
from metrics.huse.subsampling import huse_arrays
from metrics.planning import expected_precision, fit_pilot, known_pilots, precision_table, prior_pilot
from metrics.planning.latent import Labels
from tests.benchmarks.worlds import WORLDS
from tests.metrics.factories import batch_items, batch_ratings


def plain_moments(impression: float, sd: float, lowest: int, highest: int) -> tuple[float, float]:
    labels = np.clip(np.rint(impression + sd * np.random.default_rng(1).normal(size=400_000)), lowest, highest)
    return float(labels.mean()), float(labels.var())


@pytest.mark.parametrize(("impression", "sd"), [(0.0, 0.6), (2.6, 1.1), (5.4, 0.9)])
def test_moments_of_a_label_are_those_of_many_draws(impression, sd):
    mean, variance = Labels(0, 5).moments(np.array([impression]), sd)
    assert (float(mean[0]), float(variance[0])) == pytest.approx(plain_moments(impression, sd, 0, 5), abs=0.01)


def test_impressions_and_spread_are_found_again():
    labels, felt = Labels(0, 5), np.linspace(0.5, 4.5, 9)
    means, variances = labels.moments(felt, 1.2)
    assert labels.sd_within(means, float(variances.mean())) == pytest.approx(1.2, abs=0.01)
    assert labels.impressions(means, 1.2) == pytest.approx(felt, abs=0.01)


@pytest.mark.parametrize(("name", "per_hit"), [("middle", 1), ("HITs interleaved", 25), ("unpaired", 1)])
def test_predicted_sd_is_that_of_400_studies_of_the_pilots_world(name, per_hit):
    """On the average of six pilots: one pilot's own texts may mislead by some 10 % more."""
    world, rng = WORLDS[name], np.random.default_rng(5)
    studies = [world.study(rng) for _ in range(400)]
    true = np.array([huse_arrays(made.sums, made.q, made.z) for made in studies]).std(axis=0, ddof=1)
    promised = []
    for made in studies[:6]:
        pilot = fit_pilot(made.rated, made.q, made.z, made.context)
        found = expected_precision(pilot, texts=200, raters=20, studies=150, per_hit=per_hit)
        promised.append([found.sd["huse"], found.sd["huse_q"]])
    assert np.mean(promised, axis=0) / true[:2] == pytest.approx([1, 1], abs=0.15)


@pytest.mark.needs_data
def test_a_pilot_of_the_released_study_expects_what_its_raters_showed(data_dir):
    """Published values at 20 raters, .53 and .60; means over raters drawn from the release: .59 at 10, .53 at 20."""
    items = batch_items(data_dir, 20)
    rated = lay_out(items, batch_ratings(data_dir))
    q = np.array([item.log_prob / item.length for item in items])
    pilot = fit_pilot(rated, q, np.array([item.source == "reference" for item in items]), labels=Labels(1, 6))
    ten, twenty = precision_table(pilot, [200], [10, 20], studies=200)
    assert twenty.mean["huse"] == pytest.approx(0.53, abs=0.05)
    assert twenty.mean["huse_q"] == pytest.approx(0.60, abs=0.05)
    assert ten.mean["huse"] == pytest.approx(0.59, abs=0.05)
    prior = expected_precision(prior_pilot("huse-2019-summarization"), texts=200, raters=20, studies=200)
    assert prior.sd["huse"] == pytest.approx(twenty.sd["huse"], rel=0.2)


def test_more_texts_and_more_raters_make_huse_q_more_exact():
    table = precision_table(prior_pilot("huse-2019-summarization"), [50, 200, 400], [5, 20], studies=80)
    sd = {(row.texts, row.raters): row.sd["huse_q"] for row in table}
    assert sd[50, 20] > sd[200, 20] > sd[400, 20]
    assert sd[200, 5] > sd[200, 20]
    assert [row.half_width("huse") for row in table] == pytest.approx([1.959964 * row.sd["huse"] for row in table])


def test_the_same_seed_gives_the_same_numbers_whatever_else_is_in_the_table():
    pilot = prior_pilot("huse-2019-summarization")
    alone = expected_precision(pilot, texts=100, raters=5, studies=20, seed=3)
    assert precision_table(pilot, [60, 100], [5], studies=20, seed=3)[1] == alone


def test_progress_counts_the_cells_of_the_table():
    told: list[tuple[int, int]] = []
    pilot = prior_pilot(next(iter(known_pilots())))
    precision_table(pilot, [60], [2, 3], studies=2, progress=lambda done, all_: told.append((done, all_)))
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    "wrong", [{"texts": 201}, {"texts": 16}, {"raters": 0}, {"per_hit": 0}, {"studies": 1}, {"seed": -1}]
)
def test_a_plan_that_cannot_be_simulated_is_refused(wrong):
    with pytest.raises(BadInput):
        expected_precision(prior_pilot("huse-2019-summarization"), **{"texts": 100, "raters": 5, "studies": 2, **wrong})


def test_a_pilot_too_small_to_learn_from_is_refused():
    few = Rated(np.ones((8, 3), dtype=int), np.tile(np.arange(3), (8, 1)), np.full(8, 3), 1, 3)
    with pytest.raises(InsufficientData, match="10 texts of each source"):
        fit_pilot(few, np.full(8, -1.0), np.arange(8) < 4)
    once = Rated(np.ones((40, 1), dtype=int), np.zeros((40, 1), dtype=int), np.ones(40, dtype=int), 1, 1)
    with pytest.raises(InsufficientData, match="2 ratings of each text"):
        fit_pilot(once, np.full(40, -1.0), np.arange(40) < 20)
    same = Rated(np.ones((40, 2), dtype=int), np.tile(np.arange(2), (40, 1)), np.full(40, 2), 1, 2)
    with pytest.raises(InsufficientData, match="same label"):
        fit_pilot(same, np.full(40, -1.0), np.arange(40) < 20)


def test_log_p_of_minus_infinity_stays_where_a_retrieval_model_has_it():
    made = WORLDS["middle"].study(np.random.default_rng(2))
    q = np.where(made.z, -np.inf, 0.0)
    pilot = fit_pilot(made.rated, q, made.z, made.context)
    assert expected_precision(pilot, texts=100, raters=5, studies=5).mean["huse"] == 0.0
