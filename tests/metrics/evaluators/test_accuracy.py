"""Accuracy of evaluators: the numbers and edge cases of the method (2.9), properties, and the released answers."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment, by_condition, check_judgments
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.accuracy import Accuracy, Confusion, evaluator_accuracies, item_accuracies, measure_accuracy
from metrics.types import Estimate
from tests.metrics.judgments_made import EXAMPLE, judged, released, studies


def measured(judgments: list[EvaluatorJudgment], **options: object) -> Accuracy:
    return measure_accuracy(check_judgments(judgments, **options))  # type: ignore[arg-type]


def estimates(found: Accuracy) -> dict[str, Estimate]:
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    scores = {f"{entry.truth}{entry.rating}": entry.share for entry in found.histogram}
    return scores | {name: value for name, value in values.items() if isinstance(value, Estimate)}


def numbers(found: Accuracy) -> dict[str, tuple[float | None, ...]]:
    return {
        name: (value.value, *((value.interval.low, value.interval.high) if value.interval else (None, None)))
        for name, value in estimates(found).items()
    }


def close(a: dict, b: dict) -> bool:
    return a.keys() == b.keys() and all(
        (x is None and y is None) or (x is not None and y is not None and math.isclose(x, y, abs_tol=1e-9))
        for name in a
        for x, y in zip(a[name], b[name], strict=True)
    )


def test_the_ten_ratings_of_the_method_give_its_numbers():
    found = measured(EXAMPLE)
    shares = (found.accuracy, found.precision, found.recall, found.f1, found.percent_human, found.percent_confident)
    assert [share.value for share in shares] == pytest.approx([0.6, 0.6, 0.6, 0.6, 0.5, 0.4], abs=1e-12)
    assert found.confusion == Confusion(tp=3, fp=2, fn=2, tn=3)


def test_without_a_machine_prediction_precision_is_none_and_recall_and_f1_are_zero():
    found = measured(judged("mmhh", (1, 2, 2, 1)))
    assert (found.precision.value, found.recall.value, found.f1.value) == (None, 0, 0)
    assert "no_machine_prediction" in found.precision.flags
    assert found.accuracy.value == 0.5


def test_without_machine_texts_recall_and_f1_are_none_and_accuracy_is_defined():
    found = measured(judged("hhhh", (1, 2, 2, 4)))
    assert (found.recall.value, found.f1.value, found.specificity.value) == (None, None, 0.75)
    assert (found.precision.value, found.accuracy.value) == (0, 0.75)
    assert "no_machine_texts" in found.recall.flags


def test_without_human_texts_specificity_is_none_and_accuracy_is_defined():
    found = measured(judged("mmmm", (1, 3, 4, 4)))
    assert (found.specificity.value, found.recall.value, found.accuracy.value) == (None, 0.75, 0.75)
    assert "no_human_texts" in found.specificity.flags


def test_each_unit_of_accuracy_weighs_as_it_says():
    """Rater a judges two items, both right; rater b four, one right."""
    found = measured(judged("mh", (4, 1)) + judged("mhmh", (1, 1, 1, 4), "b"))
    assert found.accuracy.value == pytest.approx((1 + 1 / 4) / 2)
    assert found.accuracy_pooled.value == pytest.approx(3 / 6)
    assert found.accuracy_item.value == pytest.approx((1 / 2 + 2 / 2 + 0 + 0) / 4)
    assert (found.accuracy.n, found.accuracy_item.n, found.accuracy_pooled.n) == (2, 4, 6)


def test_the_histogram_counts_scores_by_truth():
    found = measured(EXAMPLE)
    assert [entry.count for entry in found.histogram] == [1, 2, 1, 1, 1, 1, 2, 1]
    assert [entry.share.value for entry in found.histogram] == pytest.approx([0.2, 0.4, 0.2, 0.2, 0.2, 0.2, 0.4, 0.2])
    assert [(entry.truth, entry.rating) for entry in found.histogram[::4]] == [(HUMAN, 1), (MACHINE, 1)]


def test_one_evaluator_has_values_and_no_interval():
    found = measured(EXAMPLE)
    assert found.accuracy.interval is None
    assert "one_unit" in found.accuracy.flags
    assert found.accuracy_item.interval is not None


def test_one_judgment_has_a_defined_answer_everywhere():
    found = measured(judged("h", (1,)))
    assert found.accuracy.value == found.accuracy_item.value == found.accuracy_crossed.value == 1
    assert all(estimate.flags for estimate in estimates(found).values())


@pytest.mark.parametrize("ratings", [(4, 1), (1, 4)])
def test_all_right_or_all_wrong_keeps_an_interval_with_width_inside_0_and_1(ratings):
    found = measured([entry for i in range(10) for entry in judged("mh", ratings, f"r{i}")]).accuracy.interval
    assert 0 <= found.low < found.high <= 1
    assert found.high - found.low > 0.05


def test_the_interval_of_the_mean_accuracy_is_wilsons_with_t_and_the_effective_number():
    """By hand: accuracies .4 .6 .8 .6 .4 1 .6 .2 .8 .6, mean .6, variance .48 / 9."""
    right = (2, 3, 4, 3, 2, 5, 3, 1, 4, 3)
    rows = [e for i, n in enumerate(right) for e in judged("mmmmm", (4,) * n + (1,) * (5 - n), f"r{i}")]
    found = measured(rows).accuracy
    t, effective = 2.2621571628, 0.6 * 0.4 / (0.48 / 9 / 10)
    centre = (0.6 + t**2 / (2 * effective)) / (1 + t**2 / effective)
    half = t * math.sqrt(0.24 / effective + t**2 / (4 * effective**2)) / (1 + t**2 / effective)
    assert (found.interval.low, found.interval.high) == pytest.approx((centre - half, centre + half), abs=1e-9)
    assert "for new evaluators" in found.interval.method


def test_items_that_matter_widen_the_crossed_interval_and_are_flagged():
    """Ten evaluators who agree on every one of four items: nothing varies but the items."""
    found = measured([e for i in range(10) for e in judged("mmmm", (4, 1, 4, 1 + i % 2), f"r{i}")])
    wide, narrow = found.accuracy_crossed.interval, found.accuracy.interval
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert "items_matter" in found.accuracy.flags


def test_item_accuracies_are_the_share_of_raters_who_were_right():
    rows = judged("mh", (4, 3)) + judged("mh", (3, 1), "b") + judged("m", (1,), "c")
    found = item_accuracies(check_judgments(rows))
    assert {name: (e.value, e.n) for name, e in found.items()} == {"m0": (2 / 3, 3), "h1": (0.5, 2)}
    assert found["m0"].settings["truth"] == MACHINE


def test_evaluator_accuracies_are_the_share_right():
    rows = judged("mh", (4, 3)) + judged("mh", (3, 1), "b")
    assert evaluator_accuracies(check_judgments(rows)) == {"a": 0.5, "b": 1.0}


def test_conditions_are_named_by_their_factors():
    rows = judged("m", (4,), domain="news", generator="gpt2") + judged("h", (4,), domain="stories", generator="gpt2")
    assert list(by_condition(rows, ["domain", "generator"])) == ["news × gpt2", "stories × gpt2"]
    with pytest.raises(BadInput, match="has no training"):
        by_condition(rows, ["training"])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([EvaluatorJudgment("a", "i", "robot", 1)], "must be 'human' or 'machine'"),
        ([EvaluatorJudgment("a", "i", HUMAN, 5)], "whole number from 1 to 4"),
        ([EvaluatorJudgment("a", "i", HUMAN, 2.0)], "whole number from 1 to 4"),
        ([EvaluatorJudgment("a", "i", HUMAN, True)], "whole number from 1 to 4"),
        ([EvaluatorJudgment("a", "i", HUMAN, 1), EvaluatorJudgment("b", "i", MACHINE, 1)], "both human and machine"),
        ([EvaluatorJudgment("a", "i", HUMAN, 1), EvaluatorJudgment("a", "i", HUMAN, 2)], "more than once"),
    ],
)
def test_a_bad_judgment_is_refused_by_name(rows, words):
    with pytest.raises(BadInput, match=words):
        check_judgments(rows)


def test_no_judgment_is_too_few():
    with pytest.raises(InsufficientData):
        check_judgments([])


def test_repeats_count_each_time_and_are_flagged_where_allowed():
    found = measured(judged("m", (4,)) + judged("m", (1,)), repeats="keep")
    assert found.accuracy.value == 0.5
    assert "repeated_judgments" in found.accuracy.flags


@settings(deadline=None, max_examples=60)
@given(studies())
def test_values_are_those_of_a_plain_loop(study):
    found = measured(study)
    right = [(j.rating >= 3) == (j.truth == MACHINE) for j in study]
    raters = {j.rater for j in study}
    each = [[ok for ok, j in zip(right, study, strict=True) if j.rater == rater] for rater in raters]
    assert found.accuracy.value == pytest.approx(sum(sum(e) / len(e) for e in each) / len(each))
    tp = sum(j.rating >= 3 and j.truth == MACHINE for j in study)
    called = sum(j.rating >= 3 for j in study)
    assert found.precision.value == (pytest.approx(tp / called) if called else None)
    assert found.accuracy_crossed.value == found.accuracy.value


@settings(deadline=None, max_examples=60)
@given(studies())
def test_every_value_is_finite_in_its_interval_and_none_only_with_a_flag(study):
    for estimate in estimates(measured(study)).values():
        assert (estimate.value is None) <= bool(estimate.flags)
        if estimate.interval is not None:
            edges = (0, estimate.interval.low, estimate.value, estimate.interval.high, 1)
            assert all(a <= b for a, b in pairwise(edges))
        elif estimate.value is not None:
            assert "one_unit" in estimate.flags


@settings(deadline=None, max_examples=40)
@given(studies(), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(study, random):
    shuffled = [replace(j, rater=f"x{j.rater}", item=f"y{j.item}") for j in study]
    random.shuffle(shuffled)
    assert close(numbers(measured(shuffled)), numbers(measured(study)))


@settings(deadline=None, max_examples=40)
@given(studies())
def test_swapping_the_classes_swaps_recall_and_specificity(study):
    other = {HUMAN: MACHINE, MACHINE: HUMAN}
    plain, swapped = measured(study), measured([replace(j, truth=other[j.truth], rating=5 - j.rating) for j in study])
    same = ("accuracy", "accuracy_item", "accuracy_pooled", "accuracy_crossed", "percent_confident")
    a, b = numbers(plain), numbers(swapped)
    assert close({name: a[name] for name in same}, {name: b[name] for name in same})
    assert close({"x": a["recall"]}, {"x": b["specificity"]})
    assert swapped.percent_human.value == pytest.approx(1 - plain.percent_human.value)
    assert [e.count for e in swapped.histogram] == [e.count for e in plain.histogram][::-1]


@settings(deadline=None, max_examples=40)
@given(studies())
def test_doubling_the_evaluators_keeps_values(study):
    twice = study + [replace(j, rater=f"again {j.rater}") for j in study]
    a, b = estimates(measured(study)), estimates(measured(twice))
    assert all(a[name].value == pytest.approx(b[name].value) for name in a)


# reference-results.md, "Human against machine": answers correct, tp fp fn tn, accuracies.
RELEASED = {
    ("v_select",): ((207, 238, 238, 652), 0.4651685393258427, 0.6434456928838951, 23),
    ("v_write",): ((174, 176, 176, 524), 0.49714285714285716, 0.6647619047619048, 16),
    ("v_select", "v_write"): ((381, 414, 414, 1176), 0.47924528301886793, 0.6528301886792452, 27),
}


@pytest.mark.needs_data
@pytest.mark.parametrize("files", RELEASED)
def test_the_released_answers_give_the_reference_table(data_dir, files):
    counts, three_way, binary, workers = RELEASED[files]
    found = measured(released(data_dir, *files), repeats="keep")
    assert found.confusion == Confusion(*counts)
    for share in (found.precision, found.recall, found.f1):
        assert share.value == pytest.approx(three_way, abs=1e-15)
    assert found.accuracy_pooled.value == pytest.approx(binary, abs=1e-15)
    assert found.percent_human.value == pytest.approx(2 / 3, abs=1e-15)
    assert (found.accuracy.n, found.accuracy_item.n) == (workers, 150)
