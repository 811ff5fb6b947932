from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from annotation.rehearsal.world.simulation import MEASURES
from annotation.rehearsal.world.truths import TRUTHS_FILE, TruthsError, load

HOT, WARM, COLD = 1.0, 0.9, 0.7


def written(tmp_path, **changes):
    body = json.loads(TRUTHS_FILE.read_text(encoding="utf-8"))
    path = tmp_path / "truths.json"
    path.write_text(json.dumps(body | changes), encoding="utf-8")
    return path


def in_order(values: list[float]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


def test_enough_studies_and_texts_stand_behind_the_stored_truths():
    truths = load()
    assert truths.studies >= 4000
    assert truths.coverage_studies >= 400
    assert truths.texts_per_source >= 500_000


@pytest.mark.parametrize("part", ["weights", "grammar", "raters"])
def test_truths_of_another_world_are_refused_by_the_name_of_what_changed(tmp_path, part):
    world = json.loads(TRUTHS_FILE.read_text(encoding="utf-8"))["world"]
    with pytest.raises(TruthsError, match=f"{part} changed.*make truth"):
        load(written(tmp_path, world=world | {part: "0" * 64}))


def test_truths_of_another_design_or_schema_or_none_at_all_are_refused(tmp_path):
    design = json.loads(TRUTHS_FILE.read_text(encoding="utf-8"))["design"]
    with pytest.raises(TruthsError, match="another study design"):
        load(written(tmp_path, design=design | {"ratings": 5}))
    with pytest.raises(TruthsError, match="schema version 0"):
        load(written(tmp_path, schema_version=0))
    with pytest.raises(TruthsError, match="absent"):
        load(tmp_path / "nowhere.json")


def test_a_temperature_that_was_not_measured_is_refused():
    with pytest.raises(TruthsError, match="temperature 0"):
        load().at(0.8)


def test_annealing_trades_diversity_for_quality_in_every_stored_truth():
    cold_to_hot = [load().at(t) for t in (COLD, WARM, HOT)]
    for family in ("l_phi", "expected"):
        kinds = [getattr(truth, family) for truth in cold_to_hot]
        assert in_order([-kind["huse_q"].value for kind in kinds])
        assert in_order([kind["huse_d"].value for kind in kinds])
        assert in_order([kind["huse"].value for kind in kinds])
    assert in_order([truth.l_star.value for truth in cold_to_hot])


def test_the_truths_stand_in_the_order_that_theory_asks():
    for truth in load().temperatures:
        assert 0 < truth.l_star.value < truth.l_phi["huse"].in_sample < truth.l_phi["huse_q"].value < 1


def test_ninety_five_per_cent_intervals_cover_as_stated():
    for truth in load().temperatures:
        for name in MEASURES:
            covered = truth.expected[name].coverage
            assert 0.92 <= covered["0.95"].value <= 0.98
            assert covered["0.90"].value < covered["0.95"].value


def test_a_small_simulation_agrees_with_the_stored_expectations(studies):
    estimates = studies.estimates()
    for i, truth in enumerate(load().temperatures):
        for j, name in enumerate(MEASURES):
            stored, found = truth.expected[name], estimates[:, i, j]
            se = math.hypot(stored.se, found.std(ddof=1) / math.sqrt(len(found)))
            assert abs(found.mean() - stored.value) < 4.5 * se


def test_a_small_simulation_agrees_with_the_stored_overlap(studies):
    for truth, overlap in zip(load().temperatures, studies.overlap, strict=True):
        assert abs(overlap.mean() - truth.l_star.value) < 4.5 * overlap.std() / math.sqrt(overlap.size)


def test_annealing_trades_diversity_for_quality_in_a_small_simulation(studies):
    hot, warm, cold = studies.estimates().mean(axis=0)
    assert hot[1] < warm[1] < cold[1]
    assert hot[2] > warm[2] > cold[2]


def test_references_are_rated_once_for_all_generators(studies):
    first, second = studies.arm(3, 0), studies.arm(3, 2)
    assert (first.sums[first.reference] == second.sums[second.reference]).all()
    assert not np.allclose(first.q[first.reference], second.q[second.reference])
