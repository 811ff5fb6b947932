"""A finished study of ours becomes a set of tests."""

from __future__ import annotations

from fractions import Fraction

import pytest

from metrics.errors import BadInput, InsufficientData
from metrics.nnd.from_study import Labelled, StudyText, by_labels, by_majorities, by_means
from metrics.nnd.orders import best_above_others
from metrics.types import Rating

TEXTS = [StudyText(name, name[0], f"context {name[0]}", f"text {name}", name[1:]) for name in ("1a", "1b", "1c", "2a")]
ERRORS = best_above_others("No error", ["off topic", "odd grammar"])


def ratings(**given):
    """Ratings by text (its name after an underscore), one rater each."""
    return [Rating(n[1:], f"r{at}", Fraction(value)) for n, values in given.items() for at, value in enumerate(values)]


def labels(**given):
    return [Labelled(n[1:], f"r{at}", label) for n, found in given.items() for at, label in enumerate(found)]


def ids(tests):
    return [(test.high.id, test.low.id) for test in tests.tests]


def test_means_are_compared_exactly_and_thin_texts_are_left_out():
    given = ratings(_1a=[5, 4, 4], _1b=[3, 3, 4], _1c=[5, 5], _2a=[1, 2, 1])
    tests = by_means(TEXTS, given, minimum_gap=Fraction(1), minimum_ratings=3)
    # 13/3 - 10/3 is exactly 1.
    assert ids(tests) == [("1a", "1b")]
    assert tests.skipped == {"texts_with_too_few_judgments": 1}
    assert tests.by_category == {"lower_rated": 1}


def test_a_strict_majority_of_the_top_makes_the_better_text():
    given = ratings(_1a=[5, 5, 1], _1b=[5, 4, 5, 4], _1c=[4, 4, 4])
    tests = by_majorities(TEXTS, given, Fraction(5))
    assert ids(tests) == [("1a", "1b"), ("1a", "1c")]
    assert tests.skipped == {"texts_with_too_few_judgments": 1, "same_quality": 1}


def test_the_most_frequent_label_decides_and_a_draw_leaves_the_text_out():
    given = labels(
        _1a=["No error", "No error", "off topic"],
        _1b=["off topic"] * 2,
        _1c=["odd grammar", "No error"],
        _2a=["off topic"],
    )
    tests = by_labels(TEXTS, given, ERRORS)
    assert ids(tests) == [("1a", "1b")]
    assert (tests.by_category, tests.skipped) == ({"off topic": 1}, {"texts_without_a_majority_label": 1})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: by_majorities(TEXTS, ratings(_9z=[1]), Fraction(5)), "no text has the id '9z'"),
        (lambda: by_labels(TEXTS, labels(_9z=["x"]), ERRORS), "no text has the id '9z'"),
        (lambda: by_labels(TEXTS, labels(_1a=["x"]) * 2, ERRORS), "rater 'r0' has labeled text '1a' twice"),
        (lambda: by_labels(TEXTS, labels(_1a=["x"], _1b=["No error"]), ERRORS), "nothing of the label 'x'"),
        (lambda: by_means(TEXTS * 2, []), "the id '1a' is used for two texts"),
        (lambda: by_means(TEXTS, [], minimum_ratings=0), "at least 1 judgment"),
    ],
)
def test_judgments_that_do_not_belong_are_refused(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_a_study_in_which_no_texts_meet_says_why():
    with pytest.raises(InsufficientData, match="texts_with_too_few_judgments 4"):
        by_means(TEXTS, [])
