"""Selections of exclusion rules: what each leaves, beside random removals, on made and on released ratings."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from metrics import Rating, evaluate
from metrics.errors import BadInput, SingleSource
from metrics.figures import exclusion_curve
from metrics.huse.exclusion_sensitivity import exclusion_sensitivity
from metrics.huse.ratings_by_text import with_means
from metrics.tables.exclusions import exclusions_table
from metrics.tables.text import table_text
from tests.metrics.factories import LABELS, batch_items, rated_study


@pytest.fixture(scope="module")
def study():
    """30 contexts, 8 raters; each rater's ratings are one assignment."""
    items, ratings = rated_study()
    return items, [replace(rating, unit=rating.rater) for rating in ratings]


def by_hand(items, ratings, gone):
    """HUSE of what is left, computed anew from the ratings that no rule leaves out."""
    left = [rating for rating in ratings if rating.unit not in gone]
    return evaluate(with_means([replace(item, hj=None) for item in items], left), ["exact"], draws=0)["exact"]


def test_every_selection_has_the_value_of_what_it_leaves(study):
    rules = {"fast": {"w0", "w1"}, "straight": {"w1", "w2"}}
    found = exclusion_sensitivity(*study, rules, draws=20)
    assert [one.rules for one in found.specifications] == [(), ("fast",), ("straight",), ("fast", "straight")]
    assert [one.units for one in found.specifications] == [0, 2, 2, 3]
    for one in found.specifications:
        gone = set().union(*(rules[rule] for rule in one.rules))
        left = by_hand(*study, gone)
        assert one.value == pytest.approx(left.huse.value, abs=1e-12)
        assert one.quality.value == pytest.approx(left.huse_q.value, abs=1e-12)
        assert one.diversity.value == pytest.approx(1 + left.huse.value - left.huse_q.value, abs=1e-12)
        assert (one.fewest, one.ratings) == (8 - len(gone), 60 * len(gone))


def test_without_a_rule_nothing_is_random_and_the_value_is_the_headline(study):
    first = exclusion_sensitivity(*study, {"fast": {"w0"}}, measure="huse_q", draws=20).specifications[0]
    assert first.value == pytest.approx(by_hand(*study, set()).huse_q.value, abs=1e-12)
    assert (first.random.mean, first.random.low, first.as_low) == (first.value, first.value, 1.0)


def test_a_rule_that_draws_lots_looks_like_its_random_removals(study):
    found = exclusion_sensitivity(*study, {"lot": {"w3", "w5"}}, draws=200)
    alone = found.specifications[1]
    assert alone.random.low - 1e-9 <= alone.value <= alone.random.high + 1e-9


def test_equalised_values_stand_on_one_number_of_ratings(study):
    found = exclusion_sensitivity(*study, {"a": {"w0"}, "b": {"w1", "w2"}}, draws=100)
    assert found.common == 5
    last = found.specifications[-1]
    # It leaves just the common number, so equalising changes nothing.
    assert last.equalised == pytest.approx(last.value, abs=1e-12)


def test_selections_that_leave_too_little_are_shown_and_not_equalised(study):
    found = exclusion_sensitivity(*study, {"most": {f"w{i}" for i in range(5)}, "all": {f"w{i}" for i in range(8)}})
    assert found.flags == ("text_without_ratings", "not_equalised")
    assert [one.value is None for one in found.specifications] == [False, False, True, True]
    assert [one.equalised is None for one in found.specifications] == [False, True, True, True]


def test_more_than_eight_rules_give_256_seeded_selections_with_each_rule_alone(study):
    rules = {f"rule {i}": {f"w{i % 3}"} for i in range(9)}
    found = exclusion_sensitivity(*study, rules, draws=1)
    chosen = [one.rules for one in found.specifications]
    assert (len(chosen), len(set(chosen)), found.subsets) == (256, 256, "256 seeded")
    assert {(rule,) for rule in rules} < set(chosen)
    again = exclusion_sensitivity(*study, rules, draws=1)
    assert [one.rules for one in again.specifications] == chosen


def test_shares_on_each_side_of_the_headlines_interval_sum_to_one(study):
    found = exclusion_sensitivity(*study, {f"{i}": {f"w{i}"} for i in range(3)}, draws=5)
    assert found.below + found.inside + found.above == pytest.approx(1)
    span = found.headline.interval
    inside = [span.low <= one.value <= span.high for one in found.specifications]
    assert found.inside == pytest.approx(np.mean(inside))


def test_without_any_log_p_the_quality_alone_is_told(study):
    items, ratings = study
    bare = [replace(item, log_prob=None, length=None) for item in items]
    found = exclusion_sensitivity(bare, ratings, {"a": {"w0"}}, measure="huse_q", missing="quality_only", draws=5)
    whole = exclusion_sensitivity(items, ratings, {"a": {"w0"}}, measure="huse_q", draws=5)
    assert [one.value for one in found.specifications] == [one.value for one in whole.specifications]
    assert found.headline.value == whole.headline.value


def test_a_rule_that_stands_alone_is_joined_with_no_other_and_progress_is_told(study):
    rules, seen = {"a": {"w0"}, "b": {"w1"}, "c": {"w2"}}, []
    found = exclusion_sensitivity(
        *study, rules, draws=2, alone=["c"], progress=lambda done, of: seen.append((done, of))
    )
    assert [one.rules for one in found.specifications] == [(), ("a",), ("b",), ("a", "b"), ("c",)]
    assert seen == [(at, 5) for at in range(1, 6)]


def test_ratings_without_an_assignment_are_refused(study):
    items, ratings = study
    with pytest.raises(BadInput, match="needs a unit"):
        exclusion_sensitivity(items, [replace(ratings[0], unit=""), *ratings[1:]], {"a": {"w0"}})


def test_rules_for_nothing_are_an_error_in_a_sentence(study):
    items, ratings = study
    with pytest.raises(SingleSource):
        exclusion_sensitivity(items[:3], ratings, {"a": {"w0"}})


def test_the_figure_and_the_table_tell_every_selection(study):
    found = exclusion_sensitivity(*study, {"fast": {"w0", "w1"}, "straight": {"w2"}}, draws=30)
    chart = exclusion_curve.chart(found)
    assert [points.name for points in chart.points] == ["by the rules", "as many at random"]
    assert "under 4 selections" in chart.alt
    table = exclusions_table(found)
    assert "fast, straight" in table_text(table)
    assert {"HUSE", "HUSE-Q", "HUSE-D"} <= {column.title for column in table.columns}
    places = [column.key for column in table.columns]
    for row, one in zip(table.rows, found.specifications, strict=True):
        cells = dict(zip(places, row, strict=True))
        assert (cells["value"], cells["huse_q"], cells["huse_d"]) == (one.value, one.quality, one.diversity)


@pytest.mark.needs_data
def test_the_released_study_by_time_and_straight_lines(data_dir):
    # reference-results.md: assignments under 60, 120, 300 s, and 12 straight-lined ones.
    ratings, rules = [], {"60 s": set(), "120 s": set(), "300 s": set(), "straight": set()}
    with (data_dir / "huse" / "summarization_batch_results.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            unit, given = row["AssignmentId"], [row[f"Answer.{i}"] for i in range(25)]
            ratings += [
                Rating(f"{row['HITId']}-{i}", row["WorkerId"], Fraction(LABELS.index(one) + 1), unit)
                for i, one in enumerate(given)
            ]
            for seconds in (60, 120, 300):
                if int(row["WorkTimeInSeconds"]) < seconds:
                    rules[f"{seconds} s"].add(unit)
            if Counter(given).most_common(1)[0][1] >= 20:
                rules["straight"].add(unit)
    found = exclusion_sensitivity(batch_items(data_dir, 20), ratings, rules, draws=50)
    alone = {one.rules[0]: one for one in found.specifications if len(one.rules) == 1}
    told = {rule: (one.units, one.fewest, round(one.value, 9)) for rule, one in alone.items() if rule != "straight"}
    assert told == {"60 s": (6, 19, 0.51), "120 s": (13, 18, 0.47), "300 s": (28, 15, 0.49)}
    assert (alone["straight"].units, round(alone["straight"].value, 9)) == (12, 0.53)
    assert found.headline.value == pytest.approx(0.53)
