"""t-tests, effect sizes, equivalence, ANOVA, Tukey: the numbers of the method (2.10, 2.15, 2.22) and their edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics.data.evaluator_judgments import MACHINE, check_judgments
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.accuracy import evaluator_accuracies
from metrics.inference.anova import single_factor_anova, tukey_kramer
from metrics.inference.effect_sizes import noncentrality_limits, small_sample_factor
from metrics.inference.equivalence import Margin, equivalence, equivalence_of_two
from metrics.inference.t_tests import binomial_test, single_sample_t, two_sample_t
from tests.metrics.judgments_made import released

EVALUATORS = [0.4, 0.6, 0.8, 0.6, 0.4, 1, 0.6, 0.2, 0.8, 0.6]
A, B = [0.6, 0.8, 0.6, 0.4, 0.8, 0.6], [0.4, 0.6, 0.4, 0.6, 0.2, 0.4]
GROUPS = {
    "g1": [0.4, 0.6, 0.4, 0.6, 0.5],
    "g2": [0.5, 0.6, 0.5, 0.6, 0.6],
    "g3": [0.7, 0.8, 0.6, 0.8, 0.7],
    "g4": [0.5, 0.5, 0.6, 0.7, 0.6],
}
NEAR_HALF = [0.52, 0.48, 0.5, 0.55, 0.45, 0.5, 0.47, 0.53, 0.51, 0.49]
MARGIN = Margin(0.45, 0.55, "study plan")

samples = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=2, max_size=12)


def test_one_sample_gives_the_numbers_of_the_method():
    found = single_sample_t(EVALUATORS, 0.5)
    assert (found.t, found.df, found.p) == pytest.approx((1.369306, 9, 0.204099), abs=1e-6)
    assert found.cohens_d.value == pytest.approx(0.433013, abs=1e-6)
    assert found.difference.settings["p"] == found.p


@pytest.mark.parametrize("equal", [False, True])
def test_two_samples_give_the_numbers_of_the_method_by_welch_and_student(equal):
    found = two_sample_t(A, B, equal_variances=equal)
    assert (found.t, found.df, found.p) == pytest.approx((2.300895, 10, 0.044187), abs=1e-6)
    assert found.cohens_d.value == pytest.approx(1.328422, abs=1e-6)
    assert found.hedges_g.value == pytest.approx(1.226236, abs=1e-6)


def test_welch_and_student_part_where_variances_and_sizes_differ():
    """By hand: a = 1, 3 (mean 2, variance 2), b = 0, 1, 0, 1 (mean .5, variance 1/3)."""
    welch, student = two_sample_t([1, 3], [0, 1, 0, 1]), two_sample_t([1, 3], [0, 1, 0, 1], equal_variances=True)
    assert welch.t == pytest.approx(1.5 / (1 + 1 / 12) ** 0.5)
    assert welch.df == pytest.approx((1 + 1 / 12) ** 2 / (1 + 1 / 144 / 3))
    assert student.t == pytest.approx(1.5 / (0.75 * 0.75) ** 0.5)
    assert student.df == 4
    assert welch.cohens_d.value == student.cohens_d.value == pytest.approx(1.5 / 0.75**0.5)


def test_the_interval_of_the_difference_ends_at_zero_where_p_is_what_the_level_leaves():
    found = single_sample_t(EVALUATORS, 0.5, level=1 - 0.204098648)
    assert found.difference.interval.low == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("found", [single_sample_t(EVALUATORS), two_sample_t(A, B)], ids=["one", "two"])
def test_the_interval_of_d_ends_at_zero_where_p_is_what_the_level_leaves(found):
    level = 1 - found.p
    again = single_sample_t(EVALUATORS, level=level) if found.kind == "one_sample" else two_sample_t(A, B, level=level)
    assert again.cohens_d.interval.low == pytest.approx(0, abs=1e-7)
    assert again.hedges_g.interval.low == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize(("t", "df"), [(0, 1), (1.4, 9), (-5, 3), (30, 200), (400, 2)])
def test_limits_of_the_noncentrality_leave_the_tails_a_simulation_leaves(t, df):
    low, high = noncentrality_limits(t, df, 0.9)
    rng = np.random.default_rng(5)
    scale = np.sqrt(rng.chisquare(df, 200_000) / df)
    z = rng.normal(size=200_000)
    assert ((z + low) / scale > t).mean() == pytest.approx(0.05, abs=0.003)
    assert ((z + high) / scale < t).mean() == pytest.approx(0.05, abs=0.003)


def test_hedges_correction_is_the_usual_approximation():
    assert small_sample_factor(10) == pytest.approx(36 / 39)
    of_two = single_sample_t([0.6, 0.7], 0.5)  # with one degree of freedom the factor is 0
    assert of_two.cohens_d.value == pytest.approx(0.15 / 0.005**0.5)
    assert (of_two.hedges_g.value, of_two.hedges_g.interval) == (None, None)
    assert of_two.hedges_g.flags == ("too_few_for_g",)


def test_the_interval_of_d_covers_in_simulated_studies():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        found = two_sample_t(rng.normal(0.8, 1, 8), rng.normal(0, 1, 14)).cohens_d.interval
        hits += found.low <= 0.8 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


@pytest.mark.parametrize("values", [[0.6, 0.6, 0.6], [0.1 + 0.2, 0.3], [0, 0], [1e-300, 1e-300]])
def test_equal_values_have_no_t_p_or_d_and_a_flag(values):
    for found in (single_sample_t(values, 0.25), two_sample_t(values, values)):
        assert (found.t, found.p, found.cohens_d.value, found.hedges_g.value) == (None, None, None, None)
        assert found.flags == found.cohens_d.flags == ("zero_variance",)
        assert found.difference.interval is None


def test_one_group_without_variance_is_tested_all_the_same():
    assert two_sample_t([0.5, 0.5, 0.5], [0.4, 0.6, 0.9]).p is not None


def test_an_enormous_t_has_a_value_and_says_that_no_interval_of_d_was_found():
    found = single_sample_t([1, 1 + 1e-9], 0)
    assert found.p is not None
    assert found.cohens_d.flags == ("no_interval_found",)


@pytest.mark.parametrize("test", [single_sample_t, lambda v: two_sample_t(v, A), lambda v: equivalence(v, MARGIN)])
def test_too_few_or_infinite_values_are_refused(test):
    with pytest.raises(InsufficientData, match="at least 2 values"):
        test([0.5])
    with pytest.raises(BadInput, match="finite"):
        test([0.5, float("nan")])
    with pytest.raises(BadInput, match="number"):
        test([0.5, "x"])


@settings(deadline=None, max_examples=60)
@given(samples, samples)
def test_swapping_two_groups_turns_the_sign_alone(a, b):
    one, other = two_sample_t(a, b), two_sample_t(b, a)
    assume(one.t is not None)
    assert one.t == pytest.approx(-other.t, abs=1e-9)
    assert one.p == pytest.approx(other.p)
    assert one.hedges_g.value == pytest.approx(-other.hedges_g.value, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(samples, st.randoms(use_true_random=False), st.sampled_from((0.5, 3, 100)))
def test_order_shift_and_scale_do_not_change_t(values, random, scale):
    other = [scale * value + 1 for value in values]
    random.shuffle(other)
    one, two = single_sample_t(values, 0.5), single_sample_t(other, 0.5 * scale + 1)
    assert (one.t is None) == (two.t is None)
    if one.t is not None:
        assert two.t == pytest.approx(one.t, rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(samples, samples)
def test_an_anova_of_two_groups_is_students_t_squared(a, b):
    t, f = two_sample_t(a, b, equal_variances=True), single_factor_anova({"a": a, "b": b})
    assert (t.t is None) == (f.f is None)
    if t.t is not None:
        assert (f.f, f.p) == pytest.approx((t.t**2, t.p), rel=1e-6, abs=1e-9)


def test_anova_gives_the_numbers_of_the_method():
    found = single_factor_anova(GROUPS)
    assert (found.f, found.p) == pytest.approx((6.419753, 0.004633), abs=1e-6)
    assert (found.df_between, found.df_within, found.n) == (3, 16, 20)


def test_tukey_gives_the_numbers_of_the_method():
    found = {(pair.a, pair.b): pair.p for pair in tukey_kramer(GROUPS)}
    expected = (0.662474, 0.003183, 0.438486, 0.032734, 0.979929, 0.068577)
    assert list(found) == [("g1", "g2"), ("g1", "g3"), ("g1", "g4"), ("g2", "g3"), ("g2", "g4"), ("g3", "g4")]
    assert list(found.values()) == pytest.approx(expected, abs=1e-4)


def test_tukey_of_two_unequal_groups_is_students_t():
    a, b = [0.2, 0.4, 0.9, 0.5, 0.1], [0.6, 0.8]
    (pair,), t = tukey_kramer({"a": a, "b": b}), two_sample_t(a, b, equal_variances=True)
    assert pair.p == pytest.approx(t.p, abs=1e-6)
    bounds = (pair.difference.interval.low, pair.difference.interval.high)
    assert bounds == pytest.approx((t.difference.interval.low, t.difference.interval.high), abs=1e-6)


def test_groups_without_variance_have_no_f_or_q_and_a_flag():
    groups = {"a": [0.5, 0.5], "b": [0.6, 0.6]}
    assert (single_factor_anova(groups).f, single_factor_anova(groups).flags) == (None, ("zero_variance",))
    (pair,) = tukey_kramer(groups)
    assert (pair.p, pair.cohens_d.value, pair.difference.flags) == (None, None, ("zero_variance",))


def test_groups_must_be_two_and_hold_two_values():
    with pytest.raises(InsufficientData, match="at least 2 of them"):
        single_factor_anova({"a": A})
    with pytest.raises(InsufficientData, match="group b needs at least 2"):
        tukey_kramer({"a": A, "b": [1.0]})


def test_equivalence_gives_the_numbers_of_the_method():
    found = equivalence(NEAR_HALF, MARGIN)
    assert (found.t_low, found.t_high, found.p) == pytest.approx((5.370862, -5.370862, 0.000225), abs=1e-6)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.482935, 0.517065), abs=1e-6)
    assert found.equivalent
    assert found.interval.level == pytest.approx(0.9)


@settings(deadline=None, max_examples=60)
@given(samples, samples, st.sampled_from((0.05, 0.2, 0.6)))
def test_equivalence_is_the_interval_inside_the_margin(a, b, margin):
    found = equivalence_of_two(a, b, Margin(-margin, margin, "plan"))
    if found.interval is None:
        assert (found.equivalent, found.flags) == (None, ("zero_variance",))
    else:
        inside = -margin < found.interval.low and found.interval.high < margin
        assert found.equivalent == inside or abs(found.p - 0.05) < 1e-9


@pytest.mark.parametrize("bad", [(0.55, 0.45, "plan"), (0.5, 0.5, "plan"), (0.4, float("inf"), "plan"), (0, 1, " ")])
def test_a_margin_has_an_order_and_a_place_of_declaration(bad):
    with pytest.raises(BadInput):
        Margin(*bad)


def test_the_binomial_test_sums_outcomes_that_are_no_likelier():
    """2 of 3 at 1/3: outcomes 2 (6/27) and 3 (1/27) are no likelier than 2 itself; 0 has 8/27."""
    assert binomial_test(2, 3, 1 / 3).p == pytest.approx(7 / 27)
    with pytest.raises(BadInput):
        binomial_test(4, 3)


# reference-results.md: answers as unit (t, p), workers as unit (mean, t, p), exact binomial p.
RELEASED = {
    ("v_select",): (
        (5.5694107261675505, 4.4350323539642815e-08),
        (0.4926086956521739, 3.4045421697652416, 0.002543586975189558),
        1.0681978427059105e-08,
    ),
    ("v_write",): (
        (6.120528825093804, 2.507558609721649e-09),
        (0.48790674603174605, 4.480056267000296, 0.00044047085884158107),
        2.994506414108802e-10,
    ),
    ("v_select", "v_write"): (
        (8.230108904730052, 7.645875363645275e-16),
        (0.4947154924347906, 4.134229749312413, 0.0003291752690423779),
        2.0155558783805887e-17,
    ),
}


@pytest.mark.needs_data
@pytest.mark.parametrize("files", RELEASED)
def test_the_released_answers_give_the_reference_tests(data_dir, files):
    """Picking the machine's paragraph is calling it machine: the judgments of machine paragraphs are the answers."""
    by_answer, (mean, worker_t, worker_p), binomial = RELEASED[files]
    answers = check_judgments([j for j in released(data_dir, *files) if j.truth == MACHINE], repeats="keep")
    plain = single_sample_t(answers.correct, 1 / 3)
    assert (plain.t, plain.p) == pytest.approx(by_answer, rel=1e-9)
    workers = evaluator_accuracies(answers).values()
    found = single_sample_t(workers, 1 / 3)
    assert sum(workers) / len(workers) == pytest.approx(mean, rel=1e-12)
    assert (found.t, found.p) == pytest.approx((worker_t, worker_p), rel=1e-9)
    exact = binomial_test(int(answers.correct.sum()), len(answers), 1 / 3)
    assert exact.p == pytest.approx(binomial, rel=1e-9)
