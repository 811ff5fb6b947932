"""Block a worker on the marketplace from all HITs of the account, where a hold did not help."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Worker
from annotation.outbox import queue
from annotation.review import workers

Kind = Intent.Kind
MIN_REASON_CHARS, MAX_REASON_CHARS = 20, 1024


def block(study: Study, worker: Worker, *, reason: str, actor: str, now: datetime) -> None:
    """Intend a block on the marketplace, which the worker may feel elsewhere too. Work done and its payment stay.

    Raises StateError where the person is blocked already or the reason has not 20 to 1024 characters.
    """
    stripped = reason.strip()
    if not MIN_REASON_CHARS <= len(stripped) <= MAX_REASON_CHARS:
        rule = f"A block needs a reason of {MIN_REASON_CHARS} to {MAX_REASON_CHARS} characters; not {len(stripped)}."
        raise StateError(rule).at("reason")
    if study.mode == Study.Mode.IMPORTED:
        raise StateError("The study came from a file: its people cannot be blocked on a marketplace.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if workers.blocked(worker):
            raise StateError("This person is blocked already.")
        _intend(study, worker, Kind.BLOCK, {"reason": stripped})
        AuditEvent.objects.record(study, "block", actor=actor, now=now, worker=worker.pseudonym, reason=stripped)


def unblock(study: Study, worker: Worker, *, actor: str, now: datetime) -> None:
    """Intend the end of a block. Raises StateError where there is none."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if not workers.blocked(worker):
            raise StateError("This person is not blocked.")
        _intend(study, worker, Kind.UNBLOCK, {})
        AuditEvent.objects.record(study, "unblock", actor=actor, now=now, worker=worker.pseudonym)


def _intend(study: Study, worker: Worker, kind: Intent.Kind, details: dict[str, str]) -> None:
    """Write the intent; what it would undo and nobody has begun is dropped instead, so that order does not matter."""
    before = workers.block_intents(worker).first()
    if before is not None and before.state != Intent.State.DONE:
        dropped = queue.drop(before.study, Q(pk=before.pk))
        if not dropped:
            raise StateError("The previous decision is being sent to the marketplace. Try again in a minute.")
        if dropped[0].first_called_at is None:
            return
    number = queue.again(study, kind, worker.pk)
    Intent.of(study, kind, worker.pk, slot=f"{kind} {worker.pseudonym}", number=number, details=details).save()
