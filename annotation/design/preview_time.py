"""How long a member of a study took to answer its preview: stored on their order, and what the pay can be held to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.design.wording import Wording, from_json
from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Study

VERB = "time_preview"
MAX_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class PreviewTime:
    """A stored measurement. answered: texts, pairs or contexts; median_seconds: of one of them."""

    actor: str
    at: datetime
    answered: int
    median_seconds: float


def questions_of(wording: Wording) -> list[str]:
    """What is asked about each text: a time is of these questions and of no others."""
    return [*(criterion.name for criterion in wording.criteria), *(after.name for after in wording.follow_ups)]


def record_preview_time(
    study: Study, *, answered: int, median_seconds: float, questions: list[str], actor: str, now: datetime
) -> None:
    """Store a time in the log of a draft.

    median_seconds: above 0, up to a day. Raises StateError once the study is published, DesignError for another time.
    """
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study.name} is {study.status}; its settings are fixed.")
    if answered < 1 or not 0 < median_seconds <= MAX_SECONDS:
        raise DesignError("A time is of at least one text, above 0 seconds and at most a day.")
    facts = {"answered": answered, "median_seconds": median_seconds, "questions": questions}
    AuditEvent.objects.record(study, VERB, actor=actor, now=now, **facts)


def preview_time_of(study: Study) -> PreviewTime | None:
    """The latest time; None where none was stored, or where other questions are asked by now."""
    event = study.audit.filter(verb=VERB).order_by("-number").first()
    version = study.wordings.last()
    if event is None or version is None or event.facts["questions"] != questions_of(from_json(version.body)):
        return None
    return PreviewTime(event.actor, event.at, event.facts["answered"], event.facts["median_seconds"])
