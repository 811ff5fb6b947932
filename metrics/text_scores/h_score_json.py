"""Automatic human-likelihood as JSON-ready values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from metrics.data.to_json import SCHEMA_VERSION, estimate_json
from metrics.text_scores.calibration import Calibration, WithPeople
from metrics.text_scores.h_score import HScore, TextScore
from metrics.text_scores.token_predictions import Backend


def h_score_json(
    scores: Sequence[TextScore],
    result: HScore,
    backend: Backend,
    calibration: Calibration | None = None,
    people: WithPeople | None = None,
    curvatures: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """The output of `python -m metrics hscore --json`: each text's Fp and statistics, then the collection.

    curvatures: Fast-DetectGPT's score by text, where a model read the texts (high: machine).
    """
    flags = [] if result.thresholds.calibrated else ["uncalibrated"]
    if not backend.recorded:
        flags.append("backend_not_recorded")
    return {
        "schema_version": SCHEMA_VERSION,
        "backend": asdict(backend),
        "thresholds": asdict(result.thresholds),
        "flags": flags,
        "texts": {score.id: _text(score) for score in scores},
        **{name: estimate_json(getattr(result, name)) for name in ("h", "u", "m", "mean_fp")},
        "calibration": calibration and _calibration(calibration),
        "people": people and _people(people),
        "fast_detect_gpt": dict(curvatures) if curvatures else None,
    }


def _text(score: TextScore) -> dict[str, Any]:
    values = asdict(score)
    del values["id"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _calibration(calibration: Calibration) -> dict[str, Any]:
    names = ("auc", "youden_j", "held_out")
    estimates = {name: estimate_json(getattr(calibration, name)) for name in names}
    return {"method": calibration.method, "threshold": calibration.threshold, **estimates}


def _people(people: WithPeople) -> dict[str, Any]:
    names = ("agreement", "kappa", "auc", "correlation")
    return {**{name: estimate_json(getattr(people, name)) for name in names}, "undecided": people.undecided}
