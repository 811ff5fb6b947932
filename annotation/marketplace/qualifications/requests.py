"""Workers ask for qualifications; requesters say yes or no."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.models import QualificationGrant, QualificationRequest, QualificationType, WorkerAccount

State = QualificationRequest.State
Granted = QualificationGrant.Status.GRANTED


def requestable(qualification_type: QualificationType) -> bool:
    """Whether workers may ask for the type at all; assay:once is given by the marketplace only."""
    return (
        qualification_type.status == QualificationType.Status.ACTIVE
        and qualification_type.deleted_at is None
        and not qualification_type.once
    )


def refusal(qualification_type: QualificationType, worker: WorkerAccount, now: datetime) -> str:
    """Why `worker` may not ask for the type now: not-requestable, granted, waiting, asked; "" when it is allowed.

    Who has the qualification may take its test again for a better score, where it may be taken again at all.
    """
    if not requestable(qualification_type):
        return "not-requestable"
    if not qualification_type.test and qualification_type.grants.filter(worker=worker, status=Granted).exists():
        return "granted"
    last = qualification_type.requests.filter(worker=worker).order_by("-pk").first()
    if last is not None and last.state == State.PENDING:
        return "waiting"
    times = [last.asked_at] if last is not None else []
    times += qualification_type.attempts.filter(worker=worker).order_by("-pk").values_list("began_at", flat=True)[:1]
    if not times:
        return "granted" if qualification_type.grants.filter(worker=worker, status=Granted).exists() else ""
    delay = qualification_type.retry_delay_seconds
    return "" if delay is not None and max(times) + timedelta(seconds=delay) <= now else "asked"


@transaction.atomic
def ask(qualification_type: QualificationType, *, worker: WorkerAccount, now: datetime) -> QualificationRequest:
    """Ask for the type; one with AutoGranted is given at once.

    Raises WorkRefusedError: a word of `refusal`, or test (to be taken first).
    """
    if reason := refusal(qualification_type, worker, now):
        raise WorkRefusedError(reason)
    if qualification_type.test:
        raise WorkRefusedError("test")
    try:
        with transaction.atomic():
            request = QualificationRequest.objects.create(
                qualification_type=qualification_type, worker=worker, asked_at=now
            )
    except IntegrityError:
        raise WorkRefusedError("waiting") from None
    if qualification_type.auto_granted:
        give(qualification_type, worker, value=qualification_type.auto_granted_value, now=now)
        decide(request, state=State.GRANTED)
    return request


def decide(request: QualificationRequest, *, state: str, reason: str = "") -> None:
    """Grant or reject a pending request, once. Raises RequestRefusedError (InvalidQualificationRequestState)."""
    pending = QualificationRequest.objects.filter(pk=request.pk, state=State.PENDING)
    if not pending.update(state=state, reason=reason):
        raise RequestRefusedError(
            "InvalidQualificationRequestState",
            f"This operation can be called with a status of: {State.PENDING.value}. "
            f"QualificationRequest {request.request_id} has been decided.",
        )


def give(qualification_type: QualificationType, worker: WorkerAccount, *, value: int, now: datetime) -> None:
    """Give `worker` the qualification with this score, or a new score to who has it."""
    QualificationGrant.objects.update_or_create(
        qualification_type=qualification_type,
        worker=worker,
        defaults={"value": value, "status": Granted, "granted_at": now},
    )
