"""Closing a worker's account at its owner's wish: who it was is forgotten, work and money keep the random worker id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Sum

from annotation.marketplace.assignments import rejection_replies
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import (
    Assignment,
    CountryStatement,
    OneTimeLink,
    Payout,
    QualificationRequest,
    WorkerAccount,
    WorkerMessage,
    WorkerSession,
)

State = Assignment.State


@dataclass(frozen=True)
class Farewell:
    """What is unfinished when an account is closed: tasks held, work undecided, cents owed and cents on their way."""

    held: int
    waiting: int
    owed_cents: int
    sent_cents: int

    @property
    def pays_later(self) -> bool:
        return bool(self.waiting or self.owed_cents or self.sent_cents)


def farewell(worker: WorkerAccount) -> Farewell:
    """Return what is unfinished for `worker` now."""
    states = list(
        Assignment.objects.filter(worker=worker, state__in=[State.ACCEPTED, State.SUBMITTED]).values_list(
            "state", flat=True
        )
    )
    sent = Payout.objects.filter(worker=worker, state=Payout.State.SENT).aggregate(sum=Sum("amount_cents", default=0))
    owed = WorkerAccount.objects.values_list("owed_cents", flat=True).get(pk=worker.pk)
    return Farewell(states.count(State.ACCEPTED), states.count(State.SUBMITTED), owed, sent["sum"])


@transaction.atomic
def close(worker: WorkerAccount, *, now: datetime) -> None:
    """Close the account and forget the person; the payee is kept until the last money has been paid.

    Raises WorkRefusedError: holding, while a task is accepted and not submitted or returned.
    """
    locked = WorkerAccount.objects.select_for_update(no_key=True).get(pk=worker.pk)
    if farewell(locked).held:
        raise WorkRefusedError("holding")
    locked.name = f"closed {locked.worker_id}"[:150]
    locked.called = locked.email = locked.password = locked.country = locked.subdivision = ""
    locked.email_confirmed_at = None
    locked.adult = locked.masters = locked.auto_accept = locked.active = False
    locked.closed_at = now
    locked.save()
    CountryStatement.objects.filter(worker=locked).delete()
    WorkerSession.objects.filter(worker=locked).delete()
    OneTimeLink.objects.filter(worker=locked).delete()
    WorkerMessage.objects.filter(worker=locked).delete()
    rejection_replies.forget(Assignment.objects.filter(worker=locked))
    QualificationRequest.objects.filter(worker=locked, state=QualificationRequest.State.PENDING).delete()
    forget_payees()


def forget_payees() -> int:
    """Erase how closed accounts were paid once nothing is owed, on its way or undecided; the number erased."""
    waiting = Assignment.objects.filter(worker=OuterRef("pk"), state=State.SUBMITTED)
    sent = Payout.objects.filter(worker=OuterRef("pk"), state=Payout.State.SENT)
    done = WorkerAccount.objects.filter(closed_at__isnull=False, owed_cents=0).exclude(payee="")
    return done.exclude(Exists(waiting)).exclude(Exists(sent)).update(payee="")
