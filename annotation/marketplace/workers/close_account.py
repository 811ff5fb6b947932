"""Closing a worker's account at its owner's wish: who it was is forgotten, work and money keep the random worker id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Sum

from annotation.marketplace.assignments import rejection_replies
from annotation.marketplace.cents import DOLLARS
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import (
    Assignment,
    CountryStatement,
    OneTimeLink,
    Payout,
    QualificationRequest,
    WorkerAccount,
    WorkerBalance,
    WorkerMessage,
    WorkerSession,
)

State = Assignment.State


@dataclass(frozen=True)
class Farewell:
    """What is unfinished when an account is closed: tasks held, work undecided, minor units owed and on their way,
    each currency by itself."""

    held: int
    waiting: int
    owed: tuple[tuple[str, int], ...]
    sent: tuple[tuple[str, int], ...]

    @property
    def pays_later(self) -> bool:
        return bool(self.waiting or self.owed or self.sent)


def farewell(worker: WorkerAccount) -> Farewell:
    """Return what is unfinished for `worker` now."""
    states = list(
        Assignment.objects.filter(worker=worker, state__in=[State.ACCEPTED, State.SUBMITTED]).values_list(
            "state", flat=True
        )
    )
    sent_rows = Payout.objects.filter(worker=worker, state=Payout.State.SENT).values_list("currency")
    sent = tuple(sent_rows.annotate(sum=Sum("amount_cents")).order_by("currency"))
    in_dollars = WorkerAccount.objects.filter(pk=worker.pk, owed_cents__gt=0).values_list("owed_cents", flat=True)
    others = WorkerBalance.objects.filter(worker=worker, owed_cents__gt=0).order_by("currency")
    owed = (*((DOLLARS, amount) for amount in in_dollars), *others.values_list("currency", "owed_cents"))
    return Farewell(states.count(State.ACCEPTED), states.count(State.SUBMITTED), owed, sent)


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
    done = (
        WorkerAccount.objects.filter(closed_at__isnull=False, owed_cents=0)
        .exclude(payee="")
        .exclude(balances__owed_cents__gt=0)
    )
    return done.exclude(Exists(waiting)).exclude(Exists(sent)).update(payee="")
