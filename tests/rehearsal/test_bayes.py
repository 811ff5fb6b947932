from __future__ import annotations

import numpy as np
import pytest

from annotation.rehearsal.world.bayes import CODE_CELLS as CODES
from annotation.rehearsal.world.bayes import Q_CELLS, bayes_error, no_counts, quality_only


def two_bells(distance: float, n: int = 400_000) -> np.ndarray:
    """Counts of one generator whose sources are unit normals `distance` apart along q, code without meaning."""
    rng = np.random.default_rng(1)
    counts = no_counts(1)[:, 0]
    for half in (0, 1):
        for source, mean in enumerate((0.0, distance)):
            q = np.clip(120 + 25 * (rng.normal(size=n // 2) + mean), 0, Q_CELLS - 1).astype(int)
            np.add.at(counts[half, source], (q, rng.integers(0, CODES, n // 2)), 1)
    return counts


@pytest.mark.parametrize(("distance", "expected"), [(2.0, 0.317311), (1.0, 0.617075)])
def test_two_normals_apart_leave_the_error_known_in_closed_form(distance, expected):
    found = bayes_error(two_bells(distance), coarser=8)
    assert found.held_out == pytest.approx(expected, abs=0.01)
    assert found.in_sample < expected + 4 * found.se


def test_held_out_errors_are_not_optimistic_where_cells_are_far_too_small():
    found = bayes_error(two_bells(1.0, n=20_000), coarser=1)
    assert found.in_sample < 0.617 < found.held_out


def test_sources_that_differ_in_q_alone_cannot_be_told_apart_by_quality():
    found = bayes_error(quality_only(two_bells(2.0)), coarser=4)
    assert found.held_out == pytest.approx(1, abs=0.02)


def test_separate_sources_leave_no_error():
    counts = no_counts(1)[:, 0]
    counts[:, 0, 10, 10] = counts[:, 1, 200, 100] = 50
    assert bayes_error(counts, coarser=4) == bayes_error(counts, coarser=1)
    assert bayes_error(counts, coarser=1).held_out == 0
