"""Workers ask for qualifications; requesters say yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.models import (
    QualificationGrant,
    QualificationRequest,
    QualificationType,
    TestAttempt,
    WorkerAccount,
)

State = QualificationRequest.State
Granted = QualificationGrant.Status.GRANTED


def requestable(qualification_type: QualificationType) -> bool:
    """Whether workers may ask for the type at all; assay:once is given by the marketplace only."""
    return (
        qualification_type.status == QualificationType.Status.ACTIVE
        and qualification_type.deleted_at is None
        and not qualification_type.once
    )


@dataclass(frozen=True)
class AskStatus:
    """Whether a worker may ask for a type now.

    reason: not-requestable, granted, waiting, asked; "" when they may. again_at: when they may ask again, after
    "asked"; None: never, or not by time alone. under_way: a test has begun and can still be submitted.
    """

    reason: str
    again_at: datetime | None = None
    under_way: bool = False


def refusal(qualification_type: QualificationType, worker: WorkerAccount, now: datetime) -> str:
    """Why `worker` may not ask for the type now: the reason of an AskStatus."""
    return ask_statuses([qualification_type], worker, now)[qualification_type.pk].reason


def ask_statuses(
    qualification_types: Sequence[QualificationType], worker: WorkerAccount, now: datetime
) -> dict[int, AskStatus]:
    """For each type (by primary key) whether `worker` may ask for it now; in three queries, however many there are.

    Who has the qualification may take its test again for a better score, where it may be taken again at all.
    """
    types = [row for row in qualification_types if requestable(row)]
    statuses = {row.pk: AskStatus("not-requestable") for row in qualification_types}
    if not types:
        return statuses
    grants = QualificationGrant.objects.filter(worker=worker, qualification_type__in=types, status=Granted)
    granted = set(grants.values_list("qualification_type", flat=True))
    # In the order of their keys, so that the last one of each type stays.
    requested_rows = QualificationRequest.objects.filter(worker=worker, qualification_type__in=types).order_by("pk")
    requests = {
        row.qualification_type_id: row for row in requested_rows.only("qualification_type", "state", "asked_at")
    }
    attempt_rows = TestAttempt.objects.filter(worker=worker, qualification_type__in=types).order_by("pk")
    columns = ("qualification_type", "began_at", "deadline", "answered_at")
    attempts = {row.qualification_type_id: row for row in attempt_rows.only(*columns)}
    for row in types:
        statuses[row.pk] = _ask_status(row, row.pk in granted, requests.get(row.pk), attempts.get(row.pk), now)
    return statuses


def _ask_status(
    qualification_type: QualificationType,
    is_granted: bool,
    request: QualificationRequest | None,
    attempt: TestAttempt | None,
    now: datetime,
) -> AskStatus:
    under_way = attempt is not None and attempt.answered_at is None and attempt.deadline > now
    if not qualification_type.test and is_granted:
        return AskStatus("granted")
    if request is not None and request.state == State.PENDING:
        return AskStatus("waiting", under_way=under_way)
    times = [request.asked_at] if request is not None else []
    times += [attempt.began_at] if attempt is not None else []
    if not times:
        return AskStatus("granted" if is_granted else "")
    delay = qualification_type.retry_delay_seconds
    again_at = None if delay is None else max(times) + timedelta(seconds=delay)
    if again_at is not None and again_at <= now:
        return AskStatus("", under_way=under_way)
    return AskStatus("asked", again_at, under_way)


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
