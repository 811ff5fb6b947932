"""Read stored submissions into judgments; what cannot be read is flagged and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.crowd.answers import read_answers
from annotation.exceptions import AnswerError
from annotation.models import Flag, HitItem, Judgment, Parse, Presentation, ScaleLabel, Study, Submission
from annotation.rendering import active_field, rating_field


@dataclass(frozen=True, slots=True)
class Reading:
    """Submissions read into judgments, judgments made, and submissions that could not be read."""

    submissions: int
    judgments: int
    unreadable: int


def read(study: Study, *, now: datetime, progress: Callable[[int], None] | None = None) -> Reading:
    """Turn every submission not yet read into presentations and judgments, each in its own transaction."""
    labels = {label.label: label for label in study.scale.labels.all()}
    waiting = Submission.objects.filter(hit__study=study, parse=None, raw_format="mturk-xml").order_by("pk")
    items = _items_by_hit(study)
    submissions = judgments = unreadable = 0
    for submission in waiting.iterator(chunk_size=500):
        made = _read_one(submission, items[submission.hit_id], labels, now=now)
        submissions += 1
        judgments += made
        unreadable += made == 0
        if progress:
            progress(submissions)
    return Reading(submissions, judgments, unreadable)


def _items_by_hit(study: Study) -> dict[int, list[HitItem]]:
    found: dict[int, list[HitItem]] = {}
    for item in HitItem.objects.filter(hit__study=study).order_by("hit_id", "position"):
        found.setdefault(item.hit_id, []).append(item)
    return found


def _read_one(submission: Submission, items: list[HitItem], labels: dict[str, ScaleLabel], *, now: datetime) -> int:
    """Number of judgments made of one submission (0: unreadable)."""
    try:
        answers = read_answers(submission.raw)
        problem = ""
    except AnswerError as error:
        answers, problem = {}, str(error)
    chosen = {item: labels.get(answers.get(rating_field(item.position), "")) for item in items}
    missing = [item.position + 1 for item, label in chosen.items() if label is None]
    if missing and not problem:
        problem = f"No label of the scale for text {', '.join(map(str, missing))} of {len(items)}."
    with transaction.atomic():
        _, is_new = Parse.objects.get_or_create(submission=submission, defaults={"parsed_at": now, "problem": problem})
        if not is_new:
            return 0
        if problem:
            Flag.objects.create(submission=submission, kind="incomplete", sentence=problem, raised_at=now)
        presentations = Presentation.objects.bulk_create(
            Presentation(
                submission=submission,
                text_id=item.text_id,
                position=item.position,
                active_ms=_milliseconds(answers.get(active_field(item.position), "")),
            )
            for item in items
        )
        made = Judgment.objects.bulk_create(
            Judgment(presentation=presentation, label=label)
            for presentation, label in zip(presentations, chosen.values(), strict=True)
            if label is not None
        )
    return len(made)


def _milliseconds(field: str) -> int | None:
    """Whole milliseconds below a day; anything else a browser may send counts as not recorded."""
    return int(field) if field.isascii() and field.isdigit() and int(field) < 86_400_000 else None
