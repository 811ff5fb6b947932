"""Declared families and adjusted p-values: the numbers of the method (2.11) and what must hold of any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.inference.multiple_testing import METHODS, Family, adjust

P = {"a": 0.001, "b": 0.01, "c": 0.02, "d": 0.04}
FOUR = Family("plan", ("a", "b", "c", "d"))
EXPECTED = {
    "bonferroni": [0.004, 0.04, 0.08, 0.16],
    "holm": [0.004, 0.03, 0.04, 0.04],
    "bh": [0.004, 0.02, 0.026667, 0.04],
}


@pytest.mark.parametrize("method", METHODS)
def test_four_p_values_give_the_numbers_of_the_method(method):
    assert list(adjust(FOUR, P, method).p.values()) == pytest.approx(EXPECTED[method], abs=1e-6)


def test_fifteen_tests_leave_each_a_three_hundredth_by_bonferroni():
    family = Family("all pairs", tuple(map(str, range(15))))
    assert family.bonferroni_alpha == pytest.approx(0.003333, abs=1e-6)


def test_an_undeclared_or_absent_member_is_refused_by_name():
    with pytest.raises(BadInput, match="e was not declared"):
        adjust(FOUR, P | {"e": 0.1})
    with pytest.raises(BadInput, match="d was declared and has no result"):
        adjust(FOUR, {name: p for name, p in P.items() if name != "d"})


@pytest.mark.parametrize("names", [(), ("a", "a"), ("a", " ")])
def test_a_family_names_each_hypothesis_once(names):
    with pytest.raises(BadInput):
        Family("plan", names)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_p_value_outside_0_and_1_is_refused(p):
    with pytest.raises(BadInput, match="between 0 and 1"):
        adjust(Family("plan", ("a",)), {"a": p})


def test_a_test_without_p_stays_in_the_family_and_is_flagged():
    found = adjust(FOUR, P | {"d": None}, "bonferroni")
    assert found.p["d"] is None
    assert found.p["a"] == pytest.approx(0.004)
    assert found.flags == ("undefined_p",)


def slow_holm(p: list[float], i: int) -> float:
    """Closed testing with Bonferroni: the largest size * smallest p over every set that holds i."""
    sets = [[j for j in range(len(p)) if mask >> j & 1] for mask in range(1 << len(p)) if mask >> i & 1]
    return min(1, max(len(members) * min(p[j] for j in members) for members in sets))


def slow_bh(p: list[float], i: int) -> float:
    """The smallest q at which i is rejected: the least m p / rank over values no smaller, rank counting all <= it."""
    return min(len(p) * x / sum(y <= x for y in p) for x in p if x >= p[i])


ps = st.lists(st.floats(0, 1), min_size=1, max_size=7)


@given(ps)
def test_holm_is_closed_testing_and_bh_the_least_rate_that_rejects(p):
    family = Family("plan", tuple(map(str, range(len(p)))))
    named = dict(zip(family.hypotheses, p, strict=True))
    holm, bh = (list(adjust(family, named, method).p.values()) for method in ("holm", "bh"))
    assert holm == pytest.approx([slow_holm(p, i) for i in range(len(p))])
    assert bh == pytest.approx([slow_bh(p, i) for i in range(len(p))])


@given(ps, st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter_and_methods_are_ordered(p, random):
    family = Family("plan", tuple(map(str, range(len(p)))))
    named = list(zip(family.hypotheses, p, strict=True))
    plain = {method: adjust(family, dict(named), method) for method in METHODS}
    random.shuffle(named)
    for method in METHODS:
        assert adjust(family, dict(named), method) == plain[method]
    for name, value in named:
        steps = [plain[method].p[name] for method in METHODS]
        assert 1 >= steps[0] >= steps[1] - 1e-12 >= steps[2] - 2e-12 >= value - 3e-12


@given(ps)
def test_rejected_are_those_at_or_below_alpha(p):
    family = Family("plan", tuple(map(str, range(len(p)))), alpha=0.2)
    found = adjust(family, dict(zip(family.hypotheses, p, strict=True)))
    assert set(found.rejected) == {name for name, value in found.p.items() if value <= 0.2}
