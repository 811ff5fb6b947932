"""Bradley-Terry strengths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.pairwise import bradley_terry

WINS = [[0, 7, 8], [3, 0, 6], [2, 4, 0]]
COUNTS = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n)
)


def values(found):
    return [estimate.value for estimate in found.log_strength.values()]


def hollow(table):
    return np.array(table) * (1 - np.eye(len(table), dtype=int))


def test_three_systems():
    found = bradley_terry(WINS, ["a", "b", "c"])
    assert list(found.strengths.values()) == pytest.approx([0.597111, 0.245288, 0.157601], abs=1e-6)
    assert values(found) == pytest.approx([0.740570, -0.149102, -0.591468], abs=1e-6)
    assert found.beats("a", "b") == pytest.approx(0.708823, abs=1e-6)
    assert found.flags == ()


def test_two_systems_are_the_log_odds_with_their_standard_error():
    found = bradley_terry([[0, 7], [3, 0]])
    first, second = values(found)
    assert first - second == pytest.approx(0.847298, abs=1e-6)
    half = found.log_strength["1"].interval.high - first
    assert 2 * half == pytest.approx(1.959964 * math.sqrt(1 / 7 + 1 / 3), abs=1e-5)


def test_ties_count_half_each_on_whichever_side_they_are_written():
    even = bradley_terry([[0, 6], [2, 0]], ties=[[0, 2], [0, 0]])
    assert values(even) == pytest.approx(values(bradley_terry([[0, 7], [3, 0]])))
    assert values(even) == pytest.approx(values(bradley_terry([[0, 6], [2, 0]], ties=[[0, 0], [2, 0]])))


@settings(deadline=None)
@given(COUNTS)
def test_expected_wins_are_the_wins_where_strengths_exist(table):
    wins = hollow(table)
    if not wins.any():
        return
    found = bradley_terry(wins)
    assert np.isfinite(values(found)).all()
    assert sum(values(found)) == pytest.approx(0, abs=1e-6)
    if found.flags:
        return
    share = np.array(list(found.strengths.values()))
    expected = ((wins + wins.T) * share[:, None] / (share[:, None] + share)).sum(axis=1)
    assert expected == pytest.approx(wins.sum(axis=1), abs=1e-6)


@settings(deadline=None)
@given(COUNTS, st.randoms())
def test_the_order_of_systems_does_not_matter(table, random):
    wins = hollow(table)
    if not wins.any():
        return
    order = list(range(len(wins)))
    random.shuffle(order)
    found, other = values(bradley_terry(wins)), values(bradley_terry(wins[np.ix_(order, order)]))
    assert other == pytest.approx([found[i] for i in order], abs=1e-6)


@pytest.mark.parametrize(
    "wins",
    [[[0, 7], [0, 0]], [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], [[0, 5, 5], [0, 0, 2], [0, 3, 0]]],
)
def test_an_undefeated_system_or_groups_that_never_meet_have_strengths_by_a_ridge_and_no_interval(wins):
    found = bradley_terry(wins)
    assert found.flags == ("no_mle",)
    assert np.isfinite(values(found)).all()
    assert all(estimate.interval is None for estimate in found.log_strength.values())


def test_the_ridge_is_the_best_of_the_penalised_likelihood():
    def penalised(d):
        return -7 * np.logaddexp(0, -2 * d) - 0.1 * 2 * d**2

    grid = np.linspace(0, 4, 40_001)
    best = grid[np.argmax([penalised(d) for d in grid])]
    assert values(bradley_terry([[0, 7], [0, 0]]))[0] == pytest.approx(best, abs=2e-4)


@pytest.mark.parametrize("wins", [[[0]], [[0, 0], [0, 0]]])
def test_one_system_or_no_comparison_is_refused(wins):
    with pytest.raises(InsufficientData):
        bradley_terry(wins)


@pytest.mark.parametrize(
    ("wins", "options", "said"),
    [
        ([[0, 1]], {}, "row and a column"),
        ([[0, -1], [1, 0]], {}, "row 1"),
        ([[0, float("nan")], [1, 0]], {}, "finite"),
        ([[1, 1], [1, 0]], {}, "with itself"),
        ([[0, "x"], [1, 0]], {}, "no number"),
        ([[0, 1], [1, 0]], {"names": ["a", "a"]}, "name of its own"),
        ([[0, 1], [1, 0]], {"ties": [[0]]}, "same systems|2 systems"),
        ([[0, 1], [1, 0]], {"level": 0}, "level"),
    ],
)
def test_odd_tables_are_refused(wins, options, said):
    with pytest.raises((BadInput, InsufficientData), match=said):
        bradley_terry(wins, **options)
