"""HUSE: the specification's examples and its edge cases."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from metrics import Item, evaluate
from metrics.data.items import check_items
from metrics.errors import BadInput, InsufficientData, MissingLogProb, SingleSource
from metrics.huse.classifier import Classifier
from metrics.huse.neighbors_1d import line_votes
from metrics.types import HuseResult
from tests.metrics.factories import items

EXAMPLE_B = items(
    [("4.5", -2.0), ("4.0", -3.5), ("3.5", -2.5), ("3.0", -4.0)],
    [("4.2", -1.0), ("3.2", -1.5), ("2.5", -0.5), ("1.5", -2.2)],
)


def exact(given: list[Item], **options: object) -> HuseResult:
    return evaluate(given, ["exact"], draws=0, **options)["exact"]  # type: ignore[arg-type]


def paper(given: list[Item], **options: object) -> HuseResult:
    return evaluate(given, ["paper"], draws=0, **options)["paper"]  # type: ignore[arg-type]


def many(n: int = 20, seed: int = 0) -> list[Item]:
    rng = np.random.default_rng(seed)
    drawn = zip(rng.integers(20, 100, 2 * n), rng.normal(-3, 1, 2 * n), strict=True)
    pairs = [(Fraction(int(s), 20), float(q)) for s, q in drawn]
    return items([(h, min(q, 0.0)) for h, q in pairs[:n]], [(h, min(q, 0.0)) for h, q in pairs[n:]])


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_example_a_separates_by_hj_alone_when_log_prob_is_constant(mode):
    given = items([(5, -1.0)] * 4, [(1, -1.0)] * 4)
    result = evaluate(given, [mode], k=3, draws=0)[mode]
    assert (result.huse.value, result.huse_q.value, result.huse_d.value) == (0, 0, 1)
    assert "zero_variance_log_prob" in result.huse.flags


def test_example_b_gives_the_hand_computed_values():
    result = exact(EXAMPLE_B, k=3)
    assert (result.huse.value, result.huse_q.value, result.huse_d.value) == (0.25, 1.0, 0.25)


def test_example_b_with_half_an_error_for_a_tied_vote():
    result = exact(EXAMPLE_B, k=3, vote_tie="half")
    assert (result.huse_q.value, result.huse_d.value) == (0.875, 0.375)


def test_example_b_with_tied_votes_given_to_the_model():
    # The one tied vote of HUSE-Q is the model text 2.5: right when the model gets it.
    assert exact(EXAMPLE_B, k=3, vote_tie="model").huse_q.value == 0.75


def test_normal_distributions_two_apart_approach_the_limit_of_sixteen_neighbours():
    rng = np.random.default_rng(5)
    n = 200_000
    sign = np.repeat([1, -1], n)
    votes = line_votes(np.concatenate((rng.normal(0, 1, n), rng.normal(2, 1, n))), sign, 16)
    predicted = np.where(votes.balance >= 0, 1, -1)
    assert 2 * np.mean(predicted != sign) == pytest.approx(0.3329, abs=0.004)  # sd 0.0012


def test_paper_mode_puts_minus_a_thousand_for_minus_infinity_before_dividing():
    given = [
        Item("a", "reference", Fraction(1), -20.0, 10),
        Item("b", "model", Fraction(2), -math.inf, 12),
        Item("c", "reference", Fraction(3), -30.0, 8),
        Item("d", "model", Fraction(3), -30.0, 8),
    ]
    q = Classifier(check_items(given, k=1), "paper", 1).q
    assert q[:3] == pytest.approx([-2, -83.333333, -3.75], abs=1e-6)


def test_log_prob_is_divided_by_length():
    given = [replace(item, log_prob=-12.0, length=4) for item in many(3)]
    assert Classifier(check_items(given, k=3), "exact", 3).q.tolist() == [-3.0] * 6


def test_no_variance_at_all_gives_one_and_says_so():
    result = exact(items([(3, -1.0)] * 10, [(3, -1.0)] * 10))
    assert (result.huse.value, result.huse_q.value, result.huse_d.value) == (1, 1, 1)
    assert {"no_variance", "zero_variance_hj", "zero_variance_log_prob"} <= set(result.huse.flags)
    assert result.huse.interval is None


def test_equal_exact_log_probs_have_no_variance_though_their_floats_differ():
    given = items([(h, -0.1) for h in (1, 2, 3, 4)], [(h, -0.1) for h in (2, 3, 4, 5)])
    given[0] = replace(given[0], log_prob=-0.3, length=3)  # -0.3 / 3 is not -0.1 in floats
    assert "zero_variance_log_prob" in exact(given, k=3).huse.flags


def test_one_class_is_an_error():
    with pytest.raises(SingleSource, match="all 20 items are model"):
        evaluate(items([], [(3, -1.0)] * 20))


def test_one_item_of_a_source_is_too_few():
    with pytest.raises(InsufficientData, match="2 items of each source"):
        evaluate(items([(3, -1.0)], [(2, -1.0)] * 20))


def test_sixteen_items_are_too_few_for_sixteen_neighbours_and_seventeen_are_enough():
    given = many(9)
    with pytest.raises(InsufficientData, match="k=16 needs at least 17 items, and there are 16"):
        evaluate(given[:8] + given[9:17])
    assert exact(given[:9] + given[9:17]).huse.n == 17


def test_the_message_on_too_few_items_suggests_an_odd_k():
    with pytest.raises(InsufficientData, match="odd k of at most 7"):
        evaluate(items([(3, -1.0)] * 4, [(2, -1.0)] * 4))


def test_nothing_left_names_the_filter_that_removed_the_most():
    with pytest.raises(InsufficientData, match="'attention check' removed the most \\(30\\)"):
        evaluate([], removed={"too fast": 10, "attention check": 30})


def test_unbalanced_sources_weigh_the_same():
    # Three references far apart from five models: nothing is wrong but the references, with k = 3.
    given = items([(9, -9.0), (9, -9.5), (9, -10.0)], [(1, -1.0), (1, -1.5), (1, -2.0), (1, -2.5), (1, -3.0)])
    result = exact(given, k=3)
    # each reference sees 2 references and its nearest model: right; the models see models only
    assert result.huse.value == 0
    assert "unbalanced" in result.huse.flags


def test_unbalanced_error_is_the_mean_of_both_sources_errors():
    # A reference sees the other one and 2 models: outvoted raw, not where 1 of 1 counts more than 2 of 5.
    given = items([(9, -9.0), (8, -9.5)], [(1, -1.0), (1, -1.5), (1, -2.0), (1, -2.5), (1, -3.0)])
    found = evaluate(given, k=3, draws=0)
    assert found["paper"].huse.value == 1.0  # both references wrong, no model wrong: 2 * (1 + 0) / 2
    assert found["exact"].huse.value == 0.0


def test_above_one_is_flagged_and_not_clipped():
    # Pairs of one reference and one model side by side: the nearest other text is always of the other source.
    pairs = range(10, 100, 10)
    result = exact(items([(h, -h - 0.5) for h in pairs], [(h + 1, -h - 0.6) for h in pairs]), k=1)
    assert result.huse.value == 2.0
    assert "above_one" in result.huse.flags


def test_huse_d_out_of_range_is_flagged_and_not_clipped():
    result = exact(EXAMPLE_B, k=5)
    inside = 0 <= result.huse_d.value <= 1
    assert ("out_of_range" in result.huse_d.flags) is not inside
    far = exact(items([(1, -1.0), (2, -9.0), (1, -2.0)] * 2, [(2, -1.5), (1, -9.5), (2, -2.5)] * 2), k=1)
    assert far.huse_d.value == pytest.approx(1 + far.huse.value - far.huse_q.value)


def test_missing_log_probs_are_listed():
    given = many()
    given[3] = replace(given[3], log_prob=None)
    with pytest.raises(MissingLogProb, match="r3") as caught:
        evaluate(given)
    assert caught.value.ids == ("r3",)


def test_drop_pair_leaves_out_both_sides_of_the_context_and_counts_them():
    given = [replace(item, context=item.id[1:]) for item in many()]
    given[3] = replace(given[3], log_prob=None)
    result = exact(given, missing="drop_pair")
    assert result.huse.n == 38
    assert result.huse.settings["dropped_drop_pair"] == 2
    assert "drop_pair" in result.huse.flags


def test_items_without_ratings_are_dropped_counted_and_flagged():
    given = many()
    given[0] = replace(given[0], hj=None)
    result = exact(given)
    assert result.huse.n == 39
    assert result.huse.settings["dropped_missing_hj"] == 1
    assert "missing_hj" in result.huse.flags


def test_duplicate_contexts_are_flagged():
    given = [replace(item, context=str(int(item.id[1:]) // 2)) for item in many()]
    assert "duplicate_contexts" in exact(given).huse.flags


def test_unequal_numbers_of_ratings_are_flagged_and_shown():
    given = [replace(item, ratings=20 - (item.id == "r0")) for item in many()]
    result = exact(given).huse
    assert "unequal_ratings" in result.flags
    assert "|r:19-20|" in result.signature


def test_signature_identifies_the_computation():
    given = [replace(item, ratings=20) for item in many()]
    assert evaluate(given, ["exact"], seed=7, draws=0)["exact"].huse.signature == (
        "huse|n:40|r:20|k:16|ties:exact|seed:7|v:1.0.0"
    )


def test_all_minus_infinity_in_one_source_is_disjoint_support():
    given = items([(h, -math.inf) for h in range(20)], [(h, 0.0) for h in range(20)])
    result = exact(given)
    assert result.huse.value == 0
    assert result.log_prob_only.value == 0
    assert "disjoint_support" in result.huse.flags


def test_disjoint_support_is_zero_also_with_groups_smaller_than_k():
    given = items([(h, -math.inf) for h in range(10)], [(h, -1.0 - h) for h in range(10)])
    assert exact(given).huse.value == 0


def test_minus_infinity_items_are_neighbours_of_each_other_by_hj():
    # -inf on both sides: among them HJ alone decides (1, 2, 3 reference; 11, 12, 13 model); so do the finite ones.
    low, high = [1, 2, 3], [11, 12, 13]
    given = items(
        [(h, -math.inf) for h in low] + [(h, -1.0) for h in low],
        [(h, -math.inf) for h in high] + [(h, -1.0) for h in high],
    )
    result = exact(given, k=2)
    assert result.huse.value == 0
    assert "log_prob_minus_infinity" in result.huse.flags


def test_a_small_group_at_minus_infinity_takes_its_other_neighbours_by_hj():
    # m0 and m1 at -inf, HJ 1: with k = 3 each has the other and the two finite ones nearest in HJ (models at 1).
    finite_models = [(1, -1.0), (1, -1.1), (2, -1.2)]
    given = items([(9, -1.0), (9, -1.1), (8, -1.2), (8, -1.3)], [(1, -math.inf), (1, -math.inf), *finite_models])
    votes = Classifier(check_items(given, k=3), "exact", 3).votes(("hj", "log_prob"))
    assert votes.balance[4:6].tolist() == [-3, -3]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"log_prob": 0.1}, "above 0"),
        ({"log_prob": math.nan}, "finite number or -inf"),
        ({"log_prob": math.inf}, "finite number or -inf"),
        ({"log_prob": -1e200}, "written as -inf"),
        ({"length": 0}, "whole number from 1"),
        ({"length": -3}, "whole number from 1"),
        ({"length": 2.5}, "whole number from 1"),
        ({"length": 10**30}, "whole number from 1"),
        ({"source": "human"}, "'reference' or 'model'"),
        ({"hj": 3.5}, "finite Fraction"),
        ({"hj": math.nan, "exact": False}, "finite Fraction"),
        ({"hj": Fraction(10) ** 200}, "between"),
        ({"id": "r0"}, "r0"),
    ],
)
def test_bad_items_are_refused_by_name_and_rule(change, rule):
    given = many()
    given[5] = replace(given[5], **change)
    with pytest.raises(BadInput, match=rule) as caught:
        evaluate(given)
    assert "r5" in str(caught.value) or "r0" in str(caught.value)


def test_a_log_prob_above_zero_within_rounding_is_accepted():
    given = many()
    given[0] = replace(given[0], log_prob=5e-7)
    assert exact(given).huse.n == 40


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"vote_tie": "human"},
        {"level": 1.0},
        {"draws": 1},
        {"missing": "guess"},
        {"modes": ["fast"]},
        {"seed": -1},
    ],
)
def test_odd_settings_are_refused(options):
    with pytest.raises(BadInput):
        evaluate(many(), **options)


def test_floats_only_are_compared_with_a_tolerance():
    # 0.1 + 0.2 is not 0.3 in floats: as a decimal the tie counts, and as a float within 1e-12.
    given = [replace(item, hj=float(item.hj), exact=False) for item in EXAMPLE_B]  # type: ignore[arg-type]
    assert exact(given, k=3).huse_q.value == exact(EXAMPLE_B, k=3).huse_q.value == 1.0
