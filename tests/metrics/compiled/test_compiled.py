"""Compiled loops give numpy's numbers, are compiled only where worth it, and can be done without."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.agreement.krippendorff import alpha_arrays
from metrics.compiled import switch as compiled
from metrics.huse.batch import line_values, plane_values
from metrics.huse.neighbors import NO_SLACK, RELATIVE_SLACK, Slack, plane_votes
from metrics.huse.neighbors_1d import line_votes
from metrics.huse.strips import line_weights, plane_weights
from metrics.huse.subsampling import huse_arrays, subsample_sd
from metrics.huse.subsets import Study
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.mace import mace
from tests.metrics.plain import fraction_twice_error

NUMPY = {"kernels": None, "tried": True}
FRESH = {"kernels": None, "tried": False, "work": 0.0, "limit": None}
MANY = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def in_state(monkeypatch, state):
    """Run what follows with loops as described."""
    for name, value in state.items():
        monkeypatch.setitem(compiled._state, name, value)


@pytest.fixture
def loops():
    """The loops, compiled."""
    return importlib.import_module("metrics.compiled.kernels")


def with_loops(monkeypatch, loops):
    in_state(monkeypatch, {"kernels": loops, "tried": True})


def drawn(seed: int, n: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums on a lattice, q continuous or on a lattice or all alike, is-reference."""
    rng = np.random.default_rng(seed)
    z = rng.permutation(np.arange(n) < n // 2)
    q = {"fine": -rng.gamma(2, 1, n), "coarse": -rng.integers(1, 5, n) / 4.0, "flat": np.full(n, -1.0)}[kind]
    return rng.integers(20, 40 if kind == "coarse" else 100, n), q, z


KINDS = st.sampled_from(["fine", "coarse", "flat"])


@MANY
@given(
    seed=st.integers(0, 2**20), n=st.integers(18, 70), k=st.integers(1, 17), kind=KINDS, tie=st.sampled_from([1, 0, -1])
)
def test_sets_of_texts_have_the_values_of_numpy(monkeypatch, loops, *, seed, n, k, kind, tie):
    hj, q, z = drawn(seed, n, kind)
    rng = np.random.default_rng(seed)
    subsets = np.array([rng.permutation(n)[: max(k + 1, n - 3)] for _ in range(3)])
    subsets = subsets[[0 < z[row].sum() < len(row) for row in subsets]]
    if not len(subsets):
        return
    in_state(monkeypatch, NUMPY)
    slow = Study(hj, q, z, k, tie).values(subsets)
    with_loops(monkeypatch, loops)
    fast = Study(hj, q, z, k, tie).values(subsets)
    for name in ("huse", "huse_q", "huse_d", "log_prob_only"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist()


@MANY
@given(st.integers(0, 2**20), st.integers(18, 60), st.integers(1, 17), KINDS)
def test_rows_of_judgments_have_the_values_of_numpy(monkeypatch, loops, seed, n, k, kind):
    hj, q, z = drawn(seed, n, kind)
    rows = np.stack([np.random.default_rng(seed + i).permutation(hj) for i in range(4)])
    in_state(monkeypatch, NUMPY)
    slow = Study(hj, q, z, k).rated(rows)
    with_loops(monkeypatch, loops)
    fast = Study(hj, q, z, k).rated(rows)
    assert [part.tolist() for part in fast] == [part.tolist() for part in slow]


def test_standard_errors_are_the_same_to_the_last_bit(monkeypatch, loops):
    study = drawn(3, 200, "fine")
    in_state(monkeypatch, NUMPY)
    slow = subsample_sd(*study, np.random.default_rng(1), 100)
    with_loops(monkeypatch, loops)
    assert subsample_sd(*study, np.random.default_rng(1), 100) == slow


def test_two_threads_give_what_one_gives(monkeypatch, loops):
    from metrics.huse import subsets

    with_loops(monkeypatch, loops)
    study = drawn(4, 100, "fine")
    one = subsample_sd(*study, np.random.default_rng(1), 101)
    monkeypatch.setattr(subsets, "WORTH_THREADS", 0)
    assert subsample_sd(*study, np.random.default_rng(1), 101) == one


def test_a_replicate_is_that_of_rational_arithmetic(monkeypatch, loops):
    # The same draws by seed, evaluated one by one with fractions.
    from fractions import Fraction

    from metrics.huse.subsampling import draw_subsamples

    hj, q, z = drawn(5, 60, "coarse")
    with_loops(monkeypatch, loops)
    study = Study(hj, q, z, 5)
    (rows,) = next(draw_subsamples(z, None, np.random.default_rng(2), 6, 0.5))
    for row, value, quality in zip(rows, *study.huse_and_q(rows), strict=True):
        features = [[Fraction(int(v)) for v in hj[row]], [Fraction(float(v)) for v in q[row]]]
        assert value == pytest.approx(float(fraction_twice_error(features, z[row].tolist(), 5)), abs=1e-12)
        assert quality == pytest.approx(float(fraction_twice_error(features[:1], z[row].tolist(), 5)), abs=1e-12)


@MANY
@given(
    st.integers(0, 2**20),
    st.integers(40, 400),
    st.integers(1, 30),
    st.sampled_from(["lattice", "fine", "both", "heavy", "one column"]),
    st.sampled_from([NO_SLACK, RELATIVE_SLACK, Slack(1 + 1e-9, 1e-9, 1e-9)]),
)
def test_strips_find_the_neighbours_of_the_matrix(seed, n, k, kind, slack):
    x, y, z = plane(seed, n, kind)
    sign = np.where(z, 1, -1)
    expected = plane_votes([x, y], sign, k, slack)
    inside, reference = plane_weights(x, y, z, k, (slack.factor, slack.root, slack.constant))
    assert (inside - 1).tolist() == expected.count.tolist()
    assert (2 * reference - inside - sign).tolist() == expected.balance.tolist()


def plane(seed: int, n: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=n)
    if kind in ("lattice", "both"):
        x = np.round(x * 4) / 4
    if kind == "both":
        y = np.round(y * 3) / 3
    if kind == "heavy":
        x, y = rng.standard_t(1.5, n), rng.standard_t(1.5, n)
    if kind == "one column":
        x = np.where(rng.random(n) < 0.05, x, 0.0)
    return x, y, rng.random(n) < 0.5


@MANY
@given(st.integers(0, 2**20), st.integers(20, 300), st.integers(1, 18), st.booleans())
def test_a_long_line_has_the_votes_of_the_sorted_line(loops, seed, n, k, lattice):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.random(n) < 0.5
    x = np.round(x, 1) if lattice else x
    sign = np.where(z, 1, -1)
    expected = line_votes(x, sign, k, tolerance=1e-12)
    inside, reference = line_weights(x, z, k, 1 + 5e-13)
    assert (inside - 1).tolist() == expected.count.tolist()
    assert (2 * reference - inside - sign).tolist() == expected.balance.tolist()


@pytest.mark.parametrize("kind", ["fine", "coarse"])
def test_a_large_study_has_the_values_of_numpy(monkeypatch, loops, kind):
    study = drawn(6, 4000, kind)
    in_state(monkeypatch, NUMPY)
    slow = huse_arrays(*study)
    with_loops(monkeypatch, loops)
    monkeypatch.setattr("metrics.huse.strips.THREADED_ABOVE", 1000)
    assert huse_arrays(*study) == pytest.approx(slow, abs=1e-12)


def test_exact_mode_settles_the_doubtful_ties_of_a_large_study(monkeypatch, loops):
    from fractions import Fraction

    from metrics import Item, evaluate

    hj, q, z = drawn(7, 3200, "coarse")
    items = [
        Item(str(i), "reference" if z[i] else "model", Fraction(int(hj[i]), 20), float(q[i]), 1) for i in range(len(z))
    ]
    in_state(monkeypatch, NUMPY)
    slow = evaluate(items, ["exact"], draws=0)["exact"]
    with_loops(monkeypatch, loops)
    assert evaluate(items, ["exact"], draws=0)["exact"] == slow


def test_small_work_compiles_nothing(monkeypatch):
    in_state(monkeypatch, FRESH)
    subsample_sd(*drawn(8, 200, "fine"), np.random.default_rng(0), 50)
    huse_arrays(*drawn(8, 4000, "fine"))
    assert compiled._state["tried"] is False


def test_large_work_asks_for_the_loops(monkeypatch, loops):
    in_state(monkeypatch, FRESH)
    assert compiled.get_kernels(1.5) is loops


def test_small_pieces_repeated_ask_for_them_in_the_end(monkeypatch, loops):
    in_state(monkeypatch, FRESH)
    study = drawn(8, 200, "fine")
    alone = huse_arrays(*study)
    assert compiled._state["tried"] is False
    monkeypatch.setitem(compiled._state, "work", 1.0)
    monkeypatch.setitem(compiled._state, "limit", compiled.COMPILING)  # nothing is compiled yet
    assert huse_arrays(*study) == alone
    assert compiled._state["tried"] is False
    monkeypatch.setitem(compiled._state, "limit", 1.0)
    assert huse_arrays(*study) == alone
    assert compiled._state["kernels"] is loops


def test_without_numba_numpy_serves(monkeypatch):
    in_state(monkeypatch, FRESH)

    def absent(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    assert compiled.load_kernels() is False
    assert compiled.get_kernels(1.5) is None
    assert huse_arrays(*drawn(9, 60, "fine"))[0] >= 0


def test_an_unwritable_cache_compiles_for_this_process_only(monkeypatch, loops):
    asked = []

    def refusing(cache: bool, **_: object):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(loops.numba, "njit", refusing)
    assert loops.compile_loop(len)([1, 2]) == 2
    assert asked == [True, False]


def test_import_metrics_does_not_load_numba():
    code = "import sys, metrics; print('numba' in sys.modules)"
    root = Path(__file__).resolve().parents[3]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_parts_keep_their_order_on_threads():
    assert compiled.in_parts(lambda part: part * 2, [1, 2, 3, 4], threaded=True) == [2, 4, 6, 8]


def test_rows_of_one_set_are_those_of_many():
    hj, q, z = drawn(10, 40, "fine")
    sign = np.where(z, 1.0, -1.0)
    rows = np.stack([hj, hj[::-1]]) / 128
    many = plane_values(rows, np.stack([q, q]), None, np.stack([sign, sign]), 5, 1)
    one = [plane_values(row[None], q[None], None, sign[None], 5, 1)[0] for row in rows]
    assert many.tolist() == one
    assert line_values(rows[:1], sign[None], 5, 1)[0] == Study(hj, q, z, 5).huse_and_q(np.arange(40)[None])[1][0]


def voted(seed: int, items: int, raters: int, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """item, rater, label in no order: half of the cells of a table."""
    rng = np.random.default_rng(seed)
    item, rater = np.nonzero(rng.random((items, raters)) < 0.5)
    order = rng.permutation(len(item))
    return item[order], rater[order], ((item + (rng.random(len(item)) < 0.4)) % labels)[order]


@pytest.mark.parametrize("model", [dawid_skene, mace])
@pytest.mark.parametrize("labels", [1, 2, 4, 5, 9])
@pytest.mark.parametrize("symmetric_errors", [False, True])
def test_worker_models_have_the_numbers_of_numpy(monkeypatch, loops, model, labels, symmetric_errors):
    options = {"iterations": 9} | ({"symmetric_errors": symmetric_errors} if model is dawid_skene else {"starts": 2})
    columns = voted(labels, 60, 12, labels)
    in_state(monkeypatch, NUMPY)
    slow = model(*columns, **options)
    with_loops(monkeypatch, loops)
    fast = model(*columns, **options)
    for name in ("posterior", "prior", "competence", "competence_low", "log_likelihood"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-9, atol=1e-12)
    assert (fast.iterations, fast.flags) == (slow.iterations, slow.flags)


@MANY
@given(st.integers(0, 2**20), st.integers(1, 400), st.integers(1, 6), st.sampled_from([np.int8, np.int64, np.int16]))
def test_alpha_counts_patterns_as_numpy_does(monkeypatch, loops, seed, n, labels, kind):
    rng = np.random.default_rng(seed)
    item, value = rng.integers(0, 1 + n // 3, n), rng.integers(0, labels, n).astype(kind)
    in_state(monkeypatch, NUMPY)
    slow = alpha_arrays(item, value, "ordinal")
    with_loops(monkeypatch, loops)
    assert alpha_arrays(item, value, "ordinal") == slow
