"""The measures of a stored report, for pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Result


@dataclass(frozen=True, slots=True)
class Measure:
    """One headline number of a section, as a table shows it. section: its key. generator: or condition; `all`."""

    generator: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    signature: str
    target: str = ""  # what the interval is for, in words; "" where it is not recorded
    section: str = ""


EVERYBODY = "all"
BY_ARM = "human-or-machine"  # the section whose measures are of arms


def stand_side_by_side(measures: Sequence[Measure]) -> bool:
    """Whether they are of several arms of one study, which a reader will compare."""
    arms = {measure.generator for measure in measures if measure.section == BY_ARM} - {EVERYBODY}
    return len(arms) > 1


def measures_of(result: Result) -> list[Measure]:
    """The headline numbers of every section of a stored result, in the order of the report."""
    return [
        _measure(section["key"], measured)
        for section in result.numbers.get("results", ())
        for measured in section.get("measures", ())
    ]


def answer_of(result: Result) -> str:
    """The sentence that says which source is better, as the report prints it; "" where the report has none."""
    lead = next((part["lead"] for part in result.numbers.get("results", ()) if part.get("key") == "answer"), ())
    return lead[0] if lead else ""


def _measure(section: str, measured: dict[str, Any]) -> Measure:
    interval = measured.get("interval") or {}
    return Measure(
        generator=measured["subject"],
        measure=measured["title"],
        value=measured.get("value"),
        low=interval.get("low"),
        high=interval.get("high"),
        n=measured.get("n"),
        signature=measured.get("signature", ""),
        target=interval.get("target", ""),
        section=section,
    )


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
    """Return the first measure with a value, in the order of the report; of all evaluators where they were counted
    together. None where no measure has a value."""
    for name in dict.fromkeys(measure.measure for measure in measures):
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
