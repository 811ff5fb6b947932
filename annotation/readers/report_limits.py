"""Check whether the records of a report can be stored: no long values, no duplicates, no unknown references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from annotation.exceptions import DesignError
from metrics.errors import BadInput
from metrics.report.formats.data_columns import format_decimal
from metrics.report.records import ReportInput
from metrics.report.row_records import ConditionFacts
from metrics.report.sections import machine_scores as automatic

TRAININGS = ("none", "instructions", "examples", "comparison")
TASKS = ("typicality", "human_or_machine", "likert", "error_labels", "pairwise")


def check_report(report: ReportInput) -> None:
    """Raise DesignError with the first record that cannot be stored, and why."""
    for what, values, longest in _lengths(report):
        for value in values:
            if value is not None and not 0 < len(value) <= longest:
                raise DesignError(f"The {what} {value[:60]!r} is empty or longer than {longest} characters.")
    _require_unique("text", (text.id for text in report.texts))
    _require_unique("generator", (system.name for system in report.systems))
    _require_unique("condition", (condition.name for condition in report.conditions))
    _require_unique("assignment", ((assignment.hit, assignment.rater) for assignment in report.assignments))
    _require_unique(
        "rating", ((rating.hit, rating.rater, rating.text, rating.criterion, rating.label) for rating in report.ratings)
    )
    _check_names(report)
    for condition in report.conditions:
        _check_condition(condition)
    _check_scale(report)
    _check_conditions_of_hits(report)
    for attachment in report.attached:
        try:
            automatic.check_file(attachment, report.texts)
        except BadInput as error:
            raise DesignError(f"A file of scores in the report is invalid: {error}") from None


def _lengths(report: ReportInput) -> Iterator[tuple[str, Iterable[str | None], int]]:
    ratings, assignments = report.ratings, report.assignments
    yield "text id", (text.id for text in report.texts), 200
    yield "context id", (text.context_id for text in report.texts), 200
    yield "generator", (system.name for system in report.systems), 100
    yield "criterion", {rating.criterion for rating in ratings}, 40
    yield "label", {rating.label for rating in ratings} | {label.name for label in report.study.scale}, 100
    yield "HIT", {rating.hit for rating in ratings} | {assignment.hit for assignment in assignments}, 64
    yield "rater", {rating.rater for rating in ratings} | {assignment.rater for assignment in assignments}, 100
    yield "question of a comment", {comment.question for comment in report.comments}, 40
    yield "flag", {kind for assignment in assignments for kind in assignment.flags}, 40
    files = report.attached
    yield "file of scores", (file.name for file in files), 200
    yield "digest of a file", (file.sha256 for file in files), 64
    yield "maker of a file", (part for file in files for part in (file.model, file.version, file.actor) if part), 150
    yield "noun", (report.study.noun,), 40
    yield "text", (text.body for text in report.texts), 10_000_000


def _require_unique(what: str, keys: Iterable[Any]) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        key = twice[0] if isinstance(twice[0], str) else ", ".join(map(str, twice[0]))
        raise DesignError(f"The {what} {key!r} occurs more than once in the file.")


def _check_names(report: ReportInput) -> None:
    """Whatever names a text or a condition names one that is there."""
    texts = {text.id for text in report.texts}
    named = {rating.text for rating in report.ratings} | {rating.partner for rating in report.ratings} | {None}
    named |= {comment.text for comment in report.comments} | {
        item.id for facts in report.generators for item in (*facts.items, *facts.dropped)
    }
    if missing := sorted(str(text) for text in named - texts - {None}):
        raise DesignError(f"The text {missing[0]!r} was judged and is not in the file.")
    known = {condition.name for condition in report.conditions} or {""}
    named_conditions = {rating.condition for rating in report.ratings}
    named_conditions |= {assignment.condition for assignment in report.assignments}
    if strange := sorted(named_conditions - known):
        raise DesignError(f"The condition {strange[0]!r} of a rating is not among those of the design.")
    task = dict(report.settings).get("task", TASKS[0])
    if task not in TASKS:
        raise DesignError(f"The task type must be one of {', '.join(TASKS)}, not {task!r}.")


def _check_condition(facts: ConditionFacts) -> None:
    training = facts.training or TRAININGS[0]
    if training not in TRAININGS or len(facts.domain) > 60:
        raise DesignError(f"The condition {facts.name!r} has a training or a domain that a study cannot have.")
    parts = [part for part in (training, facts.domain, facts.generator) if part]
    if facts.name != ("" if parts == [TRAININGS[0]] else " × ".join(parts)):
        raise DesignError(f"The condition {facts.name!r} is not called by its training, domain and generator.")


def _check_scale(report: ReportInput) -> None:
    """Within a criterion a label has one number, and a number one label."""
    _require_unique("label", (label.name for label in report.study.scale))
    _require_unique("code", (str(Fraction(label.code)) for label in report.study.scale))
    values = {Fraction(label.code) for label in report.study.scale}
    values |= {Fraction(rating.value) for rating in report.ratings}
    if odd := [value for value in values if Fraction(format_decimal(value)) != value]:
        raise DesignError(f"The number {odd[0]} of a label is not a decimal number.")
    pairs = {(rating.criterion, rating.label, Fraction(rating.value)) for rating in report.ratings}
    _require_unique("label with two numbers", ((criterion, label) for criterion, label, _ in pairs))
    _require_unique("number of two labels", ((criterion, value) for criterion, _, value in pairs))


def _check_conditions_of_hits(report: ReportInput) -> None:
    pairs = {(rating.hit, rating.condition) for rating in report.ratings}
    pairs |= {(assignment.hit, assignment.condition) for assignment in report.assignments}
    _require_unique("HIT in two conditions", (hit or "" for hit, _ in pairs))
