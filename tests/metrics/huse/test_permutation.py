"""The permutation test: what is exchanged, how p is counted, and what it cannot say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import evaluate
from metrics.errors import BadInput, MissingLogProb, SingleSource
from metrics.huse.permutation_test import permutation_test
from tests.metrics.factories import items, rated_study
from tests.metrics.plain import fraction_twice_error


def plain_values(study, sources, k):
    """HUSE with other labels, by rational arithmetic."""
    q = [Fraction(repr(item.log_prob)) for item in study]
    return fraction_twice_error([[item.hj for item in study], q], sources, k)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**20), st.integers(1, 3))
def test_the_null_is_that_of_all_exchanges_within_contexts(seed, k):
    study, _ = rated_study(4, 3, seed)
    truth = [item.source == "reference" for item in study]
    every = []
    for flips in product([False, True], repeat=4):
        labels = [label != flips[i % 4] for i, label in enumerate(truth)]
        every.append(plain_values(study, labels, k))
    found = permutation_test(study, k=k, permutations=4000, seed=seed)
    share = np.mean([value <= plain_values(study, truth, k) for value in every])
    assert found.scheme == "within contexts"
    assert found.p == pytest.approx(share, abs=0.04)
    assert found.null_mean == pytest.approx(float(sum(every) / 16), abs=0.04)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**20), st.sampled_from(["huse", "huse_q", "log_prob_only"]))
def test_the_value_tested_is_that_of_exact_mode(seed, measure):
    study, _ = rated_study(12, 4, seed)
    result = evaluate(study, ["exact"], k=5, draws=0)["exact"]
    assert permutation_test(study, measure, k=5, permutations=1).value == getattr(result, measure).value


def test_p_counts_ties_whole_and_mid_p_half():
    study = [replace(item, context=None) for item in rated_study(6, 4, 1, shift=0)[0]]
    found = permutation_test(study, k=3, permutations=99)
    assert 0.01 <= found.mid_p < found.p <= 1
    assert (found.p * 100) % 1 == pytest.approx(0, abs=1e-9) or (found.p * 100) % 1 == pytest.approx(1, abs=1e-9)


def test_sources_far_apart_give_the_smallest_p():
    study = items([(6, -1.0 - i / 100) for i in range(20)], [(1, -5.0 - i / 100) for i in range(20)])
    found = permutation_test(study, k=5)
    assert (found.p, found.mid_p) == (0.001, 0.0005)


def test_features_that_tell_nothing_give_p_one():
    found = permutation_test(items([(3, -1.0)] * 6, [(3, -1.0)] * 6), k=3)
    assert (found.value, found.p, found.null_sd) == (1.0, 1.0, 0.0)


def test_unpaired_texts_are_exchanged_within_hits():
    study = [replace(item, context=None) for item in rated_study(12, 4)[0]]
    hits = {item.id: f"h{i % 3}" for i, item in enumerate(study)}
    found = permutation_test(study, hits=hits, k=5, permutations=50)
    assert (found.scheme, found.flags, found.note) == ("within HITs", (), "")


def test_exchanges_within_hits_keep_what_each_hit_holds():
    # One HIT holds all but one of each source: only that pair can change places, so labellings are two.
    study = items([(6, -1.0)] * 5 + [(1, -9.0)], [(1, -5.0)] * 5 + [(6, -1.5)])
    hits = {item.id: "small" if item.id in ("r5", "m5") else f"own {item.source}" for item in study}
    found = permutation_test(study, hits=hits, k=3, permutations=400, seed=4)
    other = {"r5": "model", "m5": "reference"}
    swapped = [replace(item, source=other.get(item.id, item.source)) for item in study]
    two = [evaluate(s, ["exact"], k=3, draws=0)["exact"].huse.value for s in (study, swapped)]
    assert found.null_mean == pytest.approx(sum(two) / 2, abs=0.1)
    assert found.null_sd == pytest.approx(abs(two[0] - two[1]) / 2, abs=0.05)


def test_one_source_hits_are_flagged_and_the_note_says_why():
    study = [replace(item, context=None) for item in rated_study(12, 4)[0]]
    found = permutation_test(study, hits={item.id: item.source for item in study}, k=5, permutations=20)
    assert (found.scheme, found.flags) == ("free", ("one_source_hits",))
    assert "cannot separate" in found.note
    assert found.settings["texts_in_one_source_hits"] == 24


def test_minus_infinity_on_one_side_only_is_the_smallest_value():
    study, _ = rated_study(12, 4)
    gone = [replace(item, log_prob=-np.inf) if item.source == "model" else item for item in study]
    found = permutation_test(gone, k=5)
    assert found.value == 0
    assert found.p <= 0.002


def test_quality_alone_needs_no_log_prob():
    study = [replace(item, log_prob=None) for item in rated_study(12, 4)[0]]
    assert permutation_test(study, "huse_q", k=5, missing="quality_only", permutations=20).p > 0
    with pytest.raises(MissingLogProb):
        permutation_test(study, "huse", k=5, missing="quality_only")


def test_many_labellings_come_in_batches(monkeypatch):
    from metrics.huse import permutation_test as permutation

    study, _ = rated_study(12, 4)
    monkeypatch.setattr(permutation, "CELLS", 100)
    found = permutation_test(study, k=5, permutations=30)
    assert (found.permutations, 1 / 31 <= found.p <= 1) == (30, True)


def test_the_same_seed_gives_the_same_p():
    study, _ = rated_study(20, 4)
    assert permutation_test(study, seed=3) == permutation_test(study, seed=3)


@pytest.mark.parametrize("change", [{"permutations": 0}, {"measure": "huse_d"}, {"seed": -1}, {"k": 0}])
def test_odd_settings_are_refused(change):
    with pytest.raises(BadInput):
        permutation_test(rated_study(12, 4)[0], **change)


def test_one_source_is_refused():
    with pytest.raises(SingleSource):
        permutation_test([item for item in rated_study(12, 4)[0] if item.source == "model"])
