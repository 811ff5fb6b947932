"""Predictions per text, and the shading behind them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metrics import evaluate
from metrics.errors import BadInput, DegenerateInput
from metrics.huse.decision_surface import classify, reference_share
from tests.metrics.factories import items, summary_items
from tests.metrics.huse.test_huse import EXAMPLE_B, many
from tests.metrics.huse.test_huse_properties import features
from tests.metrics.plain import fraction_votes


def test_only_the_first_model_text_of_the_example_is_wrong():
    assert [found.id for found in classify(EXAMPLE_B, k=3) if not found.correct] == ["m0"]


def test_shares_are_those_of_rational_arithmetic():
    hj, q, z = features(EXAMPLE_B)
    votes = fraction_votes([hj, q], z, 3)
    assert [found.share for found in classify(EXAMPLE_B, k=3)] == [ref / (ref + model) for ref, model in votes]
    assert [found.neighbors for found in classify(EXAMPLE_B, k=3)] == [ref + model for ref, model in votes]


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_twice_the_share_of_wrong_predictions_is_huse(mode):
    study = many(40, seed=2)
    wrong = np.mean([not found.correct for found in classify(study, mode)])
    assert 2 * wrong == pytest.approx(evaluate(study, [mode], draws=0)[mode].huse.value)


def test_a_tied_vote_left_open_predicts_nothing():
    # r0 sees one reference and one model at the same distance.
    study = items([(2, -1.0), (1, -1.0)], [(3, -1.0), (9, -1.0)])
    found = classify(study, k=1, vote_tie="half")[0]
    assert (found.share, found.neighbors, found.predicted, found.correct) == (0.5, 2, None, False)
    assert classify(study, k=1)[0].predicted == "reference"


def test_without_variance_every_share_is_a_half():
    assert {found.share for found in classify(items([(3, -1.0)] * 10, [(3, -1.0)] * 10))} == {0.5}


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_the_grid_is_the_share_among_the_nearest_texts(mode):
    study = many(20, seed=4)
    hj, q = np.array([float(i.hj) for i in study]), np.array([i.log_prob for i in study])
    grid = reference_share(study, [2.0, 3.1], [-4.0, -2.5, -1.0], mode)
    assert grid.shape == (3, 2)
    distance = ((hj - 3.1) / hj.std()) ** 2 + ((q + 2.5) / q.std()) ** 2
    near = distance <= np.sort(distance)[15]
    assert grid[1, 1] == np.mean([study[i].source == "reference" for i in np.flatnonzero(near)])


def test_the_grid_does_not_change_with_the_unit_of_hj():
    study = many(20, seed=4)
    doubled = [replace(item, hj=item.hj * 2 + 1) for item in study]
    one, two = reference_share(study, [2.0, 3.0], [-3.0]), reference_share(doubled, [5.0, 7.0], [-3.0])
    assert one.tolist() == two.tolist()


def test_items_at_minus_infinity_have_no_place_on_the_grid():
    study = many(20)
    # One of each source, so that the votes of both weigh the same in the rest too.
    away = ("r0", "m0")
    at_infinity = [replace(item, log_prob=-math.inf) if item.id in away else item for item in study]
    rest = [item for item in study if item.id not in away]
    # The scale of HJ is over all items in the one and over the rest in the other: far corners do not feel it.
    one, two = (reference_share(given, [-1000.0], [-3.0]) for given in (at_infinity, rest))
    assert one.tolist() == two.tolist()


def test_a_study_all_at_minus_infinity_has_no_plane():
    study = [replace(item, log_prob=-math.inf) for item in many()]
    with pytest.raises(DegenerateInput, match="-inf"):
        reference_share(study, [1.0], [-1.0])


@pytest.mark.parametrize("point", [math.nan, math.inf])
def test_grid_points_are_finite(point):
    with pytest.raises(BadInput, match="finite"):
        reference_share(many(), [point], [-1.0])


def test_an_unknown_mode_is_refused():
    with pytest.raises(BadInput, match="'exact' or 'paper'"):
        classify(many(), "fast")  # type: ignore[arg-type]


@pytest.mark.needs_data
def test_on_the_released_data_53_texts_are_wrong_32_of_them_models(data_dir):
    found = [one for one in classify(summary_items(data_dir), "paper") if not one.correct]
    assert (len(found), sum(one.source == "model" for one in found)) == (53, 32)


@pytest.mark.needs_data
def test_on_the_released_data_every_text_has_16_neighbours_and_13_votes_tie(data_dir):
    found = classify(summary_items(data_dir), "paper")
    assert {one.neighbors for one in found} == {16}
    tied = [one for one in found if one.share == 0.5]
    assert (len(tied), sum(one.source == "model" for one in tied)) == (13, 6)
