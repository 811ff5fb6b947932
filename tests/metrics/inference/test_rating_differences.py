"""Differences of mean ratings: the specification's hand examples, slow references, invariances, the HUSE release."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metrics.errors import BadInput, InsufficientData
from metrics.inference.rating_differences import mean_rating, rating_difference

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
LABELS = {"Invalid": 0, "Rare": 1, "Specific": 2, "Average": 3, "Typical": 4, "Very Typical": 5}
# A - B of specification 2.1: 4 contexts by 3 raters.
HAND = np.array([[1, 2, 0], [1, 1, 1], [-1, 0, 1], [2, 1, 0]])


def hand(**options):
    item = [c for c in range(4) for _ in range(3)] * 2
    rater = [f"w{r}" for _ in range(4) for r in range(3)] * 2
    value = [*(HAND.ravel() + 3), *[3] * 12]
    return rating_difference(item, rater, ["A"] * 12 + ["B"] * 12, value, ("A", "B"), **options)


def unbalanced(seed: int = 1) -> tuple[np.ndarray, ...]:
    """Item, rater, source, value of a study with holes, of a third source too."""
    rng = np.random.default_rng(seed)
    n = 400
    source = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    return rng.integers(0, 25, n), rng.integers(0, 9, n), source, rng.integers(0, 6, n)


def test_clustered_by_context_it_is_the_paired_t_test_of_the_hand_example() -> None:
    found = hand(target="items")
    assert found.difference.value == pytest.approx(0.75)
    assert found.difference.settings["se"] == pytest.approx(0.25)
    assert found.p == pytest.approx(0.057669, abs=1e-6)
    span = found.difference.interval
    assert (span.low, span.high) == pytest.approx((-0.045612, 1.545612), abs=1e-6)
    assert stats.ttest_1samp(HAND.mean(axis=1), 0).pvalue == pytest.approx(found.p)


def test_the_two_way_interval_is_that_of_the_hand_example() -> None:
    found = hand(variance="two-way")
    settings = found.difference.settings
    assert settings["v_item"] == pytest.approx(0.0625)
    assert settings["v_rater"] ** 0.5 == pytest.approx(0.144338, abs=1e-6)
    assert settings["v_cell"] ** 0.5 == pytest.approx(0.25)
    assert settings["se"] ** 2 == pytest.approx(0.020833, abs=1e-6)
    span = found.difference.interval
    assert (span.low, span.high) == pytest.approx((0.128966, 1.371034), abs=1e-6)
    assert {"below_one_way", "few_clusters"} <= {*found.difference.flags}


def test_by_default_the_larger_one_way_variance_replaces_a_smaller_two_way_one() -> None:
    found = hand()
    assert found.difference.settings["se"] == pytest.approx(0.25)
    assert "largest_used" in found.difference.flags
    assert "new raters" in found.difference.interval.target


def test_it_equals_the_sum_over_clusters_done_slowly() -> None:
    item, rater, source, value = unbalanced()
    found = rating_difference(item, rater, source, value, ("a", "b"), variance="two-way")
    rows = [row for row in zip(item, rater, source, value, strict=True) if row[2] in "ab"]
    both = {c for c in range(25) if {"a", "b"} <= {row[2] for row in rows if row[0] == c}}
    rows = [row for row in rows if row[0] in both]
    means = {(c, s): np.mean([row[3] for row in rows if row[0] == c and row[2] == s]) for c, s in product(both, "ab")}
    mu = {s: np.mean([means[c, s] for c in both]) for s in "ab"}
    psi = [
        (1 if s == "a" else -1) * (y - mu[s]) / (len(both) * sum(r[0] == c and r[2] == s for r in rows))
        for c, _, s, y in rows
    ]

    def variance(key) -> float:
        sums: dict[object, float] = {}
        for row, part in zip(rows, psi, strict=True):
            sums[key(row)] = sums.get(key(row), 0) + part
        return len(sums) / (len(sums) - 1) * sum(total**2 for total in sums.values())

    expected = variance(lambda row: row[0]) + variance(lambda row: row[1]) - variance(lambda row: row[:2])
    assert found.difference.value == pytest.approx(mu["a"] - mu["b"])
    assert found.difference.settings["se"] ** 2 == pytest.approx(expected)
    assert (found.contexts, found.dropped) == (len(both), len({*item[np.isin(source, ["a", "b"])]}) - len(both))


def test_superiority_counts_pairs_within_contexts_with_ties_half() -> None:
    item, rater, source, value = unbalanced(2)
    found = rating_difference(item, rater, source, value, ("a", "b")).superiority
    shares = []
    for context in range(25):
        first, second = (value[(item == context) & (source == name)] for name in "ab")
        if len(first) and len(second):
            shares.append(np.mean([(x > y) + (x == y) / 2 for x, y in product(first, second)]))
    assert found.value == pytest.approx(np.mean(shares))
    other = rating_difference(item, rater, source, value, ("b", "a")).superiority
    assert other.value == pytest.approx(1 - found.value)
    assert other.settings["se"] == pytest.approx(found.settings["se"])


def test_turned_round_shifted_and_reordered_it_says_the_same() -> None:
    item, rater, source, value = unbalanced(3)
    found = rating_difference(item, rater, source, value, ("a", "b"))
    order = np.random.default_rng(0).permutation(len(item))
    shuffled = rating_difference(item[order], rater[order], source[order], 2.0 * value[order] + 7, ("a", "b"))
    turned = rating_difference(item, rater, source, value, ("b", "a"))
    assert shuffled.difference.value == pytest.approx(2 * found.difference.value)
    assert shuffled.p == pytest.approx(found.p)
    assert turned.difference.value == pytest.approx(-found.difference.value)
    assert turned.p == pytest.approx(found.p)
    named = rating_difference(
        [f"c{i}" for i in item], [f"w{r}" for r in rater], [*source], [*map(int, value)], ("a", "b")
    )
    assert named.difference.value == pytest.approx(found.difference.value)
    assert named.difference.settings["se"] == pytest.approx(found.difference.settings["se"])


def test_with_fewer_raters_of_one_source_theirs_are_the_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    item = np.tile(np.repeat(np.arange(40), 3), 2)
    rater = np.concatenate((np.arange(120) % 30, 30 + np.arange(120) % 8))
    source = np.repeat(["a", "b"], 120)
    found = rating_difference(item, rater, source, rng.normal(size=240), ("a", "b"))
    assert found.difference.settings["df"] == 7
    assert found.shared_raters == 0


def test_a_rater_counts_by_the_share_of_ratings_that_is_his() -> None:
    """Half of A's ratings are of one person and a tenth of each of five more: 1 / (.25 + 5 x .01) = 3.3 people."""
    rater = np.array([0] * 5 + [1, 2, 3, 4, 5] + [*range(10)])
    item, source = np.tile(np.arange(10), 2), np.repeat(["a", "b"], 10)
    total = 0.0
    for side, person in product("ab", range(10)):  # what one person thinks of one source, each in turn
        value = ((rater == person) & (source == side)).astype(float)
        found = rating_difference(item, rater, source, value, ("a", "b"), target="raters")
        assert found.difference.settings.get("df", 2) == 2
        total += (found.difference.settings.get("se") or 0) ** 2
    # Over people who all vary by 1, the mean of the variance is the true one: the sum of their squared shares.
    assert total == pytest.approx(0.25 + 5 * 0.01 + 10 * 0.01)


def test_raters_that_nobody_knows_leave_the_interval_over_contexts() -> None:
    item, _, source, value = unbalanced(5)
    found = rating_difference(item, [None] * len(item), source, value, ("a", "b"))
    assert found.raters is None
    assert found.difference.settings["target"] == "items"
    assert "these raters" in found.difference.interval.target


def test_unpaired_sources_have_texts_of_their_own_and_no_superiority() -> None:
    value = [1, 2, 3, 4, 5, 6, 7, 9]
    found = rating_difference(range(8), [None] * 8, ["a"] * 4 + ["b"] * 4, value, ("a", "b"), paired=False)
    assert found.difference.value == pytest.approx(2.5 - 6.75)
    # sum of squares of both sides over n^2, with 8 / 7 for 8 texts
    assert found.difference.settings["v_item"] == pytest.approx(8 / 7 * (5 / 16 + 8.75 / 16))
    assert found.superiority.value is None


def test_weighted_by_rater_each_rater_counts_alike() -> None:
    rater = ["w1", "w1", "w1", "w2", "w3", "w4"]
    found = rating_difference(
        range(6), rater, ["a"] * 4 + ["b"] * 2, [1, 1, 1, 0, 0, 1], ("a", "b"), paired=False, weights="raters"
    )
    assert found.difference.value == pytest.approx((1 + 0) / 2 - 1 / 2)


def test_a_mean_is_that_of_the_contexts_with_the_same_rule() -> None:
    found = mean_rating([0, 0, 1, 1, 2, 2], ["x", "y"] * 3, [1, 3, 2, 4, 6, 8])
    assert found.value == pytest.approx(4)
    assert found.settings["v_item"] == pytest.approx(np.var([2, 3, 7], ddof=1) / 3)


def test_what_cannot_be_compared_is_refused_in_a_sentence() -> None:
    with pytest.raises(InsufficientData, match="No context has ratings of both a and b"):
        rating_difference([1, 2], ["w", "w"], ["a", "b"], [1, 2], ("a", "b"))
    with pytest.raises(InsufficientData, match="no rating of c"):
        rating_difference([1, 1], ["w", "w"], ["a", "b"], [1, 2], ("a", "c"))
    with pytest.raises(BadInput, match="not compared with itself"):
        rating_difference([1, 1], ["w", "w"], ["a", "b"], [1, 2], ("a", "a"))
    with pytest.raises(BadInput, match="not one number"):
        rating_difference([1], ["w", "w"], ["a", "b"], [1, 2], ("a", "b"))
    with pytest.raises(BadInput, match="needs its item"):
        rating_difference([1, None], ["w", "w"], ["a", "b"], [1, 2], ("a", "b"))


def test_ratings_that_are_all_equal_have_no_interval() -> None:
    found = rating_difference([0, 1, 0, 1], ["w", "v"] * 2, ["a", "a", "b", "b"], [3] * 4, ("a", "b"))
    assert (found.difference.value, found.difference.interval, found.p) == (0, None, None)
    assert "no_variation" in found.difference.flags
    # Sums of 11 shares of 4.1 are not 4.1 to the last bit.
    item, rater = [at // 3 for at in range(11)] * 2, ["w", "v", "u"] * 7 + ["w"]
    rounded = rating_difference(item, rater, ["a"] * 11 + ["b"] * 11, [4.1] * 22, ("a", "b"))
    assert (rounded.difference.value, rounded.difference.interval, rounded.p) == (0, None, None)
    mean = mean_rating(item[:11], rater[:11], [4.1] * 11)
    assert (mean.value, mean.interval) == (4.1, None)


def released() -> tuple[list[str], list[str], list[str], list[int]]:
    """Context, worker, source and rating (0 to 5) of the HUSE release."""
    columns: tuple[list, ...] = ([], [], [], [])
    with (SHARED / "huse" / "summarization_batch_results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for at in range(25):
                cells = (row[f"Input.CTX{at}"], row["WorkerId"], row[f"Input.TYPE{at}"], LABELS[row[f"Answer.{at}"]])
                for column, cell in zip(columns, cells, strict=True):
                    column.append(cell)
    return columns


@pytest.mark.needs_data
def test_on_the_huse_release_it_is_the_paired_t_test_over_contexts() -> None:
    context, worker, source, rating = released()
    kinds = sorted(set(source))
    assert len(kinds) == 2
    found = rating_difference(context, worker, source, rating, (kinds[0], kinds[1]), target="items")
    by_context: dict[str, dict[str, list[int]]] = {}
    for name, kind, value in zip(context, source, rating, strict=True):
        by_context.setdefault(name, {}).setdefault(kind, []).append(value)
    apart = [np.mean(own[kinds[0]]) - np.mean(own[kinds[1]]) for own in by_context.values() if len(own) == 2]
    expected = stats.ttest_1samp(apart, 0)
    assert found.difference.value == pytest.approx(np.mean(apart))
    assert found.difference.value / found.difference.settings["se"] == pytest.approx(expected.statistic)
    crossed = rating_difference(context, worker, source, rating, (kinds[0], kinds[1]))
    # One source a HIT: other workers would move a source as a whole, so the interval over them is wider.
    assert crossed.difference.settings["se"] > 1.1 * found.difference.settings["se"]
