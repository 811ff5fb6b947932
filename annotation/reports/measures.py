"""The measures of a stored report, for pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Job, Result


@dataclass(frozen=True, slots=True)
class Told:
    """One measure of one generator, as a table shows it."""

    generator: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    signature: str
    target: str = ""  # what the interval is for, in words; "" where it is not recorded


MEASURES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}


ACCURACY, EVERYBODY = "Accuracy", "all"


def stand_side_by_side(measures: Sequence[Told]) -> bool:
    """Whether they tell of several cells of one study, which a reader will compare."""
    return len({one.generator for one in measures if one.measure == ACCURACY and one.generator != EVERYBODY}) > 1


def told(job: Job) -> list[Told]:
    """The measures of a report that was made, with interval, n and signature."""
    result = Result.objects.filter(pk=job.outcome.get("result"), study=job.study_id).first()
    return told_of(result) if result else []


def told_of(result: Result) -> list[Told]:
    """The measures of a stored result: HUSE by generator; of people who told human from machine texts, by cell."""
    generators = result.numbers.get("generators", {})
    huse = [
        _told(name, label, one["modes"]["exact"].get(measure) or {})
        for name, one in sorted(generators.items())
        for measure, label in MEASURES.items()
    ]
    return huse + [_told(_cell(row), ACCURACY, row["accuracy"]) for row in _evaluators(result)]


def _evaluators(result: Result) -> list[dict[str, Any]]:
    tables = [table for part in result.numbers.get("results", ()) for table in part["tables"]]
    return next((table["rows"] for table in tables if table["name"] == "evaluators"), [])


def _cell(row: dict[str, Any]) -> str:
    """Training, domain and model of a row of the evaluators' table, in the order of a cell's name."""
    parts = [row[name] for name in ("training", "domain", "model") if row.get(name)]
    return EVERYBODY if set(parts) == {"all"} else " × ".join(parts)


def _told(generator: str, measure: str, found: dict[str, Any]) -> Told:
    interval = found.get("interval") or {}
    return Told(
        generator, measure, found.get("value"), interval.get("low"), interval.get("high"), found.get("n"),
        found.get("signature", ""), interval.get("target", ""),
    )  # fmt: skip


def interval_targets(found: Iterable[Told]) -> list[tuple[str, str]]:
    """What intervals are for, each with the measures that have it: ("HUSE, HUSE-Q", "expectation of ...")."""
    measures: dict[str, dict[str, None]] = {}
    for one in found:
        if one.target and one.low is not None:
            measures.setdefault(one.target, {})[one.measure] = None
    return [(", ".join(names), target) for target, names in measures.items()]
