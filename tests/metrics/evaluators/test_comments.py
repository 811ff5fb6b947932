"""Codes of comments: both denominators, the paper's rows, agreement of two coders, refusals."""

from __future__ import annotations

import pytest

from metrics.agreement.kappa import cohen_kappa
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.comment_codes import CLARK, NULL, Codebook, Coded, code_table, coder_agreement
from metrics.types import Estimate


def coded(*codes: tuple[str, ...], coder: str = "a") -> list[Coded]:
    return [Coded(f"c{i}", coder, given) for i, given in enumerate(codes)]


FOUR = coded(("grammar", "genre"), ("grammar", "factuality"), ("coherence",), (NULL,))


def shares(table, name):
    (row,) = [row for row in table.rows if (row.code or row.category) == name]
    return row.labels, row.comments, row.share_of_labels.value, row.share_of_comments.value


def test_shares_are_of_labels_without_null_and_of_all_comments():
    """Five labels on four comments, one of them Null: grammar is 2 of 5 and 2 of 4, form 3 of 5 and 2 of 4."""
    table = code_table(FOUR)
    assert shares(table, "grammar") == (2, 2, 2 / 5, 2 / 4)
    assert shares(table, "form") == (3, 2, 3 / 5, 2 / 4)
    assert (table.labels, table.comments, table.null_comments) == (5, 4, 1)


def test_categories_divide_the_labels_among_them():
    rows = [row for row in code_table(FOUR).rows if row.code is None]
    assert [row.category for row in rows] == list(CLARK.categories)
    assert sum(row.share_of_labels.value for row in rows) == pytest.approx(1)


def test_45_of_150_comments_are_30_percent_of_comments():
    """The paper's own example (K24), with one label more on each of 30 comments."""
    table = code_table(
        coded(*[("grammar", "genre")] * 30, *[("grammar",)] * 15, *[("coherence",)] * 100, *[(NULL,)] * 5)
    )
    labels, comments, of_labels, of_comments = shares(table, "grammar")
    assert (labels, comments, of_comments) == (45, 45, 0.3)
    assert of_labels == pytest.approx(45 / 175)


def test_a_share_of_comments_has_the_interval_of_a_share():
    """2 of 4: Wilson with t at 3 degrees of freedom, n - 1 judgments (the sample variance of 0 and 1)."""
    (row,) = [row for row in code_table(FOUR).rows if row.code == "grammar"]
    t = 3.1824463
    half = t * (0.25 / 3 + t * t / 36) ** 0.5 / (1 + t * t / 3)
    interval = row.share_of_comments.interval
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-7)
    assert "for new comments" in interval.method


def test_a_person_who_says_the_same_twice_is_one_person():
    """Every comment doubled by its writer: the interval is that of the comments once."""
    twice = [Coded(f"{entry.comment} {copy}", entry.coder, entry.codes) for entry in FOUR for copy in (1, 2)]
    writers = {entry.comment: entry.comment[:-2] for entry in twice}
    once, doubled = (
        next(row for row in table.rows if row.code == "grammar").share_of_comments.interval
        for table in (code_table(FOUR), code_table(twice, writers=writers))
    )
    assert (doubled.low, doubled.high) == pytest.approx((once.low, once.high))
    assert doubled.method.endswith("for new people")


def test_null_alone_leaves_no_share_of_labels():
    row = code_table(coded((NULL,), (NULL,))).rows[0]
    assert (row.share_of_labels.value, row.share_of_labels.flags) == (None, ("no_labels",))
    assert row.share_of_comments.value == 0


def test_one_comment_has_values_and_no_interval():
    row = code_table(coded(("grammar",))).rows[0]
    assert (row.share_of_comments.value, row.share_of_comments.interval) == (1, None)
    assert row.share_of_comments.flags == ("one_unit",)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (coded(("grammer",)), "comment c0, column codes: grammer is not in the codebook"),
        (coded(("grammar", NULL)), "'null' cannot be combined with another label"),
        (coded(()), "at least one label"),
        (coded(("grammar", "grammar")), "each once"),
        (coded(("grammar",)) + coded(("genre",), coder="b"), "adjudicate first"),
        (coded(("grammar",)) * 2, "codes it more than once"),
    ],
)
def test_bad_codes_are_refused_by_comment_and_rule(entries, words):
    with pytest.raises(BadInput, match=words):
        code_table(entries)


@pytest.mark.parametrize("categories", [{}, {"form": ()}, {"form": ("x", "x")}, {"form": ("form",)}, {"a": (NULL,)}])
def test_a_codebook_has_codes_each_once_and_none_null(categories):
    with pytest.raises(BadInput, match="a codebook has codes"):
        Codebook(categories)


def test_no_comment_is_too_few():
    with pytest.raises(InsufficientData):
        code_table([])


def test_agreement_hands_the_measure_two_lists_over_the_comments_both_coded():
    seen = {}

    def measure(a, b):
        seen[len(seen)] = (list(a), list(b))
        return Estimate(sum(x == y for x, y in zip(a, b, strict=True)) / len(a), len(a), None, {}, (), "share agreed")

    second = coded(("grammar",), ("genre",), ("coherence",), coder="b")
    found = coder_agreement([*FOUR, *second], ("a", "b"), measure)
    assert list(found) == [*CLARK.codes, NULL]
    assert seen[0] == ([1, 1, 0], [1, 0, 0])
    assert (found["grammar"].value, found["coherence"].value) == (2 / 3, 1)


def test_coders_who_share_no_comment_or_are_one_cannot_agree():
    with pytest.raises(InsufficientData, match="both a and b"):
        coder_agreement(FOUR, ("a", "b"), cohen_kappa)
    with pytest.raises(BadInput, match="two different coders"):
        coder_agreement(FOUR, ("a", "a"), cohen_kappa)
