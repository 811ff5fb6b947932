"""Rules, what they leave out by group, and the paragraph that tells it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from annotation.quality.methods_text import NOTHING, Done, paragraph
from annotation.quality.rules import Rule, tabulate

NO_FLAGS: frozenset[str] = frozenset()


def test_a_rule_holds_beyond_its_threshold_with_enough_behind_it():
    assert Rule("too_fast").holds({"too_fast": [0.6, 0.5, 0.7, 25]}, NO_FLAGS)
    assert not Rule("too_fast", 0.7).holds({"too_fast": [0.6, 0.5, 0.7, 25]}, NO_FLAGS)
    assert not Rule("too_fast").holds({"too_fast": [1.0, 0.5, 1.0, 2]}, NO_FLAGS)
    assert not Rule("too_fast").holds({}, NO_FLAGS)
    assert Rule("disagreement").holds({"disagreement": [-0.2, None, None, 25]}, NO_FLAGS)


def test_what_people_judged_holds_by_its_flag():
    assert Rule("mismatch").holds({}, frozenset({"mismatch"}))
    assert not Rule("mismatch").holds({}, NO_FLAGS)


def sizes(group: object, assignment: object) -> np.ndarray:
    """Ratings by assignment and by two groups, from the group and the assignment of each rating."""
    found = np.zeros((np.max(assignment) + 1, 2))
    np.add.at(found, (assignment, group), 1)
    return found


def test_shares_by_source_are_counted_in_ratings():
    # Assignment 0: three references; 1: two model texts and a reference.
    found = tabulate(["reference", "model"], np.array([[3, 0], [1, 2]]), np.array([True, False]))
    assert [(row.group, row.ratings, row.left_out) for row in found.rows] == [("reference", 4, 3), ("model", 2, 0)]


def test_with_one_rating_an_assignment_the_test_is_that_of_a_two_by_two_table():
    left_out = np.array([True] * 12 + [False] * 28 + [True] * 4 + [False] * 36)
    found = tabulate(["a", "b"], sizes(np.repeat([0, 1], 40), np.arange(80)), left_out)
    exact = stats.fisher_exact([[12, 28], [4, 36]]).pvalue
    assert found.p == pytest.approx(exact, abs=0.02)


def test_a_filter_that_hits_hits_of_one_source_is_tested_by_assignment_not_by_rating():
    # Four assignments of 25 ratings: that one of two of a source is left out says nothing.
    group, assignment = np.repeat([0, 0, 1, 1], 25), np.repeat(np.arange(4), 25)
    assert tabulate(["a", "b"], sizes(group, assignment), np.array([True, False, False, False])).p == 1.0


def test_nothing_left_out_has_no_p():
    assert tabulate(["a", "b"], np.eye(2), np.array([False, False])).p is None


def done(**changes: object) -> Done:
    nobody = {"recruitment": (None, None, ""), "left_out": 0, "by_hand": 0, "rules": (), "hits": {}, "refused": 0}
    unknown = dict.fromkeys(("version", "blind", "by_source", "by_condition"))
    return Done(**{"submissions": 160, **nobody, **unknown, **changes})


def test_a_study_that_left_nothing_out_says_so():
    assert paragraph(done(paid=True)) == f"{NOTHING} All submitted work was paid."


def test_work_is_called_paid_only_where_it_is_known_to_have_been():
    """Approved in a rehearsal, by volunteers, or paid outside: approved is what is known. Without work: nothing."""
    assert paragraph(done()) == f"{NOTHING} All submitted work was approved."
    assert paragraph(done(submissions=0)) == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"undecided": 160}, "No decision on payment is recorded for 160 of 160 submissions."),
        ({"refused": 2}, "2 of 160 submissions were rejected (not paid), each by two reviewers."),
        (
            {"refused": 3, "elsewhere": 1, "undecided": 4},
            "3 of 160 submissions were rejected (not paid), 1 of them on the marketplace. No decision on "
            "payment is recorded for 4 of 160 submissions.",
        ),
    ],
)
def test_payment_is_told_as_it_was_decided_and_never_claimed(changes, told):
    assert paragraph(done(**changes)) == f"{NOTHING} {told}"


def test_the_paragraph_tells_rules_counts_when_they_were_fixed_and_who_was_paid():
    table = tabulate(["reference", "model"], np.eye(2), np.array([True, False]))
    rules, hits = [Rule("too_fast"), Rule("mismatch")], {"too_fast": (9, 5), "mismatch": (1, 1)}
    told = paragraph(
        done(left_out=12, by_hand=2, rules=rules, hits=hits, version=3, blind=False, by_source=table, refused=1,
             recruitment=(None, None, "US"))
    )  # fmt: skip
    assert told.startswith("Workers were located in the US. 5 raters answered more than 50% of the items faster")
    assert "(version 3) were fixed after results were seen" in told
    assert "Of 160 submissions, 12 (7.5%) were excluded (2 by a reviewer's decision" in told
    assert "reference 100.0% of 1 texts shown, model 0.0% of 1 texts shown" in told
    assert told.endswith("1 of 160 submissions was rejected (not paid), each by two reviewers.")
