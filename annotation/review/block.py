"""Keep a person out of all HITs of the account, for good: the last means, where a hold did not help."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Worker
from annotation.outbox import queue as outbox
from annotation.review import workers

Kind = Intent.Kind
LEAST_REASON, MOST_REASON = 20, 1024


def block(study: Study, worker: Worker, *, reason: str, actor: str, now: datetime) -> None:
    """Intend a block on the marketplace, which the worker may feel elsewhere too. Work done and its payment stay.

    Raises StateError where the person is blocked already or the reason has not 20 to 1024 characters.
    """
    told = reason.strip()
    if not LEAST_REASON <= len(told) <= MOST_REASON:
        rule = f"A block needs a reason of {LEAST_REASON} to {MOST_REASON} characters; not {len(told)}."
        raise StateError(rule).at("reason")
    if study.mode == Study.Mode.IMPORTED:
        raise StateError("The study came from a file: its people cannot be blocked on a marketplace.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if workers.blocked(worker):
            raise StateError("This person is blocked already.")
        _intend(study, worker, Kind.BLOCK, {"reason": told})
        AuditEvent.objects.record(study, "block", actor=actor, now=now, worker=worker.pseudonym, reason=told)


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
        dropped = outbox.drop(before.study, Q(pk=before.pk))
        if not dropped:
            raise StateError("The marketplace is being told of the decision before; try again in a minute.")
        if dropped[0].first_called_at is None:
            return
    number = outbox.again(study, kind, worker.pk)
    Intent.of(study, kind, worker.pk, slot=f"{kind} {worker.pseudonym}", number=number, details=details).save()
