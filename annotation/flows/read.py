"""Read stored submissions into judgments; what cannot be read is flagged and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.answered import Answered, changed_sides, order_shown, read_check, read_line, read_practice
from annotation.crowd.answers import read_answers
from annotation.designs.wording import Wording, from_json
from annotation.exceptions import AnswerError, StateError
from annotation.models import (
    AttentionCheck,
    CheckAnswer,
    Flag,
    Hit,
    HitItem,
    Judgment,
    Parse,
    PracticeAnswer,
    Presentation,
    Remark,
    Scale,
    ScaleLabel,
    Study,
    Submission,
)

Labels = Mapping[str, Mapping[str, ScaleLabel]]  # by criterion, then by label


@dataclass(frozen=True, slots=True)
class Reading:
    """Submissions read into judgments, judgments made, and submissions that could not be read."""

    submissions: int
    judgments: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What a HIT's submissions are read against."""

    items: Sequence[HitItem]
    checks: Sequence[AttentionCheck]
    wording: Wording
    labels: Labels
    arm: str


def read(study: Study, *, now: datetime, progress: Callable[[int], None] | None = None) -> Reading:
    """Turn every submission not yet read into presentations and judgments, each in its own transaction."""
    waiting = Submission.objects.filter(hit__study=study, parse=None, raw_format="mturk-xml").order_by("hit", "pk")
    sheets: dict[int, _Sheet] = {}
    submissions = judgments = unreadable = 0
    for submission in waiting.iterator(chunk_size=500):
        if submission.hit_id not in sheets:
            sheets = {submission.hit_id: _sheet(submission.hit)}
        made = _read_one(submission, sheets[submission.hit_id], now=now)
        submissions += 1
        judgments += made
        unreadable += made == 0
        if progress:
            progress(submissions)
    return Reading(submissions, judgments, unreadable)


def _sheet(hit: Hit) -> _Sheet:
    if hit.wording is None:
        raise StateError(f"The HIT {hit.slot} of {hit.study} was published without a wording.")
    wording = from_json(hit.wording.body)
    labels = {
        one.name: {label.label: label for label in Scale.objects.matching(one.scale, one.labels).labels.all()}
        for one in wording.criteria
    }
    items = list(hit.items.order_by("position"))
    return _Sheet(items, list(hit.checks.order_by("position")), wording, labels, hit.cell.arm.training)


def _read_one(submission: Submission, sheet: _Sheet, *, now: datetime) -> int:
    """Number of judgments made of one submission (0: unreadable)."""
    try:
        answers, problem = read_answers(submission.raw), ""
    except AnswerError as error:
        answers, problem = {}, str(error)
    changed = set(changed_sides(answers))
    found = [
        read_line(answers, item.position, sheet.wording, sides_changed=str(item.position) in changed)
        for item in sheet.items
    ]
    problem = problem or _missing(found, sheet)
    with transaction.atomic():
        _, is_new = Parse.objects.get_or_create(submission=submission, defaults={"parsed_at": now, "problem": problem})
        if not is_new:
            return 0
        if problem:
            Flag.objects.create(submission=submission, kind="incomplete", sentence=problem, raised_at=now)
        _store_extras(submission, answers, sheet)
        return _store(submission, answers, found, sheet, changed)


def _missing(found: Sequence[Answered], sheet: _Sheet) -> str:
    places = [item.position + 1 for item, one in zip(sheet.items, found, strict=True) if one.missing]
    of = len(sheet.items) + len(sheet.checks)
    return f"No label of the scale for text {', '.join(map(str, places))} of {of}." if places else ""


def _store(
    submission: Submission, answers: Mapping[str, str], found: Sequence[Answered], sheet: _Sheet, changed: set[str]
) -> int:
    order = order_shown(answers, len(sheet.items) + len(sheet.checks))
    met = {position: place for place, position in enumerate(order)} if order else {}
    presentations = Presentation.objects.bulk_create(
        Presentation(
            submission=submission,
            text_id=item.text_id,
            partner_id=item.partner_id,
            position=item.position,
            role=item.role,
            shown_at=met.get(item.position),
            sides_changed=str(item.position) in changed,
            active_ms=one.active_ms,
            away=one.away,
            pastes=one.pastes,
            keystrokes=one.keystrokes,
        )
        for item, one in zip(sheet.items, found, strict=True)
    )
    pairs = list(zip(presentations, found, strict=True))
    made = Judgment.objects.bulk_create(
        Judgment(presentation=presentation, criterion=criterion, label=sheet.labels[criterion][label])
        for presentation, one in pairs
        for criterion, labels in one.labels.items()
        for label in labels
    )
    Remark.objects.bulk_create(
        Remark(presentation=presentation, question=question, body=body)
        for presentation, one in pairs
        for question, body in one.remarks.items()
    )
    return len(made)


def _store_extras(submission: Submission, answers: Mapping[str, str], sheet: _Sheet) -> None:
    chosen = [(check, read_check(answers, check.position, sheet.wording)) for check in sheet.checks]
    CheckAnswer.objects.bulk_create(
        CheckAnswer(submission=submission, check_asked=check, chosen=label[:100], passed=label == check.expected)
        for check, label in chosen
    )
    PracticeAnswer.objects.bulk_create(
        PracticeAnswer(
            submission=submission,
            number=one.number,
            chosen=one.chosen,
            right=one.right,
            sides_changed=one.sides_changed,
            active_ms=one.active_ms,
        )
        for one in read_practice(answers, sheet.wording, sheet.arm)
    )
