"""Selections of exclusion rules on evaluators' accuracy: each value by hand, beside removals of as many assignments."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import pytest

from metrics import EvaluatorJudgment
from metrics.data.evaluator_judgments import HUMAN, MACHINE, check_judgments
from metrics.errors import BadInput
from metrics.evaluators.accuracy import measure_accuracy
from metrics.evaluators.exclusion_sensitivity import evaluator_exclusions
from metrics.figures import exclusion_curve
from metrics.tables.exclusions import exclusions_table
from metrics.tables.text import table_text

# Right answers of ten that twelve evaluators give, six in each arm.
RIGHT = {"none": (5, 4, 6, 5, 5, 5), "examples": (9, 8, 9, 10, 8, 1)}


@pytest.fixture(scope="module")
def judgments() -> list[EvaluatorJudgment]:
    """Five texts of each source, each evaluator in two assignments of five texts."""
    return [
        EvaluatorJudgment(f"{arm}{e}", f"t{i}",
                          *((MACHINE, 4 if i < n else 1) if i % 2 else (HUMAN, 1 if i < n else 4)),
                          {"training": arm}, f"{arm}{e} {i // 5}")
        for arm, right in RIGHT.items() for e, n in enumerate(right) for i in range(10)
    ]  # fmt: skip


def assignments(*evaluators: str) -> set[str]:
    return {f"{one} {half}" for one in evaluators for half in (0, 1)}


RULES = {"fast": assignments("examples5", "none0"), "straight": {"examples0 0", *assignments("none2")}}


def by_hand(judgments: list[EvaluatorJudgment], arm: str, gone: set[str]) -> float:
    """The mean over evaluators of their shares of right answers."""
    shares: dict[str, list[int]] = {}
    for one in judgments:
        if one.unit not in gone and arm in (one.factors["training"], "all judgments"):
            shares.setdefault(one.rater, []).append((one.rating > 2) == (one.truth == MACHINE))
    return mean(mean(own) for own in shares.values())


@pytest.mark.parametrize("arm", ["none", "examples", "all judgments"])
def test_every_selection_has_the_accuracy_of_what_it_leaves_in_each_condition(judgments, arm):
    found = evaluator_exclusions(judgments, RULES, ["training"], draws=20)[arm]
    assert [one.rules for one in found.specifications] == [(), ("fast",), ("straight",), ("fast", "straight")]
    for one in found.specifications:
        gone = set().union(*(RULES[rule] for rule in one.rules))
        assert one.value == pytest.approx(by_hand(judgments, arm, gone), abs=1e-12), one.named


def test_what_is_left_out_is_counted_in_assignments_answers_and_evaluators(judgments):
    found = evaluator_exclusions(judgments, RULES, ["training"], draws=5)["examples"]
    counts = [(one.units, one.ratings, one.fewest) for one in found.specifications]
    assert counts == [(0, 0, 6), (2, 10, 5), (1, 5, 6), (3, 15, 5)]


def test_each_selection_has_the_interval_of_the_judgments_that_it_leaves(judgments):
    found = evaluator_exclusions(judgments, RULES, ["training"], draws=5)["none"]
    left = [one for one in judgments if one.factors["training"] == "none" and one.unit not in RULES["fast"]]
    accuracy = measure_accuracy(check_judgments(left)).accuracy
    assert found.specifications[1].interval == accuracy.interval
    assert found.specifications[0].interval == found.headline.interval


def test_random_removals_leave_out_as_many_assignments(judgments):
    """Without one of six evaluators who did one assignment each, the mean lies at one of six known places."""
    whole = [replace(one, unit=one.rater) for one in judgments if one.factors["training"] == "none"]
    (found,) = evaluator_exclusions(whole, {"one": {"none0"}}, draws=600).values()
    alone = found.specifications[1]
    places = [mean(n / 10 for at, n in enumerate(RIGHT["none"]) if at != gone) for gone in range(6)]
    assert (alone.random.low, alone.random.high) == pytest.approx((min(places), max(places)))
    assert alone.random.mean == pytest.approx(mean(places), abs=0.005)
    # A removal is at most the value where who is left out answered at least as well: five of the six.
    assert alone.as_low == pytest.approx(5 / 6, abs=0.06)


def test_a_conclusion_that_hangs_on_one_evaluator_is_told(judgments):
    found = evaluator_exclusions(judgments, {"hopeless": assignments("examples5")}, ["training"], draws=5)
    assert (found["examples"].conclusion, found["none"].conclusion) == ("open", "open")
    assert [one.rules for one in found["examples"].changing] == [("hopeless",)]
    assert found["none"].changing == ()
    assert "The conclusion changes under 1 of the selections." in table_text(exclusions_table(found["examples"]))


def test_what_is_reported_stands_beside_the_selections(judgments):
    found = evaluator_exclusions(judgments, RULES, ["training"], draws=5, reported=RULES["fast"])["examples"]
    assert (found.reported.units, found.reported.value) == (2, found.specifications[1].value)
    assert len(found.specifications) == 4


def test_a_rule_that_leaves_nobody_in_a_condition_has_no_value_there(judgments):
    everybody = {one.unit for one in judgments if one.factors["training"] == "none"}
    found = evaluator_exclusions(judgments, {"all": everybody}, ["training"], draws=5)
    assert (found["none"].flags, found["examples"].flags) == (("nobody_left",), ())
    assert [one.value is None for one in found["none"].specifications] == [False, True]
    assert found["examples"].specifications[1].value == found["examples"].headline.value


def test_a_rule_that_stands_alone_is_joined_with_no_other_and_progress_is_told(judgments):
    seen: list[tuple[int, int]] = []
    found = evaluator_exclusions(
        judgments, RULES, draws=2, alone=["straight"], progress=lambda done, of: seen.append((done, of))
    )
    assert [one.rules for one in found["all judgments"].specifications] == [(), ("fast",), ("straight",)]
    assert seen == [(1, 1)]


def test_judgments_without_an_assignment_are_refused(judgments):
    with pytest.raises(BadInput, match="needs a unit"):
        evaluator_exclusions([replace(judgments[0], unit=""), *judgments[1:]], RULES)


def test_the_figure_marks_chance_and_tells_every_selection(judgments):
    found = evaluator_exclusions(judgments, RULES, ["training"], draws=20)["examples"]
    assert "Accuracy under 4 selections" in exclusion_curve.chart(found).alt
