"""The raters' component and the binomial one: parts beside the interval, never the interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metrics import BadInput, InsufficientData, evaluate
from metrics.components import binomial_component, evaluate_rated, rater_component
from tests.metrics.make import batch_items, batch_ratings, rated_study


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


def test_raters_who_differ_add_something():
    found = rater_component(*rated_study(30, 6), draws=50)
    assert min(found.huse, found.huse_q, found.huse_d) > 0
    assert (found.raters, found.one_source_share, found.flags) == (6, 0, ())
    interval = found.interval("huse", 0.5, 0.95)
    assert interval.high - 0.5 == pytest.approx(1.959964 * found.huse, abs=1e-6)
    assert "component" in interval.method


def test_pools_of_one_source_are_seen():
    found = rater_component(*rated_study(30, 6, apart=True), draws=20)
    assert (found.raters, found.one_source_share, found.flags) == (12, 1, ("raters_saw_one_source",))


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
    plain, wide = evaluate(study, ["exact"])["exact"].huse, evaluate_rated(study, ratings, ["exact"])["exact"].huse
    part = rater_component(study, ratings)
    half = math.hypot((plain.interval.high - plain.interval.low) / 2, 1.959964 * part.huse)
    assert wide.interval.high - wide.value == pytest.approx(half, abs=1e-6)
    assert (wide.value, wide.interval.method) == (plain.value, "subsamples and raters")
    assert "raters_saw_one_source" in wide.flags


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
    assert found.one_source_share == pytest.approx(one)
    assert found.flags == ("raters_saw_one_source",)
