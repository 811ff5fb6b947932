"""Write to people about their work, through the marketplace: the only address of theirs that a requester has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Submission, Worker
from annotation.outbox import decision_intents as deciding
from annotation.review import queue

# The marketplace's bounds of Subject and MessageText.
MOST_SUBJECT, MOST_TEXT = 200, 4096


@dataclass(frozen=True, slots=True)
class Notices:
    """People who are written to now, who have these words already, and whose work is not decided on yet."""

    people: int
    already: int
    undecided: int


def notify(
    study: Study, *, subject: str, text: str, actor: str, now: datetime, workers: Sequence[Worker] | None = None
) -> Notices:
    """Intend a notice to `workers` (None: to all of the study); the same words reach a person once.

    Marketplaces take notices only to people whose work was approved or rejected. Raises StateError where nothing can be
    sent, or the words are missing or too long.
    """
    subject, text = _words(subject, MOST_SUBJECT, "subject"), _words(text, MOST_TEXT, "text")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        asked = Worker.objects.filter(submissions__hit__study=study).distinct()
        asked = asked if workers is None else asked.filter(pk__in=[one.pk for one in workers])
        within = list(asked.filter(Exists(_told(study))).order_by("pk"))
        _refuse(study, within)
        mine = study.intents.filter(kind=Intent.Kind.NOTIFY).exclude(state=Intent.State.DROPPED)
        got = set(mine.filter(details={"subject": subject, "text": text}).values_list("subject", flat=True))
        fresh = [one for one in within if one.pk not in got]
        Intent.objects.bulk_create(_intents(study, fresh, subject, text))
        if fresh:
            AuditEvent.objects.record(study, "notify", actor=actor, now=now, people=len(fresh), subject=subject)
        return Notices(len(fresh), len(within) - len(fresh), asked.count() - len(within))


def _words(given: str, most: int, name: str) -> str:
    told = given.strip()
    if not 1 <= len(told) <= most:
        rule = f"The {name} of a notice has 1 to {most} characters; this one has {len(told)}."
        raise StateError(rule).at(name)
    return told


def _told(study: Study) -> QuerySet[Submission]:
    """Work of a worker in the study of whose payment the marketplace knows."""
    on_its_way = Intent.objects.filter(
        study=study,
        kind__in=deciding.DECIDING,
        subject=OuterRef("pk"),
        state__in=[Intent.State.WAITING, Intent.State.TAKEN],
    )
    decided = queue.payments().filter(submission=OuterRef("pk"))
    return Submission.objects.filter(Exists(decided), ~Exists(on_its_way), hit__study=study, worker=OuterRef("pk"))


def _refuse(study: Study, people: Sequence[Worker]) -> None:
    if study.mode == Study.Mode.IMPORTED:
        raise StateError("The study came from a file: its people cannot be written to through a marketplace.")
    if not people:
        raise StateError("A marketplace takes notices only to people whose work was approved or rejected.")


def _intents(study: Study, people: Sequence[Worker], subject: str, text: str) -> list[Intent]:
    before = deciding.intended(study, Intent.Kind.NOTIFY, [one.pk for one in people])
    details = {"subject": subject, "text": text}
    return [
        Intent.of(
            study,
            Intent.Kind.NOTIFY,
            one.pk,
            slot=f"notice {one.pseudonym}",
            number=before[one.pk],
            details=details,
        )
        for one in people
    ]
