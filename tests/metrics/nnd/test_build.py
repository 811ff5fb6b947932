"""Which pairs of annotated candidates become tests, and what is said of the others."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import Numbers, PartialOrder, Ranks, best_above_others, likert_majority
from metrics.nnd.records import Candidate
from tests.metrics.nnd.make import candidate

CHAIN = PartialOrder([("good", "minor"), ("minor", "major"), ("good", "other")])


def ids(tests):
    return [(test.high.id, test.low.id) for test in tests.tests]


def test_every_pair_of_differing_rank_becomes_a_test_with_the_higher_rank_as_the_better():
    given_ = [candidate("a", "poor"), candidate("b", "fine"), candidate("c", "good"), candidate("d", "fine")]
    tests = build_tests(given_, Ranks({"poor": 0, "fine": 1, "good": 2}), "own")
    assert ids(tests) == [("b", "a"), ("c", "a"), ("d", "a"), ("c", "b"), ("c", "d")]
    assert [test.high_first for test in tests.tests] == [False, False, False, False, True]
    assert tests.skipped == {"same_quality": 1}


def test_candidates_of_different_contexts_or_parts_never_meet():
    given_ = [
        candidate("a", "good", context="1"),
        candidate("b", "bad", context="2"),
        candidate("c", "bad", context="1", part="p"),
        candidate("d", "bad", context="1"),
    ]
    assert ids(build_tests(given_, Ranks({"good": 1, "bad": 0}), "own")) == [("a", "d")]


def test_a_partial_order_pairs_only_what_follows_from_it():
    given_ = [candidate("g", "good"), candidate("i", "minor"), candidate("a", "major"), candidate("o", "other")]
    tests = build_tests(given_, CHAIN, "own")
    assert ids(tests) == [("g", "i"), ("g", "a"), ("g", "o"), ("i", "a")]
    assert tests.skipped == {"unordered": 2}


def test_an_order_that_goes_in_a_circle_is_refused():
    with pytest.raises(BadInput, match="'a' would be better than itself"):
        PartialOrder([("a", "b"), ("b", "c"), ("c", "a")])


def test_a_label_that_the_order_does_not_know_is_named():
    with pytest.raises(BadInput, match=r"candidate b, column label: the order says nothing of the label 'odd'\."):
        build_tests([candidate("a", "good"), candidate("b", "odd")], CHAIN, "own")


def test_a_required_label_leaves_other_pairs_out_and_counts_them():
    given_ = [candidate("g", "good"), candidate("i", "minor"), candidate("a", "major")]
    tests = build_tests(given_, CHAIN, "own", options=Options(must_include="good"))
    assert ids(tests) == [("g", "i"), ("g", "a")]
    assert tests.skipped == {"without_required_label": 1}


def test_numbers_pair_by_size_and_gaps_below_the_minimum_are_counted():
    given_ = [candidate(str(q), "", quality=Fraction(q)) for q in (50, 55, 60, 60)]
    tests = build_tests(given_, Numbers(Fraction(10)), "own")
    assert len(tests) == 2
    assert tests.skipped == {"below_minimum_gap": 3, "same_quality": 1}


def test_equal_texts_make_no_test_unless_kept():
    given_ = [candidate("a", "good", text="One  text "), candidate("b", "other", text="One text")]
    given_.append(candidate("c", "other", text="one text"))
    assert ids(build_tests(given_, CHAIN, "own")) == [("a", "c")]
    assert len(build_tests(given_, CHAIN, "own", options=Options(keep_equal_texts=True))) == 2
    with pytest.raises(InsufficientData, match="equal_texts 2"):
        build_tests(given_, CHAIN, "own", options=Options(fold_case=True))


def test_candidates_without_texts_make_tests_and_the_set_says_so():
    tests = build_tests([candidate("a", "good", text=None), candidate("b", "other", text=None)], CHAIN, "own")
    assert (len(tests), tests.flags) == (1, ("without_texts",))


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (Candidate("b", "c", "context c", " ", "other"), "candidate b, column text: the text is blank"),
        (Candidate("a", "c", "context c", "else", "other"), "candidate a, column id: one id is used for two texts"),
        (Candidate("b", "c", "another", "b", "other"), "context c, column context: one id is used for two contexts"),
    ],
)
def test_candidates_that_contradict_each_other_are_refused(second, words):
    with pytest.raises(BadInput, match=words):
        build_tests([candidate("a", "good"), second], CHAIN, "own")


def test_nothing_to_pair_is_an_error_that_says_why():
    with pytest.raises(InsufficientData, match=r"own: no pair of candidates makes a test \(same_quality 1\)"):
        build_tests([candidate("a", "good"), candidate("b", "good")], CHAIN, "own")


@pytest.mark.parametrize(
    ("ratings", "high"), [([5, 5, 1], True), ([5, 5, 4, 4], False), ([5], True), ([4, 5, 4], False)]
)
def test_a_majority_is_more_than_half(ratings, high):
    assert likert_majority(ratings) is high


def test_a_majority_of_nothing_is_refused():
    with pytest.raises(BadInput, match="needs a rating"):
        likert_majority([])


def squality(data_dir):
    """One candidate a response, its quality the exact mean of three ratings."""
    candidates = []
    for line in (data_dir / "squality" / "all-responses.jsonl").read_text().splitlines():
        passage = json.loads(line)
        for number, question in passage["questions"].items():
            name = f"{passage['passage-id']}/{number}"
            for system in ("bart", "bart-dpr", "human"):
                ratings = [review["overall-rating"] for review in question[system]["reviews"]]
                quality = Fraction(sum(ratings), len(ratings))
                candidates.append(candidate(f"{name}/{system}", "", context=name, text=None, quality=quality))
    return candidates


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=25))
def test_tests_and_left_out_pairs_are_all_pairs_of_a_context(rows):
    given_ = [candidate(str(n), str(rank), context=str(c)) for n, (c, rank) in enumerate(rows)]
    pairs = sum(a[0] == b[0] for a, b in itertools.combinations(rows, 2))
    better = sum(a[0] == b[0] and a[1] != b[1] for a, b in itertools.combinations(rows, 2))
    order = Ranks({str(rank): rank for rank in range(5)})
    if not better:
        with pytest.raises(InsufficientData):
            build_tests(given_, order, "own")
        return
    tests = build_tests(given_, order, "own")
    assert (len(tests), len(tests) + sum(tests.skipped.values())) == (better, pairs)
    assert all(int(test.high.label) > int(test.low.label) for test in tests.tests)
    assert sum(tests.by_category.values()) == sum(tests.by_combination.values()) == len(tests)


@pytest.mark.needs_data
@pytest.mark.parametrize(("gap", "by_floats", "exactly"), [(0, 299, 299), (10, 260, 261), (20, 230, 230)])
def test_squality_ratings_give_the_reference_numbers_of_pairs(data_dir, gap, by_floats, exactly):
    candidates = squality(data_dir)
    assert len(build_tests(candidates, Numbers(Fraction(gap)), "squality")) == exactly
    # The reference counts with floats, where 70/3 - 40/3 falls short of 10.
    pairs = [(a, b) for a, b in itertools.combinations(candidates, 2) if a.context_id == b.context_id]
    gaps = [abs(float(a.quality) - float(b.quality)) for a, b in pairs]
    assert sum(found >= gap and found > 0 for found in gaps) == by_floats


def test_one_above_all_leaves_the_others_unordered():
    order = best_above_others("best", ["best", "x", "y"])
    assert order.compare(candidate("a", "x"), candidate("b", "y")) == "unordered"
    assert order.compare(candidate("a", "x"), candidate("b", "best")) == "second"
