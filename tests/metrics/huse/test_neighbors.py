"""Neighbour search: the fast ways agree with all pairs."""

from __future__ import annotations

import importlib
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.compiled import switch
from metrics.huse import neighbors
from metrics.huse import neighbors_1d as lines
from metrics.huse.neighbors import NO_SLACK, RELATIVE_SLACK, plane_votes
from metrics.huse.neighbors_1d import line_votes, line_votes_squared


def all_pairs(x: np.ndarray, sign: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Balance and count by sorting every row of absolute distances."""
    balance, count = [], []
    for i in range(len(x)):
        gap = np.abs(np.delete(x, i) - x[i])
        near = gap <= np.sort(gap)[k - 1]
        balance.append(np.delete(sign, i)[near].sum())
        count.append(near.sum())
    return np.array(balance), np.array(count)


@settings(deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=8, max_size=60), st.integers(1, 7), st.integers(0, 2**30))
def test_votes_on_a_line_of_whole_numbers_are_those_of_all_pairs(values, k, seed):
    x, sign = np.array(values), np.random.default_rng(seed).choice([-1, 1], len(values))
    votes = line_votes(x, sign, k)
    balance, count = all_pairs(x, sign, k)
    assert votes.balance.tolist() == balance.tolist()
    assert votes.count.tolist() == count.tolist()


def test_whole_numbers_too_large_for_64_bits_vote_alike():
    rng = np.random.default_rng(0)
    small, sign = rng.integers(0, 30, 80), rng.choice([-1, 1], 80)
    large = np.array([int(v) * 10**40 for v in small], dtype=object)
    assert line_votes(large, sign, 5).balance.tolist() == line_votes(small, sign, 5).balance.tolist()


@settings(deadline=None)
@given(st.integers(0, 2**30), st.integers(8, 80), st.integers(1, 7), st.sampled_from([0.76846, 1 / 3, 1.7]))
def test_a_line_of_floats_gives_the_votes_of_the_matrix_of_all_points(seed, n, k, unit):
    rng = np.random.default_rng(seed)
    x, sign = rng.integers(0, 25, n) / 20 / unit, rng.choice([-1, 1], n)
    matrix = plane_votes([x], sign, k, NO_SLACK)
    for distinct, steps in ((512, 0), (0, 8), (0, 0)):  # by a matrix of the values, by steps, by bisection
        with mock.patch.multiple(lines, DISTINCT=distinct, STEPS=steps):
            line = line_votes_squared(x, sign, k)
        assert line.balance.tolist() == matrix.balance.tolist()
        assert line.count.tolist() == matrix.count.tolist()


@pytest.mark.parametrize("lattice", [True, False])
def test_the_tree_finds_the_neighbours_of_the_matrix(lattice, monkeypatch):
    rng = np.random.default_rng(4)
    n = 1500
    y = rng.integers(0, 12, n) / 7 if lattice else rng.normal(size=n)
    scaled, sign = [rng.integers(0, 40, n) / 20 / 0.768, y], rng.choice([-1, 1], n)
    matrix = plane_votes(scaled, sign, 16, RELATIVE_SLACK)
    monkeypatch.setattr(neighbors, "TREE_ABOVE", 100)
    tree = plane_votes(scaled, sign, 16, RELATIVE_SLACK)
    assert tree.balance.tolist() == matrix.balance.tolist()
    assert tree.count.tolist() == matrix.count.tolist()


@pytest.mark.parametrize("compiled", [False, True])
def test_the_tree_survives_hundreds_of_equal_points(monkeypatch, compiled):
    monkeypatch.setattr(neighbors, "TREE_ABOVE", 100)
    monkeypatch.setitem(switch._state, "tried", True)
    monkeypatch.setitem(
        switch._state, "kernels", importlib.import_module("metrics.compiled.kernels") if compiled else None
    )
    scaled = [np.repeat([0.0, 1.0, 2.0], 200), np.repeat([0.0, 1.0, 5.0], 200)]
    votes = plane_votes(scaled, np.tile([1, 1, -1, 1], 150), 16, NO_SLACK)
    assert set(votes.count.tolist()) == {199}


def test_share_is_the_part_of_references_among_the_neighbours():
    # From 0 the two nearest are 1 and 2: one reference, one model.
    votes = line_votes(np.array([0, 1, 2, 50]), np.array([1, 1, -1, -1]), 2)
    assert votes.share()[0] == 0.5


def test_memory_for_many_points_stays_small():
    import tracemalloc

    rng = np.random.default_rng(0)
    n = 20_000
    scaled, sign = [rng.integers(0, 100, n) / 20.0, rng.normal(size=n)], rng.choice([-1, 1], n)
    plane_votes([axis[:4000] for axis in scaled], sign[:4000], 16, NO_SLACK)  # scipy's own import
    tracemalloc.start()
    plane_votes(scaled, sign, 16, NO_SLACK)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6  # the matrix alone would be 3.2 GB
