"""Write to people about their work, through the marketplace: the only address of theirs that a requester has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Submission, Worker
from annotation.outbox import decision_intents
from annotation.review import queue

# The marketplace's bounds of Subject and MessageText.
MAX_SUBJECT_CHARS, MAX_TEXT_CHARS = 200, 4096


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
    subject, text = _stripped(subject, MAX_SUBJECT_CHARS, "subject"), _stripped(text, MAX_TEXT_CHARS, "text")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        chosen = Worker.objects.filter(submissions__hit__study=study).distinct()
        chosen = chosen if workers is None else chosen.filter(pk__in=[worker.pk for worker in workers])
        within = list(chosen.filter(Exists(_settled_work(study))).order_by("pk"))
        _check_recipients(study, within)
        mine = study.intents.filter(kind=Intent.Kind.NOTIFY).exclude(state=Intent.State.DROPPED)
        got = set(mine.filter(details={"subject": subject, "text": text}).values_list("subject", flat=True))
        fresh = [worker for worker in within if worker.pk not in got]
        Intent.objects.bulk_create(_intents(study, fresh, subject, text))
        if fresh:
            AuditEvent.objects.record(study, "notify", actor=actor, now=now, people=len(fresh), subject=subject)
        return Notices(len(fresh), len(within) - len(fresh), chosen.count() - len(within))


def _stripped(words: str, max_chars: int, name: str) -> str:
    stripped = words.strip()
    if not 1 <= len(stripped) <= max_chars:
        rule = f"The {name} of a notice has 1 to {max_chars} characters; this one has {len(stripped)}."
        raise StateError(rule).at(name)
    return stripped


def _settled_work(study: Study) -> QuerySet[Submission]:
    """Work of a worker in the study of whose payment the marketplace knows."""
    on_its_way = Intent.objects.filter(
        study=study,
        kind__in=decision_intents.DECIDING,
        subject=OuterRef("pk"),
        state__in=[Intent.State.WAITING, Intent.State.CLAIMED],
    )
    decided = queue.payments().filter(submission=OuterRef("pk"))
    return Submission.objects.filter(Exists(decided), ~Exists(on_its_way), hit__study=study, worker=OuterRef("pk"))


def _check_recipients(study: Study, people: Sequence[Worker]) -> None:
    if study.mode == Study.Mode.IMPORTED:
        raise StateError("The study came from a file: its people cannot be written to through a marketplace.")
    if not people:
        raise StateError("A marketplace takes notices only to people whose work was approved or rejected.")


def _intents(study: Study, people: Sequence[Worker], subject: str, text: str) -> list[Intent]:
    before = decision_intents.intended(study, Intent.Kind.NOTIFY, [worker.pk for worker in people])
    details = {"subject": subject, "text": text}
    return [
        Intent.of(
            study,
            Intent.Kind.NOTIFY,
            worker.pk,
            slot=f"notice {worker.pseudonym}",
            number=before[worker.pk],
            details=details,
        )
        for worker in people
    ]
