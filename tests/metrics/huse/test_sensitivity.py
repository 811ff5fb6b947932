"""Sensitivity tables: every row of the released study, and what is left out."""

from __future__ import annotations

import pytest

from metrics import evaluate
from metrics.errors import MissingLogProb
from metrics.huse.sensitivity import sensitivity_table
from tests.metrics.factories import items, rated_study, summary_items

# The original's sweep, floats: its own k (neighbours less one), HUSE and HUSE-Q.
SWEEP = {
    1: (0.55, 0.60), 3: (0.50, 0.65), 5: (0.53, 0.66), 7: (0.48, 0.64), 9: (0.56, 0.57), 11: (0.50, 0.59),
    13: (0.52, 0.59), 14: (0.52, 0.58), 15: (0.53, 0.58), 16: (0.47, 0.60), 17: (0.50, 0.57), 19: (0.48, 0.61),
    21: (0.47, 0.62), 25: (0.44, 0.59), 31: (0.46, 0.61), 41: (0.43, 0.59), 51: (0.52, 0.59), 75: (0.58, 0.63),
    99: (0.59, 0.61),
}  # fmt: skip
EXACT_K = {5: 0.44, 9: 0.52, 13: 0.51, 15: 0.52, 16: 0.53, 17: 0.47, 21: 0.46, 31: 0.47}


def four(result) -> tuple[float, ...]:
    return result.huse.value, result.huse_q.value, result.huse_d.value, result.log_prob_only.value


@pytest.mark.needs_data
def test_the_released_study_by_k_in_floats_is_the_originals_sweep(data_dir):
    found = sensitivity_table(summary_items(data_dir), [k + 1 for k in SWEEP], mode="paper")
    for row in found.by_k:
        assert four(row.result)[:2] == pytest.approx(SWEEP[row.changed["k"] - 1], abs=1e-12), row.choice


@pytest.mark.needs_data
def test_the_released_study_by_k_in_exact_arithmetic(data_dir):
    found = sensitivity_table(summary_items(data_dir), list(EXACT_K))
    assert {row.changed["k"]: pytest.approx(row.result.huse.value, abs=1e-12) for row in found.by_k} == EXACT_K


@pytest.mark.needs_data
def test_the_released_study_by_rules_for_ties_and_length(data_dir):
    found = sensitivity_table(summary_items(data_dir), [])
    rows = {row.choice: four(row.result) for row in found.by_tie}
    assert rows["paper ties"] == (0.53, 0.5800000000000001, 0.95, 1.1600000000000001)
    assert rows["equal votes: model"] == pytest.approx((0.54, 0.60, 0.94, 1.05), abs=1e-12)
    assert rows["equal votes: half"] == pytest.approx((0.535, 0.60, 0.935, 1.105), abs=1e-12)
    assert four(found.unnormalised.result) == pytest.approx((0.48, 0.60, 0.88, 0.85), abs=1e-12)
    assert four(found.default) == pytest.approx((0.53, 0.60, 0.93, 1.16), abs=1e-12)


@pytest.mark.needs_data
def test_the_originals_floats_with_other_rules(data_dir):
    found = sensitivity_table(summary_items(data_dir), [], mode="paper")
    rows = {row.choice: four(row.result)[:3] for row in found.by_tie}
    assert rows["equal votes: model"] == pytest.approx((0.54, 0.62, 0.92), abs=1e-12)
    assert rows["equal votes: half"] == pytest.approx((0.535, 0.60, 0.935), abs=1e-12)
    assert four(found.unnormalised.result) == pytest.approx((0.48, 0.58, 0.90, 0.85), abs=1e-12)


def test_k_beyond_the_items_is_left_out_and_named():
    study, _ = rated_study(10)
    found = sensitivity_table(study, [3, 19, 20, 40])
    assert ([row.changed["k"] for row in found.by_k], found.left_out) == ([3, 19], (20, 40))


def test_each_row_is_what_evaluate_gives():
    study, _ = rated_study(20)
    found = sensitivity_table(study, [5])
    assert found.by_k[0].result == evaluate(study, ["exact"], k=5, draws=0)["exact"]
    assert len(found.rows) == 5


def test_rows_carry_no_interval():
    found = sensitivity_table(rated_study(20)[0], [5])
    assert all(row.result.huse.interval is None for row in found.rows)


def test_items_without_log_prob_are_refused_or_give_quality_alone():
    study = items([(4, None)] * 10, [(3, None)] * 10)
    with pytest.raises(MissingLogProb):
        sensitivity_table(study)
    assert sensitivity_table(study, [5], missing="quality_only").default.huse.value is None
