"""Opening and funding accounts of requesters and workers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from annotation.marketplace.assignments.decisions import retry_unpaid
from annotation.marketplace.cents import DOLLARS
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.ids import worker_id as new_worker_id
from annotation.marketplace.models import Requester, WorkerAccount
from annotation.marketplace.money import ledger

LONGEST_PAYEE = 200


@dataclass(frozen=True)
class Record:
    """A worker's past: assignments approved, percent approved (1 to 100), place ("US" or "US-CA"), mail and payee."""

    approved: int | None = None
    percent: int | None = None
    locale: str | None = None
    email: str | None = None
    payee: str | None = None


@transaction.atomic
def fund(requester: Requester, *, balance: int, now: datetime, currency: str = DOLLARS) -> None:
    """Bring the balance to `balance` minor units; work that waited for money is approved at the next look."""
    ledger.set_balance(requester, balance=balance, now=now, currency=currency)
    retry_unpaid(requester, now=now)


@transaction.atomic
def open_worker(name: str, *, worker_id: str | None, record: Record, now: datetime) -> WorkerAccount:
    """The worker `name`, created if need be, with what `record` sets.

    Raises InvalidParameterError: a worker id that is not one, is taken, or differs from the worker's own; a record
    that cannot be.
    """
    if worker_id is not None and not re.fullmatch("A[A-Z0-9]{1,63}", worker_id):
        raise InvalidParameterError(f"A worker id is A and up to 63 capital letters and digits, not {worker_id!r}.")
    worker = WorkerAccount.objects.select_for_update().filter(name=name).first()
    if worker is None:
        worker = _created(name, worker_id, now)
    elif worker_id not in {None, worker.worker_id}:
        raise InvalidParameterError(f"The worker {name!r} exists with the id {worker.worker_id}.")
    _set_record(worker, record)
    worker.save()
    return worker


def _created(name: str, worker_id: str | None, now: datetime) -> WorkerAccount:
    try:
        with transaction.atomic():
            return WorkerAccount.objects.create(name=name, worker_id=worker_id or new_worker_id(), created_at=now)
    except IntegrityError:
        raise InvalidParameterError(f"The worker id {worker_id} belongs to another worker.") from None


def _set_contact(worker: WorkerAccount, record: Record) -> None:
    if record.email is not None:
        try:
            validate_email(record.email)
        except ValidationError:
            raise InvalidParameterError(f"{record.email!r} is not a valid email address.") from None
        worker.email = record.email
    if record.payee is not None:
        if len(record.payee) > LONGEST_PAYEE or not record.payee.isprintable():
            raise InvalidParameterError(f"A payee is at most {LONGEST_PAYEE} printable characters.")
        worker.payee = record.payee


def _set_record(worker: WorkerAccount, record: Record) -> None:
    _set_contact(worker, record)
    if record.locale is not None:
        place = re.fullmatch("([A-Z]{2})(?:-([A-Z]{2}))?", record.locale)
        if place is None or (place[2] and place[1] != "US"):
            raise InvalidParameterError(f"A locale is a country such as DE, or US-CA, not {record.locale!r}.")
        worker.country, worker.subdivision = place[1], place[2] or ""
    if record.approved is None and record.percent is None:
        return
    approved = worker.approved_count if record.approved is None else record.approved
    percent = 100 if record.percent is None else record.percent
    if approved < 0 or not 1 <= percent <= 100:
        raise InvalidParameterError("A worker has 0 or more approved assignments, at 1 to 100 percent.")
    # The largest number of rejections that still leaves `percent` when it is rounded down.
    rejected = approved * (100 - percent) // percent
    waiting = worker.submitted_count - worker.approved_count - worker.rejected_count
    worker.approved_count, worker.rejected_count = approved, rejected
    worker.submitted_count = approved + rejected + waiting
