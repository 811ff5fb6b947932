"""Metrics against people's scores of the same systems: rank and gap correlation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.nnd.verify import gap_correlation, verify

METRIC = [0.45, 0.52, 0.61, 0.60, 0.64, 0.68, 0.71]
HUMAN = [0.30, 0.38, 0.41, 0.45, 0.44, 0.60, 0.58]
SYSTEMS = [f"s{at}" for at in range(7)]


def test_rank_and_gap_correlations_are_those_of_the_method():
    found = verify(dict(zip(SYSTEMS, HUMAN, strict=True)), {"own": dict(zip(SYSTEMS, METRIC, strict=True))})[0]
    assert found.tau.estimate.value == pytest.approx(0.714286, abs=1e-6)
    assert found.tau.p == pytest.approx(0.030159, abs=1e-6)
    assert found.gap.value == pytest.approx(0.924212, abs=1e-6)
    assert found.gap_as_printed.value == pytest.approx(0.752719, abs=1e-6)


def test_the_printed_form_depends_on_the_order_of_systems_and_the_symmetric_one_does_not():
    order = [at - 1 for at in (4, 1, 7, 2, 6, 3, 5)]
    metric, human = [METRIC[at] for at in order], [HUMAN[at] for at in order]
    listed = gap_correlation(metric, human, orientation="listed")
    assert listed.value == pytest.approx(0.936344, abs=1e-6)
    assert "depends_on_the_order_of_systems" in listed.flags
    assert gap_correlation(metric, human).value == pytest.approx(0.924212, abs=1e-6)


def test_three_systems_give_the_values_of_the_method_and_a_warning():
    metric, human = [0.5, 0.6, 0.8], [0.4, 0.7, 0.8]
    symmetric = gap_correlation(metric, human)
    assert symmetric.value == pytest.approx(0.891042, abs=1e-6)
    assert symmetric.flags == ("few_systems",)
    assert gap_correlation(metric, human, orientation="listed").value == pytest.approx(0.327327, abs=1e-6)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=9).filter(
        lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1
    )
)
def test_the_symmetric_form_is_pearson_over_all_ordered_pairs(rows):
    metric, human = (np.array(column, float) for column in zip(*rows, strict=True))
    gaps = [(np.subtract.outer(x, x))[~np.eye(len(x), dtype=bool)] for x in (metric, human)]
    assert gap_correlation(metric, human).value == pytest.approx(np.corrcoef(*gaps)[0, 1], abs=1e-9)


def test_a_constant_metric_has_no_gap_correlation():
    found = gap_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    assert (found.value, "no_variation" in found.flags) == (None, True)


@pytest.mark.parametrize(
    ("metric", "human", "error", "words"),
    [
        ([1, 2], [1, 2], InsufficientData, "needs 3 systems, and there are 2"),
        ([1, 2, 3], [1, 2], BadInput, "one number each"),
        ([1, 2, math.nan], [1, 2, 3], BadInput, "finite number"),
    ],
)
def test_columns_without_an_answer_are_refused(metric, human, error, words):
    with pytest.raises(error, match=words):
        gap_correlation(metric, human)


def test_a_system_without_a_value_is_named():
    human = {"a": 1.0, "b": 2.0, "c": 3.0}
    with pytest.raises(BadInput, match=r"column own: there is no value for 1 system\(s\): c"):
        verify(human, {"own": {"a": 1.0, "b": 2.0}})
    with pytest.raises(BadInput, match="column own: the value of 'b' is not a finite number"):
        verify(human, {"own": {"a": 1.0, "b": math.inf, "c": 2.0}})
