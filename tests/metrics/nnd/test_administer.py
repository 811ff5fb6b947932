"""Models take the tests: strict passes, ties counted, rates with intervals, comparisons."""

from __future__ import annotations

import hashlib
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.likelihood import Scored
from metrics.nnd.administer import administer_tests
from metrics.nnd.build import build_tests
from metrics.nnd.compare import compare_models, mcnemar
from metrics.nnd.curves import Place, curve_points
from metrics.nnd.formats.quiz_design import quiz_design_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.rates import pass_rates
from metrics.nnd.records import TestSet
from tests.metrics.nnd.make import candidate, scores, small_tests

SEPARATOR = "\x1f"


def hashed(context: str, text: str) -> float:
    digest = hashlib.sha256((context + SEPARATOR + text).encode()).hexdigest()
    return int(digest[:12], 16) / 16**12


# Scores above 0 are moved below it, which changes no order.
STUBS = {
    "minus words": lambda context, text: -len(text.split()),
    "characters": lambda context, text: len(text) - 1e6,
    "minus characters": lambda context, text: -len(text),
    "constant": lambda context, text: -1.0,
    "sha": lambda context, text: hashed(context, text) - 1,
}


def stub(name):
    return lambda pairs: [Scored(float(STUBS[name](*pair)), 1) for pair in pairs]


@pytest.fixture(scope="module")
def quiz_design(data_dir) -> TestSet:
    return quiz_design_tests(data_dir / "qgen" / "quiz_design_groups.jsonl")


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "strict", "original", "ties"),
    [
        ("minus words", 1033, 1220, 381),
        ("characters", 1502, 1543, 85),
        ("minus characters", 1099, 1140, 85),
        ("constant", 0, 1305, 2686),
        ("sha", 1352, 1352, 0),
    ],
)
def test_stub_scores_pass_as_many_tests_as_in_the_reference(quiz_design, name, strict, original, ties):
    ours = pass_rates(administer_tests(quiz_design, stub(name)), draws=10).overall
    assert (ours.passed, ours.ties, ours.estimate.n) == (strict, ties, 2686)
    theirs = pass_rates(administer_tests(quiz_design, stub(name), ties="second"), draws=10).overall
    assert theirs.passed == original
    assert "ties_as_in_the_original" in theirs.estimate.flags


@pytest.mark.needs_data
def test_the_hash_stub_fails_as_many_tests_of_each_category_as_in_the_reference(quiz_design):
    rates = pass_rates(administer_tests(quiz_design, stub("sha")), draws=10).by_category
    assert {name: rate.failed for name, rate in rates.items()} == {
        "disfluent": 371,
        "off_target": 454,
        "wrong_context": 509,
    }
    assert rates["wrong_context"].estimate.value == 0.5308755760368664


@pytest.mark.needs_data
def test_the_word_stub_has_the_reference_rates_by_the_original_rule_of_ties(quiz_design):
    rates = pass_rates(administer_tests(quiz_design, stub("minus words"), ties="second"), draws=10).by_category
    values = [rates[name].estimate.value for name in ("disfluent", "off_target", "wrong_context")]
    assert values == pytest.approx([0.5654008438818565, 0.42921348314606744, 0.4018433179723502], abs=1e-15)


def one_test():
    return small_tests(1)


def test_the_mean_over_tokens_decides_not_the_total():
    tests = one_test()
    good, x, y = ("context 0", "good0"), ("context 0", "x0"), ("context 0", "y0")
    # Method 2.18: high -1 -2 -3, low -.5 -2.5 -.5 -2.5: -2 against -1.5 fails.
    taken = administer_tests(tests, {good: Scored(-6.0, 3), x: Scored(-6.0, 4), y: Scored(-6.3, 3)})
    assert [(outcome.high, outcome.low, outcome.passed) for outcome in taken.outcomes] == [
        (-2.0, -1.5, False),
        (-2.0, pytest.approx(-2.1), True),
    ]


def test_equal_likelihoods_fail_and_are_counted_both_minus_infinity_too():
    tests = one_test()
    pair = [("context 0", f"{kind}0") for kind in ("good", "x", "y")]
    never = Scored(-math.inf, 3)
    taken = administer_tests(tests, dict(zip(pair, [never, never, Scored(-1.0, 1)], strict=True)))
    assert [(outcome.passed, outcome.tied, outcome.gap) for outcome in taken.outcomes] == [
        (False, True, 0.0),
        (False, False, -math.inf),
    ]
    rate = pass_rates(taken).overall
    assert (rate.passed, rate.failed, rate.ties) == (0, 2, 1)


def test_three_of_five_have_the_wilson_interval_of_the_method():
    tests = small_tests(5)
    chosen = TestSet(tests.tests[::2], "five", 5, 10, {})
    taken = administer_tests(chosen, scores(chosen, [True, True, False, True, False]))
    assert pass_rates(taken).overall.estimate.value == 0.6
    at_95, at_90 = (pass_rates(taken, level=level).overall.wilson for level in (0.95, 0.90))
    assert (at_95.low, at_95.high) == pytest.approx((0.230724, 0.882379), abs=1e-6)
    assert (at_90.low, at_90.high) == pytest.approx((0.272483, 0.857294), abs=1e-6)


def test_eleven_of_fifteen_have_the_wilson_interval_of_the_method():
    tests = small_tests(15)
    chosen = TestSet(tests.tests[::2], "fifteen", 15, 30, {})
    taken = administer_tests(chosen, scores(chosen, [True] * 11 + [False] * 4))
    wilson = pass_rates(taken).overall.wilson
    assert (wilson.low, wilson.high) == pytest.approx((0.480496, 0.891025), abs=1e-6)


def test_the_headline_interval_draws_contexts_and_so_widens_where_their_tests_share_an_outcome():
    tests = small_tests(40)
    together = administer_tests(tests, scores_by_context(tests, lambda at: at % 2 == 0))
    rate = pass_rates(together, draws=4000).overall
    # 40 contexts, each all or nothing: the standard error is that of 40 draws, not of 80.
    width = rate.estimate.interval.high - rate.estimate.interval.low
    assert width == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 40), rel=0.1)
    assert rate.wilson.high - rate.wilson.low < width


def scores_by_context(tests, passes):
    """The better candidate wins in the contexts that `passes` says."""
    found = {}
    for test in tests.tests:
        good = passes(int(test.context_id))
        found[test.high.context, test.high.text] = Scored(-2.0, 1)
        found[test.low.context, test.low.text] = Scored(-3.0 if good else -1.0, 1)
    return found


def test_a_rate_of_nothing_but_passes_keeps_an_interval_with_width():
    tests = small_tests(4)
    rate = pass_rates(administer_tests(tests, scores_by_context(tests, lambda at: True))).overall
    assert rate.estimate.value == 1.0
    assert rate.estimate.interval.low < 0.6
    assert "no_variation" in rate.estimate.flags


def test_one_context_has_no_interval_over_contexts_and_says_so():
    tests = one_test()
    rate = pass_rates(administer_tests(tests, scores_by_context(tests, lambda at: True))).overall
    assert (rate.estimate.interval, "one_context" in rate.estimate.flags) == (None, True)
    assert rate.wilson is not None


def test_a_test_counts_in_every_category_its_worse_candidate_carries():
    bad = [candidate("p", "bad", marks=("x", "y")), candidate("q", "bad", marks=("y",))]
    tests = build_tests([candidate("g", "good"), *bad], best_above_others("good", ["bad"]), "marks")
    rates = pass_rates(administer_tests(tests, lambda pairs: [Scored(-1.0 - at, 1) for at in range(len(pairs))]))
    assert {name: rate.estimate.n for name, rate in rates.by_category.items()} == {"y": 2, "x": 1}
    assert {name: rate.estimate.n for name, rate in rates.by_combination.items()} == {"x + y": 1, "y": 1}


def test_a_missing_score_leaves_its_tests_out_up_to_five_percent():
    tests = small_tests(20)
    known = scores_by_context(tests, lambda at: True)
    del known["context 3", "x3"]
    taken = administer_tests(tests, known)
    assert (taken.left_out, taken.missing) == (1, ("x3",))
    del known["context 4", "good4"]
    with pytest.raises(InsufficientData, match=r"3 of 40 tests have no score, and at most 5% may have none"):
        administer_tests(tests, known)


def test_a_category_without_any_scored_test_has_no_value_and_a_flag():
    rows = [candidate(f"{kind}{at}", kind, context=str(at)) for at in range(30) for kind in ("good", "x")]
    rows.append(candidate("rare", "rare", context="0"))
    tests = build_tests(rows, best_above_others("good", ["x", "rare"]), "rare")
    known = {
        ("context " + t.context_id, text): Scored(-1.0, 1) for t in tests.tests for text in (t.high.text, t.low.text)
    }
    del known["context 0", "rare"]
    rate = pass_rates(administer_tests(tests, known)).by_category["rare"]
    assert (rate.estimate.value, rate.estimate.n, "no_tests" in rate.estimate.flags) == (None, 0, True)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Scored(math.nan, 1), "column log_prob: a log-probability is a number from -1e100 to 0 or -inf"),
        (Scored(0.5, 1), "column log_prob"),
        (Scored(math.inf, 1), "column log_prob"),
        (Scored(-1.0, 0), "column tokens: tokens is a whole number"),
        (Scored(-1.0, 2.5), "column tokens"),
    ],
)
def test_a_score_that_is_no_log_probability_is_refused_by_its_candidate(bad, words):
    with pytest.raises(BadInput, match=f"candidate good0, {words}"):
        administer_tests(one_test(), lambda pairs: [bad] * len(pairs))


def test_a_model_that_answers_for_too_few_pairs_is_refused():
    with pytest.raises(BadInput, match="3 pairs were given and 2 scores came back"):
        administer_tests(one_test(), lambda pairs: [Scored(-1.0, 1)] * 2)


def test_a_model_cannot_take_tests_without_texts():
    rows = [candidate("g", "good", text=None), candidate("b", "bad", text=None)]
    tests = build_tests(rows, best_above_others("good", ["bad"]), "ids only")
    with pytest.raises(InsufficientData, match=r"the tests hold none for 2 candidate\(s\): g, b"):
        administer_tests(tests, lambda pairs: [])


@given(st.integers(0, 2**16))
def test_passing_is_strict_so_a_reversed_model_never_passes_the_same_test(seed):
    tests = small_tests(4)
    rng = random.Random(seed)
    drawn = {}
    for test in tests.tests:
        for one in (test.high, test.low):
            drawn.setdefault((one.context, one.text), -float(rng.randint(1, 3)))
    forward = administer_tests(tests, {pair: Scored(value, 1) for pair, value in drawn.items()})
    backward = administer_tests(tests, {pair: Scored(-4 - value, 1) for pair, value in drawn.items()})
    for one, other in zip(forward.outcomes, backward.outcomes, strict=True):
        assert one.passed + other.passed + one.tied == 1


# Comparisons


def test_mcnemar_is_the_exact_binomial_of_the_method():
    assert mcnemar(8, 2).p == pytest.approx(0.109375, abs=1e-12)
    assert mcnemar(2, 8).p == mcnemar(8, 2).p
    assert mcnemar(0, 0).p == 1.0


def test_two_models_are_compared_on_the_tests_they_share():
    tests = small_tests(12)
    first = administer_tests(tests, scores_by_context(tests, lambda at: at < 8), model="a")
    second = administer_tests(tests, scores_by_context(tests, lambda at: 6 <= at < 9), model="b")
    found = compare_models(first, second)
    assert (found.both, found.mcnemar.only_first, found.mcnemar.only_second, found.neither) == (4, 12, 2, 6)
    assert found.difference.value == pytest.approx(16 / 24 - 6 / 24)
    assert found.difference.interval.low < found.difference.value < found.difference.interval.high


def test_a_model_compared_with_itself_differs_by_nothing():
    tests = small_tests(5)
    taken = administer_tests(tests, scores_by_context(tests, lambda at: at % 2 == 0), model="a")
    found = compare_models(taken, taken)
    assert (found.mcnemar.p, found.difference.value, found.difference.flags) == (1.0, 0.0, ("no_variation",))


# Curves


def test_curves_hold_each_model_on_each_category_in_order_of_size():
    tests = small_tests(3)
    large = pass_rates(administer_tests(tests, scores_by_context(tests, lambda at: True), model="large"))
    small = pass_rates(administer_tests(tests, scores_by_context(tests, lambda at: at == 0), model="small"))
    points = curve_points([Place("f", 7e8, large), Place("f", 1e8, small)])
    assert [(p.category, p.model, p.n) for p in points] == [
        ("all", "small", 6),
        ("all", "large", 6),
        ("x", "small", 3),
        ("x", "large", 3),
        ("y", "small", 3),
        ("y", "large", 3),
    ]
    assert [points[0].value, points[1].value] == pytest.approx([1 / 3, 1.0])


@pytest.mark.parametrize(
    ("xs", "axis", "words"),
    [
        ((0, 1), "parameters", "parameters lie above 0"),
        ((5, 5), "parameters", "two models at 5"),
        ((-1, 1), "checkpoint_step", "a step is at least 0"),
        ((math.nan, 1), "checkpoint_step", "a step is at least 0"),
    ],
)
def test_a_place_off_the_scale_is_refused(xs, axis, words):
    tests = small_tests(2)
    rates = pass_rates(administer_tests(tests, scores_by_context(tests, lambda at: True), model="m"))
    with pytest.raises(BadInput, match=words):
        curve_points([Place("f", x, rates) for x in xs], axis)
