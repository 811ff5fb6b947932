"""HJ: the specification's example, its edge cases, and its sufficient statistics."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import Rating, human_judgments, sum_ratings
from metrics.errors import BadInput, InsufficientData, MissingHJ
from metrics.types import RatingSums

EXAMPLE = [5, 4, 4, 3, 5, 0, 4, 4, 3, 5]


def ratings(values: list[int], item: str = "a") -> list[Rating]:
    return [Rating(item, f"w{i}", Fraction(value)) for i, value in enumerate(values)]


def test_example_has_the_printed_mean_sd_and_t_interval():
    hj = human_judgments(sum_ratings(ratings(EXAMPLE))).items["a"]
    assert hj.value == Fraction(37, 10)
    assert hj.sd == pytest.approx(1.494434, abs=1e-6)
    assert (hj.interval.low, hj.interval.high) == pytest.approx((2.833705, 4.566295), abs=1e-6)
    assert (hj.interval.level, hj.interval.method, hj.n) == (0.90, "t", 10)


def test_example_has_the_printed_z_interval():
    hj = human_judgments(sum_ratings(ratings(EXAMPLE)), method="z").items["a"]
    assert (hj.interval.low, hj.interval.high) == pytest.approx((2.922673, 4.477327), abs=1e-6)


def test_one_rating_has_no_interval_and_says_so():
    found = human_judgments(sum_ratings(ratings([4])))
    assert found.items["a"].interval is None
    assert found.items["a"].flags == found.flags == ("single_rating",)


def test_an_item_without_ratings_is_dropped_and_named():
    found = human_judgments(sum_ratings(ratings([4, 5]), items=["b", "a"]))
    assert found.dropped == ("b",)
    assert list(found.items) == ["a"]
    assert "missing_hj" in found.flags


def test_asking_for_an_item_without_ratings_names_it():
    found = human_judgments(sum_ratings(ratings([4, 5]), items=["b"]))
    with pytest.raises(MissingHJ, match="b"):
        found.of(["a", "b"])
    assert found.of(["a"])[0].value == Fraction(9, 2)


def test_all_raters_excluded_names_the_filter_that_removed_the_most():
    with pytest.raises(InsufficientData, match="'too fast' removed the most \\(7\\)"):
        human_judgments(sum_ratings([], items=["a"]), removed={"attention": 3, "too fast": 7})


def test_no_ratings_and_no_filter_is_said_plainly():
    with pytest.raises(InsufficientData, match="No rating is left"):
        human_judgments([])


def test_a_rater_counts_once_an_item():
    twice = [Rating("a", "w", Fraction(1)), Rating("a", "w", Fraction(2))]
    with pytest.raises(BadInput, match="rater w rates item a more than once"):
        sum_ratings(twice)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_a_rating_that_is_no_finite_number_is_refused(value):
    with pytest.raises(BadInput, match="finite number"):
        sum_ratings([Rating("a", "w", value)])


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=40))
def test_a_database_aggregate_serves_as_well_as_ratings(values):
    squares = Fraction(sum(v * v for v in values))
    aggregate = RatingSums("a", len(values), Fraction(sum(values)), squares)
    assert human_judgments([aggregate]) == human_judgments(sum_ratings(ratings(values)))


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.integers(-3, 3), st.integers(1, 5))
def test_hj_and_its_interval_move_with_the_coding(values, zero, unit):
    plain = human_judgments(sum_ratings(ratings(values))).items["a"]
    coded = human_judgments(sum_ratings(ratings([zero + unit * v for v in values]))).items["a"]
    assert coded.value == zero + unit * plain.value
    assert (coded.interval is None) == (plain.interval is None) == (len(set(values)) == 1)
    if coded.interval is not None:
        assert coded.interval.low == pytest.approx(zero + unit * plain.interval.low)


@pytest.mark.parametrize(
    "sums",
    [
        [RatingSums("a", 2, Fraction(9), Fraction(1))],
        [RatingSums("a", -1, Fraction(0), Fraction(0))],
        [RatingSums("a", 1, Fraction(1), Fraction(1))] * 2,
    ],
)
def test_sums_that_no_ratings_have_are_refused(sums):
    with pytest.raises(BadInput):
        human_judgments(sums)


@pytest.mark.parametrize("options", [{"level": 0}, {"level": 1}, {"method": "bootstrap"}])
def test_odd_settings_are_refused(options):
    with pytest.raises(BadInput):
        human_judgments(sum_ratings(ratings([1, 2])), **options)
