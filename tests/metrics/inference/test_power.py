"""Power, size and smallest effect: the numbers of the method (2.12, K9, K18) and what must hold of any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.inference.power import (
    accuracy_difference,
    minimum_effect,
    sample_size,
    t_power,
)


def test_the_papers_effect_needs_130_evaluators_a_group():
    found = sample_size(0.35)
    assert found.exact == pytest.approx(129.112, abs=5e-4)
    assert found.n == 130
    assert found.power == pytest.approx(0.80270, abs=5e-6)


def test_130_a_group_find_the_effects_of_the_method():
    assert minimum_effect(130) == pytest.approx(0.348794, abs=1e-6)
    assert minimum_effect(130, alpha=0.05 / 15) == pytest.approx(0.472405, abs=1e-6)
    assert minimum_effect(130, design="one_sample") == pytest.approx(0.247563, abs=1e-6)


def test_one_sample_needs_what_the_method_says():
    found = sample_size(0.25, design="one_sample")
    assert (found.exact, found.n) == (pytest.approx(127.516, abs=5e-4), 128)


def test_five_points_of_accuracy_with_five_ratings_are_the_methods_effect():
    assert accuracy_difference(0.2236068, 5) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(("d", "n", "second"), [(0.8, 12, 30), (1.5, 3, 3), (-0.8, 12, 30)])
def test_power_is_what_a_simulation_finds(d, n, second):
    rng = np.random.default_rng(2)
    a, b = rng.normal(d, 1, (40_000, n)), rng.normal(0, 1, (40_000, second))
    df = n + second - 2
    pooled = np.sqrt((a.var(1, ddof=1) * (n - 1) + b.var(1, ddof=1) * (second - 1)) / df)
    t = np.abs(a.mean(1) - b.mean(1)) / pooled / np.sqrt(1 / n + 1 / second)
    critical = {40: 2.0210754, 4: 2.7764451}[df]
    assert t_power(d, n, n_second=second) == pytest.approx((t > critical).mean(), abs=0.01)


def test_no_effect_is_found_as_often_as_alpha_says():
    assert t_power(0, 20, alpha=0.1) == pytest.approx(0.1)


designs = st.sampled_from(("one_sample", "two_sample"))


@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 3), st.sampled_from((0.5, 0.8, 0.95)), designs, st.sampled_from((0.05, 0.001)))
def test_size_reaches_the_power_and_one_fewer_does_not(effect, power, design, alpha):
    found = sample_size(effect, power=power, design=design, alpha=alpha)
    assert t_power(effect, found.n, design=design, alpha=alpha) >= power - 1e-9
    if found.n > 2:
        assert t_power(effect, found.n - 1, design=design, alpha=alpha) < power
    assert minimum_effect(found.n, power=power, design=design, alpha=alpha) <= effect + 1e-9


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 5), st.floats(0.01, 1), st.integers(2, 500), designs)
def test_power_grows_with_the_effect_and_with_n_and_stays_below_1(effect, more, n, design):
    plain = t_power(effect, n, design=design)
    assert 0.05 - 1e-9 <= plain <= 1
    assert t_power(effect + more, n, design=design) >= plain - 1e-9
    assert t_power(effect, n + 10, design=design) >= plain - 1e-9


@pytest.mark.parametrize(
    "call",
    [
        lambda: sample_size(0),
        lambda: sample_size(float("nan")),
        lambda: sample_size(0.3, power=0.05),
        lambda: sample_size(0.3, power=1),
        lambda: sample_size(1e-9),
        lambda: t_power(0.3, 1),
        lambda: t_power(0.3, 10, alpha=0),
        lambda: t_power(float("inf"), 10),
        lambda: t_power(0.3, 10, design="three_sample"),
        lambda: minimum_effect(float("nan")),
        lambda: accuracy_difference(0.2, 0),
        lambda: accuracy_difference(0.2, 5, accuracy=1),
    ],
)
def test_plans_without_an_answer_are_refused(call):
    with pytest.raises(BadInput):
        call()
