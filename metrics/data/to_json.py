"""Results as JSON-ready values: NaN and infinities never leave."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from metrics.errors import MetricsError
from metrics.types import Estimate, HuseResult, Interval, Mode

SCHEMA_VERSION = 1


def json_text(document: Mapping[str, Any]) -> str:
    """Return a JSON document. Raises ValueError for a number that is not finite."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def estimate_json(estimate: Estimate) -> dict[str, Any]:
    """One reported number: value, n, interval, settings, flags, signature. A None value carries a flag that says why.

    Raises MetricsError for a value that is not a finite number, and for a None without a flag.
    """
    if estimate.value is None and not estimate.flags:
        raise MetricsError(f"{estimate.signature} has no value and no flag that says why.")
    return {
        "value": _finite(estimate.value, estimate.signature),
        "n": estimate.n,
        "interval": interval_json(estimate.interval, estimate.signature),
        "settings": {name: _setting(value, estimate.signature) for name, value in estimate.settings.items()},
        "flags": list(estimate.flags),
        "signature": estimate.signature,
    }


def result_json(result: HuseResult) -> dict[str, Any]:
    """The four measures of one mode by name: huse, huse_q, huse_d, log_prob_only."""
    return {field.name: estimate_json(getattr(result, field.name)) for field in fields(result)}


def modes_json(results: Mapping[Mode, HuseResult]) -> dict[str, Any]:
    """The `modes` block: one entry a mode."""
    return {mode: result_json(result) for mode, result in results.items()}


def record_json(record: object) -> Any:
    """Any result of the package (a frozen dataclass) as JSON-ready values, key by field; estimates as elsewhere.

    A log-probability of minus infinity is the text "-inf". Raises MetricsError for any other number not finite.
    """
    if isinstance(record, Estimate):
        return estimate_json(record)
    if is_dataclass(record) and not isinstance(record, type):
        return {field.name: record_json(getattr(record, field.name)) for field in fields(record)}
    if isinstance(record, Mapping):
        return {str(name): record_json(value) for name, value in record.items()}
    if isinstance(record, tuple | list):
        return [record_json(value) for value in record]
    if record == -math.inf:
        return "-inf"
    return _setting(record, "the result")


def huse_document(results: Mapping[Mode, HuseResult]) -> dict[str, Any]:
    """The whole output of `python -m metrics huse --json`."""
    return {"schema_version": SCHEMA_VERSION, "modes": modes_json(results)}


def interval_json(interval: Interval | None, signature: str) -> dict[str, Any] | None:
    """An interval's limits, level, method and target in words; null where there is none.

    Raises MetricsError for one without end.
    """
    if interval is None:
        return None
    low, high = _finite(interval.low, signature), _finite(interval.high, signature)
    target_entry = {"target": interval.target} if interval.target else {}
    return {"low": low, "high": high, "level": interval.level, "method": interval.method, **target_entry}


def _setting(value: object, signature: str) -> object:
    return _finite(value, signature) if isinstance(value, float) else value


def _finite(value: float | None, signature: str) -> float | None:
    if value is not None and not math.isfinite(value):
        raise MetricsError(f"{signature} holds a number that is not finite.")
    return value
