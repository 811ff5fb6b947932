"""Ties that rounding would hide, and near-ties that a tolerance would invent."""

from __future__ import annotations

import math

import pytest

from metrics.data.items import check_items
from metrics.huse.classifier import Classifier
from tests.metrics.factories import Pairs, items

BOTH, LOG_PROB = ("hj", "log_prob"), ("log_prob",)


def neighbors(reference: Pairs, model: Pairs, features: tuple[str, ...], k: int = 1) -> list[int]:
    """How many neighbours each item has in exact mode."""
    return Classifier(check_items(items(reference, model), k=k), "exact", k).votes(features).count.tolist()


def test_tenths_tie_though_their_floats_do_not():
    # -0.1, -0.2, -0.3: the float gaps are 0.1 and 0.09999999999999998.
    assert neighbors([(1, -0.3), (2, -0.2)], [(3, -0.1), (4, -5.0)], LOG_PROB)[1] == 2


def test_tenths_tie_in_the_plane():
    assert neighbors([(1, -0.3), (1, -0.2)], [(1, -0.1), (9, -5.0)], BOTH)[1] == 2


@pytest.mark.parametrize("features", [BOTH, LOG_PROB])
def test_a_near_tie_to_thirteen_digits_is_no_tie(features):
    assert neighbors([(1, -1.0), (1, -2.0)], [(1, -3.0000000000001), (9, -50.0)], features)[1] == 1


def test_distances_through_different_features_tie_where_their_variances_say_so():
    # HJ over all eight and log p over the five finite ones have the same variance (found by search): from (4, -5),
    # both (3, -1) and (0, -4) lie at squared distance 17 / 2.
    finite = [(4, -5.0), (3, -1.0), (0, -4.0), (0, -3.0), (1, -2.0)]
    assert neighbors(finite, [(2, -math.inf), (2, -math.inf), (0, -math.inf)], BOTH)[0] == 2


@pytest.mark.parametrize(("last", "count"), [("-1.2469135780246", 2), ("-1.2469135780247", 1)])
def test_log_probs_of_many_digits_are_compared_as_written(last, count):
    # Around -1.1234567890123 the gap to -1 is 0.1234567890123, and so is the gap to the first, not to the second.
    assert neighbors([(1, -1.0), (1, -1.1234567890123)], [(1, float(last)), (9, -50.0)], LOG_PROB)[1] == count
