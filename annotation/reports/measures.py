"""The measures of a stored report, for pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Result


@dataclass(frozen=True, slots=True)
class Measure:
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


def stand_side_by_side(measures: Sequence[Measure]) -> bool:
    """Whether they are of several conditions of one study, which a reader will compare."""
    return (
        len(
            {
                measure.generator
                for measure in measures
                if measure.measure == ACCURACY and measure.generator != EVERYBODY
            }
        )
        > 1
    )


def measures_of(result: Result) -> list[Measure]:
    """The measures of a stored result: HUSE by generator; of human-or-machine tasks, accuracy by condition."""
    generators = result.numbers.get("generators", {})
    huse = [
        _measure(name, label, numbers["modes"]["exact"].get(measure) or {})
        for name, numbers in sorted(generators.items())
        for measure, label in MEASURES.items()
    ]
    return huse + [_measure(_cell(row), ACCURACY, row["accuracy"]) for row in _evaluators(result)]


def _evaluators(result: Result) -> list[dict[str, Any]]:
    tables = [table for part in result.numbers.get("results", ()) for table in part["tables"]]
    return next((table["rows"] for table in tables if table["name"] == "evaluators"), [])


def _cell(row: dict[str, Any]) -> str:
    """Training, domain and model of a row of the evaluators' table, in the order of a cell's name."""
    parts = [row[name] for name in ("training", "domain", "model") if row.get(name)]
    return EVERYBODY if set(parts) == {"all"} else " × ".join(parts)


def _measure(generator: str, measure: str, estimate: dict[str, Any]) -> Measure:
    interval = estimate.get("interval") or {}
    return Measure(
        generator, measure, estimate.get("value"), interval.get("low"), interval.get("high"), estimate.get("n"),
        estimate.get("signature", ""), interval.get("target", ""),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Headline:
    """The measure that a list of studies shows. more: how many other generators or conditions have it too."""

    measure: str
    generator: str
    value: float
    low: float | None
    high: float | None
    more: int


def choose_headline(measures: Sequence[Measure]) -> Headline | None:
    """Return the first measure with a value, in the order of the papers; of all evaluators where they were counted
    together. None where no measure has a value."""
    for name in (MEASURES["huse"], MEASURES["huse_q"], ACCURACY):
        rows = [row for row in measures if row.measure == name and row.value is not None]
        first = next((row for row in rows if row.generator == EVERYBODY), rows[0] if rows else None)
        if first is not None and first.value is not None:
            more = sum(row.generator not in {EVERYBODY, first.generator} for row in rows)
            return Headline(name, first.generator, first.value, first.low, first.high, more)
    return None


def headline_of(result: Result) -> Headline | None:
    """The headline of a stored result; one that was made before headlines were kept is read as a whole."""
    return Headline(**result.headline) if result.headline else choose_headline(measures_of(result))


def interval_targets(measures: Iterable[Measure]) -> list[tuple[str, str]]:
    """What intervals are for, each with the measures that have it: ("HUSE, HUSE-Q", "expectation of ...")."""
    names_by_target: dict[str, dict[str, None]] = {}
    for measure in measures:
        if measure.target and measure.low is not None:
            names_by_target.setdefault(measure.target, {})[measure.measure] = None
    return [(", ".join(names), target) for target, names in names_by_target.items()]
