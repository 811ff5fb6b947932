"""HUSE-Q of whole numbers, from how often each occurs, is that of plain rational arithmetic over the texts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.huse.counted_values import count_values, counted_line_values
from tests.metrics.plain import fraction_twice_error

VALUES = range(-3, 9)
TIES = {"reference": 1, "half": 0, "model": -1}
K = 3
SUMS = st.lists(st.integers(VALUES.start, VALUES.stop - 1), min_size=2, max_size=9)


@settings(max_examples=40)
@given(references=SUMS, models=SUMS, tie=st.sampled_from(sorted(TIES)))
def test_counts_of_sums_give_the_value_of_the_texts(references: list[int], models: list[int], tie: str) -> None:
    sums = [Fraction(value) for value in (*references, *models)]
    is_reference = [True] * len(references) + [False] * len(models)
    counts = [count_values(np.array([source]), VALUES) for source in (references, models)]
    (value,) = counted_line_values(*counts, K, TIES[tie])
    assert value == pytest.approx(float(fraction_twice_error([sums], is_reference, K, tie)), abs=1e-12)


def test_only_the_texts_of_a_half_are_counted() -> None:
    sums, half = np.array([[0, 1, 1], [2, 2, 0]]), np.array([[True, False, True], [False, True, True]])
    assert count_values(sums, range(3), half).tolist() == [[1, 1, 0], [1, 0, 1]]
