"""The raters' component and the binomial one: parts beside the interval, never the interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metrics import evaluate
from metrics.errors import BadInput, InsufficientData
from metrics.huse.rater_variance import main_effect, rater_errors
from metrics.huse.ratings_by_text import Rated
from metrics.huse.variance_components import binomial_component, evaluate_rated, rater_component
from metrics.inference.distributions import t_quantile
from tests.metrics.factories import batch_items, batch_ratings, rated_study


def test_wilson_doubled_gives_the_specified_numbers():
    found = binomial_component(2 * 53 / 200, 200, 0.90)
    assert (found.low, found.high) == pytest.approx((0.434106, 0.638440), abs=1e-6)
    assert found.method == "binomial, too narrow"


def test_wilson_at_the_ends_stays_within_what_huse_can_be():
    assert binomial_component(0, 50).low == 0
    assert binomial_component(2, 50).high == 2


@pytest.mark.parametrize("given", [(-0.1, 10), (2.1, 10), (1, 0), (math.nan, 10)])
def test_no_error_rate_is_refused(given):
    with pytest.raises(BadInput):
        binomial_component(*given)


def test_raters_who_agree_add_nothing():
    study, ratings = rated_study(30, 6)
    same = {item.id: ratings[6 * i].value for i, item in enumerate(study)}
    alike = [replace(rating, value=same[rating.item]) for rating in ratings]
    bare = [replace(item, hj=None) for item in study]
    found = rater_component(bare, alike, draws=20)
    assert (found.huse, found.huse_q, found.huse_d) == pytest.approx((0, 0, 0), abs=1e-12)


def test_a_pool_that_is_harsher_than_the_other_is_seen_and_noise_alone_is_not():
    rng = np.random.default_rng(4)
    z, context = np.arange(160) < 80, np.tile(np.arange(80), 2)
    rater = np.where(z[:, None], np.arange(12), 12 + np.arange(12))
    quality, q = rng.normal(size=160) * 3, rng.normal(size=160)
    noise = rng.normal(size=rater.shape)
    bias = np.repeat([6.0, -6.0, 6.0, -6.0], [8, 4, 4, 8])
    for shift, seen in ((np.zeros(24), False), (bias, True)):
        codes = np.rint(40 + quality[:, None] + shift[rater] + noise).astype(np.int64)
        rated = Rated(codes, rater, np.full(160, 12), 1, 24)
        errors = rater_errors(rated, q, z, np.random.default_rng(0), 200, context=context).errors
        assert (errors[1] > 0.1) == seen


def test_the_part_of_the_raters_is_the_main_effect_of_a_two_way_table():
    # A made-up measure, T = a + b: texts' halves differ by 2 a, workers' halves by 2 b, no interaction.
    tables = np.empty((2, 2, 1, 3))
    tables[:, :, 0, :] = np.array([[0.5, 0.9], [0.1, 0.5]])[:, :, None]
    # Workers' halves differ by .4 in both halves of the texts: standard error at full size .4 / 2.
    assert main_effect(tables, 0.0).errors == pytest.approx([0.2, 0.2, 0.2])
    tables[1, 1] += 0.4  # now by .4 and .8: main .6, interaction .2
    assert main_effect(tables, 0.0).errors == pytest.approx([math.sqrt(0.36 - 0.04) / 2] * 3)


def test_the_component_has_an_interval_that_says_it_is_a_component():
    found = rater_component(*rated_study(30, 6, apart=True), draws=50)
    assert found.raters == 12
    interval = found.interval("huse", 0.5, 0.95)
    assert interval.high - 0.5 == pytest.approx(1.959964 * found.huse, abs=1e-6)
    assert "component" in interval.method


def test_pools_of_one_source_are_seen():
    found = rater_component(*rated_study(30, 6, apart=True), draws=20)
    assert (found.raters, found.single_source_share, found.flags) == (12, 1, ("raters_saw_one_source",))


def test_texts_that_lose_all_ratings_leave_with_their_context():
    study, ratings = rated_study(30, 8)
    few = [rating for rating in ratings if rating.item != "r0" or rating.rater in ("w0", "w1")]
    found = rater_component([replace(item, hj=None) for item in study], few, draws=50)
    assert 0 < found.texts_lost < 1


def test_too_few_workers_are_refused():
    with pytest.raises(InsufficientData, match="4 workers"):
        rater_component(*rated_study(30, 3))


def test_interleaved_ratings_give_what_evaluate_gives():
    study, ratings = rated_study(40, 6)
    assert evaluate_rated(study, ratings) == evaluate(study)


def test_pools_of_one_source_widen_the_interval_by_their_component():
    study, ratings = rated_study(40, 6, apart=True)
    plain = evaluate(study, ["exact"])["exact"].huse_d
    wide = evaluate_rated(study, ratings, ["exact"])["exact"].huse_d
    part, own = rater_component(study, ratings), plain.settings["standard_error"]
    # Satterthwaite: 39 degrees of freedom for the texts, 10 for the 12 workers.
    both = own**2 + part.huse_d**2
    freedom = both**2 / (own**4 / 39 + part.huse_d**4 / 10)
    t = t_quantile(0.975, freedom)
    # A score interval over 80 texts: shorter by sqrt(1 + t^2 / 80), and bent a little.
    half = t * math.sqrt(both / (1 + t**2 / 80))
    assert (wide.interval.high - wide.interval.low) / 2 == pytest.approx(half, rel=0.005)
    assert (wide.value, wide.interval.method) == (plain.value, "half-samples of texts and of raters")
    assert {"raters_differ_by_source", "raters_saw_one_source"} <= set(wide.flags)
    assert "other raters" in wide.interval.target


def test_too_few_workers_for_a_component_leave_a_flag_that_the_interval_is_too_narrow():
    huse = evaluate_rated(*rated_study(40, 1, apart=True), ["exact"])["exact"].huse
    assert huse.interval is not None
    assert {"interval_without_raters", "raters_differ_by_source"} <= set(huse.flags)


def test_without_draws_the_design_is_still_flagged():
    huse = evaluate_rated(*rated_study(40, 6, apart=True), ["exact"], draws=0)["exact"].huse
    assert (huse.interval, "raters_saw_one_source" in huse.flags) == (None, True)


def test_the_same_seed_gives_the_same_component():
    study, ratings = rated_study(30, 6)
    assert rater_component(study, ratings, draws=9, seed=5) == rater_component(study, ratings, draws=9, seed=5)


@pytest.mark.needs_data
def test_the_released_study_was_rated_mostly_by_workers_of_one_source(data_dir):
    # 41 workers saw model HITs only, 39 reference HITs only; 13 both. Of these 13, the ratings are 25 an assignment.
    study, ratings = batch_items(data_dir, 20), batch_ratings(data_dir)
    sources = {item.id: item.source for item in study}
    seen: dict[str, set[str]] = {}
    for rating in ratings:
        seen.setdefault(rating.rater, set()).add(sources[rating.item])
    assert (len(seen), sum(len(kinds) == 2 for kinds in seen.values())) == (93, 13)
    found = rater_component(study, ratings, draws=20)
    one = np.mean([len(seen[rating.rater]) == 1 for rating in ratings])
    assert found.single_source_share == pytest.approx(one)
    assert "raters_saw_one_source" in found.flags
