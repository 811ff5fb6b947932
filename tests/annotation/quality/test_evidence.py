"""Each filter on work of which one knows what is true of it, by hand or by a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotation.quality import click_model as chance
from annotation.quality import filters_answers as answering
from annotation.quality import filters_explanations as reasons
from annotation.quality import filters_timing as pace
from annotation.quality.filters import BY_KIND, DEFAULTS, FILTERS, rule_of
from annotation.quality.measure import measure_work
from tests.annotation.quality.factories import Shown, rated, work

TEXT = "the old mayor opened a new bridge over the quiet river on monday morning"


def reasoned(*told: str, **fields: object) -> object:
    shown = [[Shown(0, 1, reason=body, **fields) for body in told]]
    return work(shown, bodies=[TEXT])


def flagged(kind: str, given_work: object) -> list[bool]:
    one = BY_KIND[kind]
    return one.raised(one.measure(given_work)).tolist()


def test_a_straight_line_is_the_longest_run_in_the_order_met():
    found = answering.straight_lines(rated([3] * 8 + [1, 2], [3, 1] * 5, [3] * 10))
    assert found.value.tolist() == [0.8, 0.1, 1.0]
    assert flagged("straight_lining", rated([3] * 8 + [1, 2], [3, 1] * 5, [3] * 10)) == [True, False, True]


def test_a_straight_line_of_few_texts_is_no_evidence():
    assert flagged("straight_lining", rated([3] * 9)) == [False]


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=3, max_size=5))
def test_agreement_is_pearsons_correlation_with_the_mean_of_the_others(labels):
    found, table = answering.agreement(rated(*labels)), np.array(labels, dtype=float)
    for a, mine in enumerate(table):
        others = np.delete(table, a, axis=0).mean(axis=0)
        if np.ptp(mine) and np.ptp(others) > 1e-9:
            assert found.value[a] == pytest.approx(stats.pearsonr(mine, others).statistic, abs=1e-6)
        else:
            assert np.isnan(found.value[a])


def test_agreement_has_fishers_interval():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 6, (4, 25))
    found = answering.agreement(rated(*rows.tolist()))
    wanted = stats.pearsonr(rows[0], rows[1:].mean(axis=0)).confidence_interval(0.90)
    assert (found.low[0], found.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_one_answer_is_the_share_of_the_commonest_label():
    assert answering.commonest_share(rated([3, 1, 3, 3], [1, 2, 1, 2])).value.tolist() == [0.75, 0.5]
    assert flagged("one_answer", rated([3] * 9 + [1], [3, 1] * 5)) == [True, False]


def test_an_outlying_mean_is_counted_in_standard_deviations_of_the_raters():
    found = answering.outlying_mean(rated([1] * 4, [2] * 4, [3] * 4))
    assert found.value == pytest.approx([1.0, 0.0, 1.0])


def test_the_entropy_of_one_label_and_of_all_labels_lies_outside_the_usual():
    one, every, usual = [2] * 24, [0, 1, 2, 3, 4, 5] * 4, [2] * 12 + [3] * 12
    assert flagged("entropy", rated(one, every, usual)) == [True, True, False]


def test_repeats_are_compared_in_steps_of_the_scale():
    shown = [Shown(0, 5), Shown(1, 2), Shown(0, 1, "repeat"), Shown(1, 2, "repeat")]
    assert answering.repeat_distance(work([shown])).value.tolist() == [2.0]
    assert flagged("repeats", work([shown])) == [True]


def test_gold_is_counted_over_all_that_a_worker_did():
    right, wrong = Shown(0, 1, "gold", known=1), Shown(1, 0, "gold", known=1)
    given_work = work([[right, wrong, wrong], [wrong, right, Shown(2, 3)]], workers=[7, 7])
    assert answering.gold_errors(given_work).value.tolist() == [0.6, 0.6]
    assert flagged("gold", given_work) == [True, True]


def test_attention_checks_and_practice_are_shares_with_wilsons_interval():
    found = answering.checks_failed(rated([1], [1], checks=[2, 0], checks_passed=[1, 0]))
    assert found.value[0] == 0.5
    assert np.isnan(found.value[1])
    wanted = stats.binomtest(1, 2).proportion_ci(0.90, "wilson")
    assert (found.low[0], found.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert flagged("practice", rated([1], [1], practice=[3, 3], practice_right=[0, 1])) == [True, False]


def test_too_fast_is_less_than_a_quarter_of_the_reading_time():
    # 238 words a minute: 119 words take 30 s, a quarter is 7.5 s; short texts are given 1.5 s.
    lines = [Shown(0, 1, words=119, ms=7400), Shown(1, 1, words=119, ms=7600), Shown(2, 1, words=2, ms=1400)]
    found = pace.too_fast(work([lines]))
    assert found.value.tolist() == [pytest.approx(2 / 3)]
    assert flagged("too_fast", work([lines])) == [True]


def test_time_away_needs_a_page_that_timed_every_text():
    timed = [Shown(0, 1, ms=20_000), Shown(1, 1, ms=20_000)]
    found = pace.time_away(work([timed, [Shown(0, 1), Shown(1, 1, ms=5)]], work_seconds=[100, 100]))
    assert found.value[0] == pytest.approx(0.6)
    assert np.isnan(found.value[1])


def test_where_the_page_did_not_time_the_whole_assignments_seconds_speak():
    found = pace.quick_assignment(rated([1] * 25, [2] * 25, work_seconds=[50, 500]))
    assert found.value.tolist() == [2.0, 20.0]


@pytest.mark.parametrize("body", ["too bad", "odd", "a b c", "is it well?"])
def test_short_reasons(body):
    assert flagged("short_reasons", reasoned(body)) == [True]


# Sentences of more than four words each, by people who write them without blanks.
UNSPACED = {
    "Chinese": "这句话读起来很自然，像报纸上的标题。",
    "Japanese": "この文は自然に読めるので、人が書いたと思います。",
    "Thai": "ประโยคนี้ฟังดูเป็นธรรมชาติเหมือนพาดหัวข่าว",
}


@pytest.mark.parametrize("body", UNSPACED.values(), ids=UNSPACED)
def test_a_sentence_in_a_script_without_blanks_is_not_short(body):
    assert flagged("short_reasons", reasoned(body)) == [False]
    assert flagged("other_language", reasoned(body)) == [True]


@pytest.mark.parametrize("body", ["很好。", "自然です", "ดีมาก"])
def test_a_word_in_a_script_without_blanks_is_short(body):
    assert flagged("short_reasons", reasoned(body)) == [True]


def test_a_copied_reason_is_found_whatever_stands_between_its_words():
    assert reasons.copied(reasoned(TEXT.replace(" ", "\n"), TEXT)).value.tolist() == [1.0]


def test_a_copied_reason_is_found_by_runs_of_eight_words():
    assert reasons.copied(reasoned(TEXT)).value.tolist() == [1.0]
    # 8 of 20 words stand in a run of eight.
    half = "the old mayor opened a new bridge over nothing that I have ever come across in my life so far"
    assert reasons.copied(reasoned(half, TEXT)).value.tolist() == [0.5]
    assert np.isnan(reasons.copied(reasoned("the old mayor opened a new bridge")).value[0])


def test_repeated_reasons_are_alike_but_for_case_and_punctuation():
    found = reasons.repeated(
        work(
            [[Shown(0, 1, reason="Looks fine."), Shown(0, 1, reason="I doubt it")], [Shown(0, 1, reason="looks FINE")]]
        )
    )
    assert found.value.tolist() == [1.0, 1.0]


def test_reasons_that_differ_in_their_vowel_signs_are_not_alike():
    """Hindi "of it" and "to it" have the same consonants."""
    told = ["यह उस का है", "यह उस को है"]
    assert reasons.repeated(work([[Shown(0, 1, reason=one)] for one in told])).value.tolist() == [0.0, 0.0]


def test_another_language_is_one_without_the_small_words_of_ours():
    assert flagged("other_language", reasoned("das klingt nicht nach einem Menschen")) == [True]
    assert flagged("other_language", reasoned("it does not sound like a person")) == [False]
    german = work([[Shown(0, 1, reason="das klingt nicht nach einem Menschen")]], language="de")
    assert flagged("other_language", german) == [False]


def test_a_pasted_reason_has_more_characters_than_key_presses():
    body = "it does not sound like a person"
    assert flagged("pasted", reasoned(body, keys=2.0, pastes=1.0)) == [True]
    assert flagged("pasted", reasoned(body, keys=40.0, pastes=0.0)) == [False]
    assert np.isnan(reasons.pasted(reasoned(body)).value[0])


def test_a_device_counts_the_others_seen_on_it():
    found = answering.shared_device(rated([1], [1], [1], workers=[0, 1, 2], device=[4, 4, -1]))
    assert found.value.tolist()[:2] == [1.0, 1.0]
    assert np.isnan(found.value[2])


def test_people_in_two_cells_are_seen():
    assert answering.conditions(rated([1], [2], [1], workers=[0, 0, 1], cell=[0, 1, 1])).value.tolist() == [2, 2, 1]


def test_random_clicks_are_told_from_reading_by_the_likelihood():
    rng = np.random.default_rng(3)
    truth = rng.uniform(0.5, 4.5, 25)
    readers = np.clip(np.rint(truth + rng.normal(0, 1, (12, 25))), 0, 5).astype(int)
    clicks = rng.integers(0, 6, (4, 25))
    found = chance.without_reading(rated(*readers.tolist(), *clicks.tolist())).value
    assert found[:12].max() < found[12:].min()
    assert found[:12].max() < 0 < np.median(found[12:])


def test_incomplete_work_is_flagged_and_so_is_work_without_any_answer():
    assert flagged("incomplete", rated([1, 2], [], unanswered=[0, 2])) == [False, True]


def test_no_work_at_all_raises_nothing():
    found = measure_work(work([]))
    assert len(found.suspicion) == 0
    assert all(len(raised) == 0 for raised in found.raised.values())


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(-1, 5), max_size=8), min_size=1, max_size=5))
def test_every_interval_holds_its_value_and_no_filter_changes_the_work(labels):
    given_work = rated(*labels)
    before = given_work.lines.label.copy()
    for found in measure_work(given_work).measured.values():
        known = ~np.isnan(found.low)
        assert (found.low[known] <= found.value[known] + 1e-12).all()
        assert (found.value[known] <= found.high[known] + 1e-12).all()
    assert (given_work.lines.label == before).all()


def test_every_filter_speaks_plainly_and_the_circular_ones_are_off():
    for one in FILTERS:
        assert one.finding_sentence(0.5, 10).endswith((".", ")."))
        assert "{" not in one.finding_sentence(0.5, 10)
        assert one.methods
        assert rule_of(one.kind).startswith(one.id)
    assert not any(BY_KIND[kind].circular for kind in DEFAULTS)
