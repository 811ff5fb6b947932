"""Check whether the records of a report fit each other: nothing twice, nothing that names what is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from annotation.exceptions import DesignError
from metrics.errors import BadInput
from metrics.report.records import ReportInput
from metrics.report.sections import machine_scores as automatic


def check_report(report: ReportInput) -> None:
    """Raise DesignError with the first record that contradicts another, and why."""
    _require_unique("text", (text.id for text in report.texts))
    _require_unique("generator", (system.name for system in report.systems))
    _require_unique("condition", (condition.name for condition in report.conditions))
    _require_unique("assignment", ((assignment.hit, assignment.rater) for assignment in report.assignments))
    _require_unique(
        "rating", ((rating.hit, rating.rater, rating.text, rating.criterion, rating.label) for rating in report.ratings)
    )
    _check_names(report)
    _check_scale(report)
    for attachment in report.attached:
        try:
            automatic.check_file(attachment, report.texts)
        except BadInput as error:
            raise DesignError(f"A file of scores in the report is invalid: {error}") from None


def _require_unique(what: str, keys: Iterable[Any]) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        key = twice[0] if isinstance(twice[0], str) else ", ".join(map(str, twice[0]))
        raise DesignError(f"The {what} {key!r} occurs more than once in the file.")


def _check_names(report: ReportInput) -> None:
    """Whatever names a text, a rater or a condition names one that is there."""
    texts = {text.id for text in report.texts}
    named = {rating.text for rating in report.ratings} | {rating.partner for rating in report.ratings} | {None}
    named |= {comment.text for comment in report.comments} | {
        item.id for facts in report.generators for item in (*facts.items, *facts.dropped)
    }
    if missing := sorted(str(text) for text in named - texts - {None}):
        raise DesignError(f"The text {missing[0]!r} was judged and is not in the file.")
    raters = {rating.rater for rating in report.ratings} | {assignment.rater for assignment in report.assignments}
    if unknown := sorted({comment.rater for comment in report.comments} - raters):
        raise DesignError(f"A comment of {unknown[0]!r} belongs to no assignment of the file.")
    known = {condition.name for condition in report.conditions} or {""}
    named_conditions = {rating.condition for rating in report.ratings}
    named_conditions |= {assignment.condition for assignment in report.assignments}
    if strange := sorted(named_conditions - known):
        raise DesignError(f"The condition {strange[0]!r} of a rating is not among those of the design.")


def _check_scale(report: ReportInput) -> None:
    """Within a criterion a label has one number, and a number one label."""
    _require_unique("label", (label.name for label in report.study.scale))
    _require_unique("code", (str(Fraction(label.code)) for label in report.study.scale))
    pairs = {(rating.criterion, rating.label, Fraction(rating.value)) for rating in report.ratings}
    _require_unique("label with two numbers", ((criterion, label) for criterion, label, _ in pairs))
    _require_unique("number of two labels", ((criterion, value) for criterion, _, value in pairs))
