"""Intraclass correlations: Shrout and Fleiss's example, properties, degenerate tables."""

from __future__ import annotations

from dataclasses import asdict, fields

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics.agreement.intraclass import intraclass_correlations
from metrics.errors import BadInput, InsufficientData

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
NAMES = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")
TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=2, max_size=8)
)


def values(table):
    found = intraclass_correlations(table)
    return [getattr(found, name).value for name in NAMES]


def test_the_example_of_shrout_and_fleiss():
    expected = [0.165742, 0.289764, 0.714841, 0.442797, 0.620051, 0.909316]
    assert values(SHROUT_FLEISS) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        # As the R package psych prints them for these data.
        ("icc_1_1", -0.133, 0.72),
        ("icc_2_1", 0.019, 0.76),
        ("icc_3_1", 0.342, 0.95),
        ("icc_1_k", -0.884, 0.91),
        ("icc_2_k", 0.071, 0.93),
        ("icc_3_k", 0.676, 0.99),
    ],
)
def test_the_intervals_of_the_example(name, low, high):
    interval = getattr(intraclass_correlations(SHROUT_FLEISS), name).interval
    assert interval.low == pytest.approx(low, abs=6e-4)
    assert interval.high == pytest.approx(high, abs=6e-3)


@given(TABLES, st.floats(-50, 50), st.floats(0.01, 100))
def test_origin_unit_and_order_do_not_matter(table, origin, unit):
    changed = (origin + unit * np.array(table))[::-1, ::-1]
    for a, b in zip(values(table), values(changed), strict=True):
        assert (a is None) == (b is None)
        assert a is None or b == pytest.approx(a, rel=1e-6, abs=1e-6)


@given(TABLES)
def test_values_are_at_most_one_and_intervals_in_order(table):
    for estimate in (getattr(intraclass_correlations(table), f.name) for f in fields(intraclass_correlations(table))):
        assert estimate.value is None or estimate.value <= 1 + 1e-9
        assert (estimate.value is None) == bool({"no_variation", "negative_variance"} & set(estimate.flags))
        assert estimate.interval is None or estimate.interval.low <= estimate.interval.high <= 1 + 1e-9


@given(TABLES)
def test_case_one_is_the_one_way_analysis_of_variance(table):
    array = np.array(table, dtype=float)
    k = array.shape[1]
    between = k * array.mean(axis=1).var(ddof=1)
    within = array.var(axis=1, ddof=1).mean()
    assume(between + (k - 1) * within > 0)
    assert values(table)[0] == pytest.approx((between - within) / (between + (k - 1) * within), abs=1e-9)


def test_perfect_consistency_with_severe_raters_is_one_in_case_three_only():
    one, two, three = values([[1, 3], [2, 4], [5, 7]])[:3]
    assert three == 1
    assert one < 1
    assert two < 1


def test_no_variation_has_no_value():
    assert all(
        e["value"] is None and e["flags"] == ("no_variation",)
        for e in asdict(intraclass_correlations([[3, 3], [3, 3]])).values()
    )


@pytest.mark.parametrize("table", [[[1, 2]], [[1], [2]], [], [1, 2]])
def test_one_item_or_one_rater_is_refused(table):
    with pytest.raises(InsufficientData, match="2 items by 2 raters"):
        intraclass_correlations(table)


def test_a_gap_is_named_by_row_and_column():
    with pytest.raises(BadInput, match="row 2, column 1"):
        intraclass_correlations([[1, 2], [float("nan"), 3]])
