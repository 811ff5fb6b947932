"""Every public function, by a table: NaN never leaves, extremes have an answer, order and names do not matter."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metrics
from metrics import MetricsError
from metrics.huse.subsampling import huse_arrays
from metrics.inference.correlation import hj_frequency
from metrics.inference.t_tests import single_sample_t
from metrics.worker_models.standardise import standardise_by_rater
from tests.metrics.every_function import CASES, ELSEWHERE
from tests.metrics.fuzzing import numbers_in

ROOT = Path(__file__).resolve().parents[2]
QUICK = settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
LOG_PROBS = {"decoded", "find_examples"}  # where minus infinity is an answer


def public_functions() -> set[str]:
    """Names of the functions that the package and its parts list as public."""
    parts = [
        importlib.import_module(f"{metrics.__name__}.{part.name}")
        for part in pkgutil.iter_modules(metrics.__path__)
        if part.ispkg
    ]
    listed = [(module, name) for module in (metrics, *parts) for name in getattr(module, "__all__", ())]
    return {name for module, name in listed if inspect.isfunction(getattr(module, name))}


def test_every_public_function_has_its_line_in_the_table():
    assert public_functions() <= CASES.keys() | ELSEWHERE.keys()


def test_the_table_also_holds_the_measures_that_are_imported_from_their_modules():
    assert {"compare_models", "tukey_kramer", "fleiss_kappa", "mauve"} <= CASES.keys() - public_functions()


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_needs_a_model_is_tested_where_the_table_says(name):
    assert name in (ROOT / ELSEWHERE[name]).read_text(encoding="utf-8")


def answer(name: str, args: tuple) -> list[float] | None:
    """The numbers of an answer, checked; None for a named error."""
    try:
        found = list(numbers_in(CASES[name].call(*args)))
    except MetricsError:
        return None
    allowed = {-math.inf} if name in LOG_PROBS else set()
    assert all(math.isfinite(number) or number in allowed for number in found), found
    return found


@pytest.mark.parametrize("name", CASES)
def test_whatever_comes_in_no_nan_comes_out(name):
    @QUICK
    @given(CASES[name].args)
    def fuzzed(args):
        answer(name, args)

    fuzzed()


@pytest.mark.parametrize(("name", "extreme"), [(name, extreme) for name in CASES for extreme in CASES[name].degenerate])
def test_an_extreme_has_an_answer_or_a_named_error(name, extreme):
    answer(name, CASES[name].degenerate[extreme])


@pytest.mark.parametrize(("name", "change"), [(name, change) for name in CASES for change in CASES[name].same])
def test_what_must_not_matter_does_not(name, change):
    case = CASES[name]

    @QUICK
    @given(case.args, st.integers(0, 2**16))
    def compared(args, seed):
        other = case.same[change](args, random.Random(seed))
        found = []
        for given_args in (args, other):
            try:
                found.append(sorted(numbers_in(case.call(*given_args), intervals=False)))
            except MetricsError:
                found.append("refused")
        assert found[1] == (found[0] if isinstance(found[0], str) else pytest.approx(found[0], rel=1e-6, abs=1e-7))

    compared()


@pytest.mark.long
def test_a_million_rows_have_an_answer():
    rng = np.random.default_rng(0)
    n = 1_000_000
    item, rater = np.arange(n) // 5, np.arange(n) % 5
    value = rng.integers(0, 5, n)
    assert metrics.krippendorff_alpha(item, rater, value, "ordinal", draws=0).value == pytest.approx(0, abs=0.01)
    assert standardise_by_rater(item, rater, value).flags == ()
    assert single_sample_t(rng.random(n)).p > 1e-6
    assert hj_frequency(value, 1 + rng.integers(0, 9, n)).pearson.estimate.value == pytest.approx(0, abs=0.01)
    huse, quality, _ = huse_arrays(rng.integers(20, 120, n), rng.normal(size=n), item % 2 == 0)
    assert (huse, quality) == pytest.approx((1, 1), abs=0.02)
