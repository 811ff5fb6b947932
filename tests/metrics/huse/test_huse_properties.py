"""HUSE against slow references, and what must not change it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import Item, evaluate
from tests.metrics.factories import items
from tests.metrics.plain import fraction_twice_error, loop_huse

# Few values, so that ties and duplicates abound; unequal counts of raters give mixed denominators.
LATTICE = st.builds(Fraction, st.integers(0, 12), st.sampled_from([1, 2, 3, 4, 5, 7, 20]))
FINE = st.integers(0, 10**6).map(lambda n: Fraction(n, 10**6))
FEW_LOGS = st.sampled_from([-0.1, -0.2, -0.3, -0.5, -1.0, -1.1, -2.2, -3.3])
MANY_LOGS = st.floats(-60, 0, allow_nan=False)


def studies(hj: st.SearchStrategy, log_prob: st.SearchStrategy) -> st.SearchStrategy[list[Item]]:
    rows = st.lists(st.tuples(hj, log_prob), min_size=4, max_size=14)
    lengths = st.integers(1, 3)
    return st.builds(lambda ref, model, n: items(ref, model, n), rows, rows, lengths)


EVERY = st.one_of(*(studies(hj, log) for hj in (LATTICE, FINE) for log in (FEW_LOGS, MANY_LOGS)))


def features(study: list[Item]) -> tuple[list[Fraction], list[Fraction], list[bool]]:
    q = [Fraction(repr(item.log_prob)) / item.length for item in study]
    return [item.hj for item in study], q, [item.source == "reference" for item in study]


@settings(deadline=None, max_examples=150)
@given(EVERY, st.integers(1, 7), st.sampled_from(["reference", "half", "model"]))
def test_exact_mode_is_rational_arithmetic(study, k, vote_tie):
    hj, q, z = features(study)
    result = evaluate(study, ["exact"], k=k, vote_tie=vote_tie, draws=0)["exact"]
    both, quality, log_prob = (fraction_twice_error(f, z, k, vote_tie) for f in ([hj, q], [hj], [q]))
    assert (result.huse.value, result.huse_q.value) == (float(both), float(quality))
    assert result.log_prob_only.value == float(log_prob)
    assert result.huse_d.value == float(1 + both - quality)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(5, 60), st.integers(1, 4), st.integers(1, 20), st.booleans())
def test_paper_mode_is_the_loop_to_the_last_bit(seed, n, k, raters, coarse):
    rng = np.random.default_rng(seed)
    sums = rng.integers(raters, 6 * raters, 2 * n)
    q = np.round(-rng.gamma(2, 1, 2 * n), 1 if coarse else 6)
    pairs = [(Fraction(int(s), raters), float(x)) for s, x in zip(sums, q, strict=True)]
    result = evaluate(items(pairs[:n], pairs[n:]), ["paper"], k=k, draws=0)["paper"]
    hj = np.array([float(pair[0]) for pair in pairs])
    if len(set(sums)) > 1 and len(set(q)) > 1:
        expected = loop_huse(hj, q, np.repeat([0, 1], n), k)
        assert (result.huse.value, result.huse_q.value, result.log_prob_only.value) == expected


@settings(deadline=None, max_examples=60)
@given(EVERY, st.randoms(use_true_random=False), LATTICE.filter(bool), st.integers(-5, 5))
def test_exact_mode_does_not_change_with_order_names_or_the_unit_of_hj(study, random, unit, zero):
    before = evaluate(study, ["exact"], k=3, draws=0)["exact"]
    changed = [replace(item, id=f"x{i}", hj=item.hj * unit + zero) for i, item in enumerate(study)]
    random.shuffle(changed)
    after = evaluate(changed, ["exact"], k=3, draws=0)["exact"]
    for name in ("huse", "huse_q", "huse_d", "log_prob_only"):
        assert getattr(after, name).value == getattr(before, name).value


def test_exact_mode_does_not_change_with_the_unit_of_hj_where_the_original_does():
    # The original multiplied by random constants returns 0.58 to 0.62; on any one study exact mode returns one value.
    rng = np.random.default_rng(2)
    study = [
        Item(str(i), "model" if i % 2 else "reference", Fraction(int(s), 20), float(-q), 7)
        for i, (s, q) in enumerate(zip(rng.integers(40, 110, 200), rng.gamma(4, 3, 200), strict=True))
    ]
    values = set()
    for unit in (Fraction(1), Fraction(1, 3), Fraction(7, 11), Fraction(10**9, 7), Fraction(1, 10**30)):
        scaled = [replace(item, hj=item.hj * unit) for item in study]
        values.add(evaluate(scaled, ["exact"], draws=0)["exact"].huse_q.value)
    assert len(values) == 1


@settings(deadline=None, max_examples=40)
@given(EVERY)
def test_swapping_sources_and_the_owner_of_ties_changes_nothing(study):
    other = {"reference": "model", "model": "reference"}
    before = evaluate(study, ["exact"], k=3, draws=0)["exact"]
    after = evaluate([replace(i, source=other[i.source]) for i in study], ["exact"], k=3, vote_tie="model", draws=0)
    assert after["exact"].huse.value == before.huse.value


@settings(deadline=None, max_examples=40)
@given(studies(LATTICE, st.one_of(FEW_LOGS, st.just(-math.inf))), st.integers(1, 7))
def test_minus_infinity_is_a_group_beyond_every_finite_item(study, k):
    expected = far_group_twice_error(study, k)
    result = evaluate(study, ["exact"], k=k, draws=0)["exact"]
    if not {"disjoint_support", "zero_variance_log_prob", "zero_variance_hj"} & set(result.huse.flags):
        assert result.huse.value == float(expected)


def far_group_twice_error(study: list[Item], k: int) -> Fraction:
    """Distances as (are the groups different, squared distance), compared in that order."""
    hj = [item.hj for item in study]
    finite = [Fraction(repr(i.log_prob)) / i.length for i in study if i.log_prob > -math.inf]
    mean_h, n = sum(hj) / len(hj), len(study)
    h_var = sum((h - mean_h) ** 2 for h in hj) / n
    mean_q = sum(finite) / len(finite) if finite else Fraction(0)
    q_var = sum((q - mean_q) ** 2 for q in finite) / len(finite) if finite else Fraction(0)

    def distance(a: Item, b: Item) -> tuple[bool, Fraction]:
        total = (a.hj - b.hj) ** 2 / h_var if h_var else Fraction(0)
        apart = (a.log_prob > -math.inf) != (b.log_prob > -math.inf)
        if not apart and a.log_prob > -math.inf and q_var:
            total += (Fraction(repr(a.log_prob)) / a.length - Fraction(repr(b.log_prob)) / b.length) ** 2 / q_var
        return apart, total

    errors: dict[str, list[bool]] = {"reference": [], "model": []}
    sizes = {source: sum(item.source == source for item in study) for source in errors}
    for item in study:
        away = [(distance(item, other), other.source) for other in study if other is not item]
        cut = sorted(d for d, _ in away)[k - 1]
        votes = [source for d, source in away if d <= cut]
        ahead = votes.count("reference") * sizes["model"] >= votes.count("model") * sizes["reference"]
        predicted = "reference" if ahead else "model"
        errors[item.source].append(predicted != item.source)
    return sum((Fraction(sum(wrong), len(wrong)) for wrong in errors.values()), Fraction(0))


@pytest.mark.parametrize("mode", ["exact", "paper"])
@settings(deadline=None, max_examples=60)
@given(study=studies(st.fractions(-(10**30), 10**30), st.floats(-1e90, 0)), k=st.integers(1, 7))
def test_any_finite_study_has_a_finite_answer_between_zero_and_two(mode, study, k):
    result = evaluate(study, [mode], k=k, draws=10)[mode]
    for estimate in (result.huse, result.huse_q, result.log_prob_only):
        assert 0 <= estimate.value <= 2
    assert -1 <= result.huse_d.value <= 3
