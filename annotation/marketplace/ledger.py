"""Every movement of money: a balanced set of ledger rows and the stored balances, in one transaction."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Sum

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.locks import lock_requester
from annotation.marketplace.models import Assignment, LedgerEntry, Requester, WorkerAccount
from annotation.marketplace.money import dollars

Account = LedgerEntry.Account
Purpose = LedgerEntry.Purpose


def pay(assignment: Assignment, *, purpose: str, amount: int, fee: int, payer: Requester, now: datetime) -> None:
    """Move `amount` cents from `payer` to the worker of `assignment` and `fee` cents to the house.

    `payer` must be locked. Raises RequestRefusedError (InsufficientFunds) before anything has changed.
    """
    total = amount + fee
    if payer.balance_cents < total:
        raise RequestRefusedError(
            "InsufficientFunds",
            f"This account has insufficient funds: {dollars(total)} USD are needed, "
            f"{dollars(payer.balance_cents)} USD are available.",
        )
    posting = uuid.uuid4()
    rows = [
        LedgerEntry(account=Account.REQUESTER, requester=payer, amount_cents=-total),
        LedgerEntry(account=Account.WORKER, worker_id=assignment.worker_id, amount_cents=amount),
        LedgerEntry(account=Account.HOUSE, amount_cents=fee),
    ]
    for row in rows:
        row.posting, row.purpose, row.assignment, row.posted_at = posting, purpose, assignment, now
    LedgerEntry.objects.bulk_create(rows)
    payer.balance_cents -= total
    payer.save(update_fields=["balance_cents"])
    WorkerAccount.objects.filter(pk=assignment.worker_id).update(earned_cents=F("earned_cents") + amount)


@transaction.atomic
def set_balance(requester: Requester, *, balance: int, now: datetime) -> None:
    """Bring the balance of `requester` to `balance` cents by a deposit from (or a refund to) the outside."""
    locked = lock_requester(requester.pk)
    difference = balance - locked.balance_cents
    if not difference:
        return
    posting = uuid.uuid4()
    LedgerEntry.objects.bulk_create(
        LedgerEntry(posting=posting, purpose=Purpose.DEPOSIT, posted_at=now, amount_cents=amount, **account)
        for amount, account in (
            (difference, {"account": Account.REQUESTER, "requester": locked}),
            (-difference, {"account": Account.OUTSIDE}),
        )
    )
    locked.balance_cents = balance
    locked.save(update_fields=["balance_cents"])


@dataclass(frozen=True)
class Proof:
    """What a comparison of balances and ledger rows found: how much was compared, and one sentence per difference."""

    accounts: int
    postings: int
    faults: tuple[str, ...]


def prove() -> Proof:
    """Compare every stored balance with the sum of its ledger rows, and every posting with zero."""
    with transaction.atomic():
        faults = [*_requester_faults(), *_worker_faults(), *_posting_faults()]
        accounts = Requester.objects.count() + WorkerAccount.objects.count()
        postings = LedgerEntry.objects.values("posting").distinct().count()
    return Proof(accounts, postings, tuple(faults))


def _requester_faults() -> list[str]:
    rows = Requester.objects.annotate(posted=Sum("entries__amount_cents", default=0)).exclude(balance_cents=F("posted"))
    return [
        f"Requester {row}: the balance is {row.balance_cents} cents, its rows sum to {row.posted}."
        for row in rows.select_related("user").order_by("pk")
    ]


def _worker_faults() -> list[str]:
    rows = WorkerAccount.objects.annotate(posted=Sum("entries__amount_cents", default=0))
    return [
        f"Worker {row}: earned {row.earned_cents} cents, the rows sum to {row.posted}."
        for row in rows.exclude(earned_cents=F("posted")).order_by("pk")
    ]


def _posting_faults() -> list[str]:
    sums = (
        LedgerEntry.objects.values("posting").annotate(total=Sum("amount_cents")).exclude(total=0).order_by("posting")
    )
    return [f"Posting {row['posting']}: its rows sum to {row['total']} cents, not to zero." for row in sums]
