"""The proof of the books: every stored amount equals the sum of its ledger rows, every posting sums to zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet, Sum

from annotation.marketplace.models import Hit, LedgerEntry, Payout, Requester, WorkerAccount

Account = LedgerEntry.Account
Purpose = LedgerEntry.Purpose
EARNED = (Purpose.REWARD, Purpose.BONUS)


@dataclass(frozen=True)
class Proof:
    """What a comparison of balances and ledger rows found: how much was compared, and one sentence per difference."""

    accounts: int
    postings: int
    faults: tuple[str, ...]


def check_balances() -> Proof:
    """Compare balances, holds, earnings and payouts with their ledger rows, and every posting with zero."""
    with transaction.atomic():
        faults = [*_requesters(), *_hits(), *_workers(), *_postings()]
        accounts = Requester.objects.count() + WorkerAccount.objects.count()
        postings = LedgerEntry.objects.values("posting").distinct().count()
    return Proof(accounts, postings, tuple(faults))


def _requesters() -> Iterable[str]:
    rows = Requester.objects.select_related("user")
    yield from _differing(rows, "Requester", "balance_cents", _entries(account=Account.REQUESTER))
    yield from _differing(rows, "Requester", "held_cents", _entries(account=Account.HELD))
    yield from _differing(rows, "Requester", "held_cents", Sum("hits__held_cents", default=0))


def _hits() -> Iterable[str]:
    yield from _differing(Hit.objects.defer("question"), "HIT", "held_cents", _entries(account=Account.HELD))


def _workers() -> Iterable[str]:
    rows = WorkerAccount.objects.all()
    yield from _differing(rows, "Worker", "earned_cents", _entries(account=Account.WORKER, purpose__in=EARNED))
    yield from _differing(rows, "Worker", "owed_cents", _entries(account=Account.WORKER))
    posted = rows.annotate(posted=_entries(account=Account.PAYOUT))
    sums = Payout.objects.filter(state=Payout.State.SENT).values_list("worker_id").annotate(cents=Sum("amount_cents"))
    sent: dict[int, int] = dict(sums)
    for worker in posted.order_by("pk"):
        if worker.posted != sent.get(worker.pk, 0):
            yield f"Worker {worker}: {sent.get(worker.pk, 0)} cents are in payouts, the rows sum to {worker.posted}."


def _postings() -> Iterable[str]:
    sums = LedgerEntry.objects.values("posting").annotate(total=Sum("amount_cents")).exclude(total=0)
    for row in sums.order_by("posting"):
        yield f"Posting {row['posting']}: its rows sum to {row['total']} cents, not to zero."


def _entries(**conditions: Any) -> Sum:
    named = {f"entries__{name}": value for name, value in conditions.items()}
    return Sum("entries__amount_cents", filter=Q(**named), default=0)


def _differing(rows: QuerySet[Any], what: str, field: str, total: Sum) -> Iterable[str]:
    for row in rows.annotate(posted=total).exclude(**{field: F("posted")}).order_by("pk"):
        yield f"{what} {row}: {field} is {_value(row, field)}, the rows sum to {row.posted}."


def _value(row: Model, field: str) -> int:
    return int(getattr(row, field))
