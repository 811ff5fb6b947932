"""Headline measures under any choice of rules: a job stores answers by submission, and a page computes from these.

Values are those of the sensitivity to exclusions, by the same functions, without intervals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.quality.key_measures import KeyMeasure
from annotation.quality.work_table import Bools
from annotation.reports.headline_effects import build_headlines
from metrics.evaluators.exclusion_sensitivity import UnitAnswers
from metrics.huse.exclusion_sensitivity import UnitRatings
from metrics.inference.specification_curve import units_mask
from metrics.report.records import ReportInput, unit_of
from metrics.report.row_records import RuleFacts
from metrics.report.sections.exclusions import arrays_by_unit

FILE = "answers-by-submission.npz"
FACTS = "facts"
Arrays = UnitRatings | UnitAnswers | KeyMeasure
KINDS = {kind.__name__: kind for kind in (UnitRatings, UnitAnswers, KeyMeasure)}


@dataclass(frozen=True, slots=True)
class ChosenMeasure:
    """A headline measure without rules and with the chosen ones; None where it has no value. percent: a share."""

    name: str
    before: float | None
    after: float | None
    percent: bool


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """What the chosen rules exclude together of `of` submissions with answers, and the headline measures."""

    submissions: int
    of: int
    measures: tuple[ChosenMeasure, ...]

    @property
    def lacks(self) -> bool:
        """Whether a measure has no value with the chosen rules."""
        return any(measure.after is None for measure in self.measures)


@dataclass(frozen=True, slots=True)
class _Part:
    """excluded: (rules, units) which units of the arrays each rule excludes."""

    name: str
    arrays: Arrays
    excluded: Bools


def rules_to_choose(report_input: ReportInput) -> list[RuleFacts]:
    """The rules that exclude a submission, in the order of the report."""
    return [rule for rule in report_input.rules or () if rule.assignments]


def store_answers(report_input: ReportInput, path: Path) -> None:
    """Write what `compute_choice` reads: every answer counts before the rules, whether the report keeps it or not."""
    arrays: dict[str, NDArray[Any]] = {}
    parts = []
    units = sorted({rating.unit for rating in report_input.ratings})
    excluded = _excluded_units(report_input)
    submissions = _masks(units, excluded)
    for at, part in enumerate(_parts(report_input, units, excluded)):
        entries = {field.name: getattr(part.arrays, field.name) for field in fields(part.arrays)}
        columns = {name: value for name, value in entries.items() if isinstance(value, np.ndarray)}
        arrays |= {f"{at}.{name}": _narrow(value) for name, value in columns.items()} | {
            f"{at}.excluded": part.excluded
        }
        before = part.arrays.measures_without(np.zeros(part.excluded.shape[1], dtype=np.bool_))
        settings = {name: value for name, value in entries.items() if name not in columns}
        parts.append(
            {"kind": type(part.arrays).__name__, "name": part.name, "settings": settings, "before": list(before)}
        )
    np.savez(path, allow_pickle=False, **arrays, submissions=submissions, **{FACTS: np.array(json.dumps(parts))})


def compute_choice(path: Path, rules: Sequence[int]) -> RuleChoice:
    """Every headline measure without what these rules exclude together. rules: numbers of `rules_to_choose`."""
    with np.load(path, allow_pickle=False) as stored:
        submissions = _union(stored["submissions"], rules)
        measures: list[ChosenMeasure] = []
        for at, facts in enumerate(json.loads(str(stored[FACTS]))):
            part = _read(stored, at, facts)
            values = part.arrays.measures_without(_union(part.excluded, rules))
            measures += [
                ChosenMeasure(f"{part.name}: {name}" if name else part.name, before, after, part.arrays.percent)
                for name, before, after in zip(part.arrays.measure_names, facts["before"], values, strict=True)
            ]
    return RuleChoice(int(submissions.sum()), len(submissions), tuple(measures))


def _parts(report_input: ReportInput, units: Sequence[str], excluded: Sequence[set[str]]) -> Iterator[_Part]:
    for name, by_unit, names in arrays_by_unit(report_input):
        yield _Part(name, by_unit, _masks(names, excluded))
    for headline in build_headlines(report_input, {unit: at for at, unit in enumerate(units)}):
        yield _Part(headline.name, headline, _masks(units, excluded))


def _excluded_units(report_input: ReportInput) -> list[set[str]]:
    of = {assignment.id: unit_of(assignment.hit, assignment.rater) for assignment in report_input.assignments}
    return [
        {of[assignment] for assignment in rule.assignments if assignment in of}
        for rule in rules_to_choose(report_input)
    ]


def _masks(units: Sequence[str], excluded: Sequence[set[str]]) -> Bools:
    return np.array([units_mask(units, rule) for rule in excluded], dtype=np.bool_).reshape(len(excluded), len(units))


def _union(masks: Bools, rules: Sequence[int]) -> Bools:
    return np.asarray(masks[list(rules)].any(axis=0))


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as they need: the file is read at every choice."""
    if values.dtype.kind != "i" or not values.size:
        return values
    return values.astype(np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max())))


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


def _read(stored: Any, at: int, facts: dict[str, Any]) -> _Part:
    kind: Callable[..., Arrays] = KINDS[facts["kind"]]
    prefix = f"{at}."
    columns = {name.removeprefix(prefix): _wide(stored[name]) for name in stored.files if name.startswith(prefix)}
    excluded = columns.pop("excluded")
    return _Part(facts["name"], kind(**columns, **facts["settings"]), excluded)
