"""Whether the records of a report can be rows of ours: nothing too long, nothing twice, nothing that is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from annotation.exceptions import DesignError
from metrics.errors import BadInput
from metrics.report.formats.csv import decimal
from metrics.report.records import ReportInput
from metrics.report.row_records import ConditionFacts
from metrics.report.sections import machine_scores as automatic

TRAININGS = ("none", "instructions", "examples", "comparison")
TASKS = ("typicality", "human_or_machine", "likert", "error_labels", "pairwise")


def check(given: ReportInput) -> None:
    """Raise DesignError with the first record that cannot be stored, and why."""
    for what, values, longest in _lengths(given):
        for value in values:
            if value is not None and not 0 < len(value) <= longest:
                raise DesignError(f"The {what} {value[:60]!r} is empty or longer than {longest} characters.")
    _once("text", (one.id for one in given.texts))
    _once("generator", (one.name for one in given.systems))
    _once("condition", (one.name for one in given.conditions))
    _once("assignment", ((one.hit, one.rater) for one in given.assignments))
    _once("rating", ((one.hit, one.rater, one.text, one.criterion, one.label) for one in given.ratings))
    _known(given)
    for condition in given.conditions:
        _condition(condition)
    _scale(given)
    _conditions_of_hits(given)
    for one in given.attached:
        try:
            automatic.check(one, given.texts)
        except BadInput as error:
            raise DesignError(f"A file of scores within the report cannot be told: {error}") from None


def _lengths(given: ReportInput) -> Iterator[tuple[str, Iterable[str | None], int]]:
    ratings = given.ratings
    yield "text id", (one.id for one in given.texts), 200
    yield "context id", (one.context_id for one in given.texts), 200
    yield "generator", (one.name for one in given.systems), 100
    yield "criterion", {one.criterion for one in ratings}, 40
    yield "label", {one.label for one in ratings} | {one.name for one in given.study.scale}, 100
    yield "HIT", {one.hit for one in ratings} | {one.hit for one in given.assignments}, 64
    yield "rater", {one.rater for one in ratings} | {one.rater for one in given.assignments}, 100
    yield "question of a comment", {one.question for one in given.comments}, 40
    yield "flag", {kind for one in given.assignments for kind in one.flags}, 40
    files = given.attached
    yield "file of scores", (one.name for one in files), 200
    yield "digest of a file", (one.sha256 for one in files), 64
    yield "maker of a file", (part for one in files for part in (one.model, one.version, one.actor) if part), 150
    yield "noun", (given.study.noun,), 40
    yield "text", (one.body for one in given.texts), 10_000_000


def _once(what: str, keys: Iterable[Any]) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        told = twice[0] if isinstance(twice[0], str) else ", ".join(map(str, twice[0]))
        raise DesignError(f"The {what} {told!r} stands in the file twice.")


def _known(given: ReportInput) -> None:
    """Whatever names a text or a condition names one that is there."""
    texts = {one.id for one in given.texts}
    named = {one.text for one in given.ratings} | {one.partner for one in given.ratings} | {None}
    named |= {one.text for one in given.comments} | {
        item.id for facts in given.generators for item in (*facts.items, *facts.dropped)
    }
    if missing := sorted(str(one) for one in named - texts - {None}):
        raise DesignError(f"The text {missing[0]!r} was judged and is not in the file.")
    known = {one.name for one in given.conditions} or {""}
    named_conditions = {one.condition for one in given.ratings} | {one.condition for one in given.assignments}
    if strange := sorted(named_conditions - known):
        raise DesignError(f"The condition {strange[0]!r} of a rating is not among those of the design.")
    task = dict(given.settings).get("task", TASKS[0])
    if task not in TASKS:
        raise DesignError(f"The task {task!r} is none that a study has: {', '.join(TASKS)}.")


def _condition(facts: ConditionFacts) -> None:
    training = facts.training or TRAININGS[0]
    if training not in TRAININGS or len(facts.domain) > 60:
        raise DesignError(f"The condition {facts.name!r} has a training or a domain that a study cannot have.")
    parts = [part for part in (training, facts.domain, facts.generator) if part]
    if facts.name != ("" if parts == [TRAININGS[0]] else " × ".join(parts)):
        raise DesignError(f"The condition {facts.name!r} is not called by its training, domain and generator.")


def _scale(given: ReportInput) -> None:
    """Within a criterion a label has one number, and a number one label."""
    _once("label", (one.name for one in given.study.scale))
    _once("code", (str(Fraction(one.code)) for one in given.study.scale))
    values = {Fraction(one.code) for one in given.study.scale} | {Fraction(one.value) for one in given.ratings}
    if odd := [value for value in values if Fraction(decimal(value)) != value]:
        raise DesignError(f"The number {odd[0]} of a label is no decimal number.")
    pairs = {(one.criterion, one.label, Fraction(one.value)) for one in given.ratings}
    _once("label with two numbers", ((criterion, label) for criterion, label, _ in pairs))
    _once("number of two labels", ((criterion, value) for criterion, _, value in pairs))


def _conditions_of_hits(given: ReportInput) -> None:
    found = {(one.hit, one.condition) for one in given.ratings}
    found |= {(one.hit, one.condition) for one in given.assignments}
    _once("HIT in two conditions", (hit or "" for hit, _ in found))
