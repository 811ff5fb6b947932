"""Results as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from metrics import Estimate, MetricsError, evaluate
from metrics.data.to_json import estimate_json, huse_document, modes_json, record_json
from metrics.huse.curves import replicate_curve
from metrics.huse.examples import find_examples
from metrics.huse.permutation_test import permutation_test
from metrics.huse.quality_diversity import dominance_region
from metrics.huse.sensitivity import sensitivity_table
from metrics.huse.variance_components import rater_component
from metrics.types import Interval
from tests.metrics.factories import rated_study
from tests.metrics.huse.test_huse import EXAMPLE_B, many

PLAIN = Estimate(0.5, 10, Interval(0.4, 0.6, 0.95, "z"), {"k": 3, "note": None}, ("f",), "x|n:10")


def test_an_estimate_has_the_agreed_keys():
    assert estimate_json(PLAIN) == {
        "value": 0.5,
        "n": 10,
        "interval": {"low": 0.4, "high": 0.6, "level": 0.95, "method": "z"},
        "settings": {"k": 3, "note": None},
        "flags": ["f"],
        "signature": "x|n:10",
    }


def test_no_value_is_null_beside_a_flag():
    assert estimate_json(replace(PLAIN, value=None, interval=None))["value"] is None


def test_no_value_without_a_flag_is_an_error():
    with pytest.raises(MetricsError, match="no flag"):
        estimate_json(replace(PLAIN, value=None, flags=()))


@pytest.mark.parametrize(
    "broken",
    [
        replace(PLAIN, value=math.nan),
        replace(PLAIN, value=-math.inf),
        replace(PLAIN, interval=Interval(0.1, math.inf, 0.9, "z")),
        replace(PLAIN, settings={"x": math.nan}),
    ],
)
def test_what_is_not_finite_never_leaves(broken):
    with pytest.raises(MetricsError, match="not finite"):
        estimate_json(broken)


def test_the_document_holds_both_modes_and_survives_strict_json():
    text = json.dumps(huse_document(evaluate(many())), allow_nan=False)
    found = json.loads(text)
    assert found["schema_version"] == 1
    assert list(found["modes"]) == ["exact", "paper"]
    assert list(found["modes"]["exact"]) == ["huse", "huse_q", "huse_d", "log_prob_only"]


def test_modes_hold_the_values_of_the_results():
    results = evaluate(EXAMPLE_B, k=3, draws=0)
    assert modes_json(results)["exact"]["huse"]["value"] == 0.25


def test_any_result_of_the_package_is_ready_for_json():
    study, ratings = rated_study(30)
    study[0] = replace(study[0], log_prob=-math.inf)
    results = (
        permutation_test(study, permutations=20),
        replicate_curve(study, ratings, draws=5),
        sensitivity_table(study, [5]),
        rater_component(study, ratings, draws=5),
        find_examples(study, longest=30),
        dominance_region({"a": (0.5, 0.6)}),
    )
    text = json.dumps([record_json(result) for result in results], allow_nan=False)
    assert '"-inf"' in text
    assert '"signature": "rater_component|n:60' in text


def test_a_result_that_is_no_number_is_refused():
    with pytest.raises(MetricsError, match="not finite"):
        record_json({"mean": math.nan})
