"""A study of evaluators as JSON-ready values: metric names as keys, each value as in every other output."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from metrics.data.to_json import SCHEMA_VERSION, estimate_json
from metrics.evaluators.accuracy import Accuracy
from metrics.evaluators.evaluate import AgainstChance, Condition, Evaluation
from metrics.types import Estimate


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """The whole output of `python -m metrics evaluators --json`: the whole study, then each condition."""
    family = evaluation.family
    return {
        "schema_version": SCHEMA_VERSION,
        **condition_json(evaluation.overall),
        "conditions": {name: condition_json(condition) for name, condition in evaluation.conditions.items()},
        "family": {"name": family.name, "hypotheses": list(family.hypotheses), "alpha": family.alpha}
        if family
        else None,
        "flags": list(evaluation.flags),
    }


def condition_json(condition: Condition) -> dict[str, Any]:
    """One condition: its measures by name, `confusion` (counts) and `score_histogram` (by truth, then score)."""
    histogram: dict[str, dict[str, Any]] = {}
    for entry in condition.accuracy.histogram:
        cell = {"count": entry.count, **estimate_json(entry.share)}
        histogram.setdefault(entry.truth, {})[str(entry.rating)] = cell
    return {
        **{name: estimate_json(estimate) for name, estimate in collect_measures(condition).items()},
        "confusion": asdict(condition.accuracy.confusion),
        "score_histogram": histogram,
    }


def collect_measures(condition: Condition) -> dict[str, Estimate]:
    """Every single number of a condition by name, accuracy first."""
    return {**_estimates(condition.accuracy), **_estimates(condition.against_chance), **condition.agreement}


def _estimates(record: Accuracy | AgainstChance) -> dict[str, Estimate]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {name: value for name, value in values.items() if isinstance(value, Estimate)}
