"""Every movement of money: a balanced set of ledger rows and the stored balances, in one transaction."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F

from annotation.marketplace.cents import dollars
from annotation.marketplace.core.prepared_sql import insert
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import Assignment, Hit, LedgerEntry, Requester, WorkerAccount

Account = LedgerEntry.Account
Purpose = LedgerEntry.Purpose
_HOLD = (
    f"UPDATE {Requester._meta.db_table} SET balance_cents = balance_cents - %s, "  # noqa: S608 - a constant
    "held_cents = held_cents + %s WHERE id = %s AND balance_cents >= %s"
)


@dataclass(frozen=True)
class Cost:
    """Cents for a worker and cents for the house."""

    amount: int
    fee: int

    @property
    def total(self) -> int:
        return self.amount + self.fee


def insufficient(needed: int, available: int) -> RequestRefusedError:
    return RequestRefusedError(
        "InsufficientFunds",
        f"This account has insufficient funds: {dollars(needed)} USD are needed, "
        f"{dollars(available)} USD are available.",
    )


def pay(
    assignment: Assignment, cost: Cost, *, purpose: str, payer: Requester, now: datetime, hold: Hit | None = None
) -> None:
    """Move `cost` from `payer` to the worker of `assignment` and to the house, first out of what `hold` holds.

    `payer` and `hold` must be locked; `hold` is changed but not saved. The earnings of workers whom the requester (or
    the channel by which they came) pays elsewhere, or not at all, leave the books. Raises RequestRefusedError
    (InsufficientFunds) before anything has changed.
    """
    held = min(cost.total, hold.held_cents) if hold is not None else 0
    if payer.balance_cents + held < cost.total:
        raise insufficient(cost.total, payer.balance_cents + held)
    by_payout = _pays(payer, assignment) == Requester.Pays.LEDGER
    earner = (
        {"account": Account.WORKER, "worker_id": assignment.worker_id} if by_payout else {"account": Account.OUTSIDE}
    )
    rows = [
        LedgerEntry(account=Account.REQUESTER, requester=payer, amount_cents=held - cost.total),
        LedgerEntry(account=Account.HELD, requester=payer, hit=hold, amount_cents=-held),
        LedgerEntry(amount_cents=cost.amount, **earner),
        LedgerEntry(account=Account.HOUSE, amount_cents=cost.fee),
    ]
    for row in rows:
        row.assignment = assignment
    _post([row for row in rows if row.amount_cents or row.account not in (Account.HELD, Account.HOUSE)], purpose, now)
    _change(payer, available=held - cost.total, held=-held)
    if hold is not None:
        hold.held_cents -= held
    if by_payout:
        WorkerAccount.objects.filter(pk=assignment.worker_id).update(
            earned_cents=F("earned_cents") + cost.amount, owed_cents=F("owed_cents") + cost.amount
        )


def _pays(payer: Requester, assignment: Assignment) -> str:
    """How the worker of `assignment` is paid: as their channel says, else as `payer` pays everybody."""
    rows = WorkerAccount.objects.filter(pk=assignment.worker_id).values_list("channel__pays", flat=True)
    return next(iter(rows), "") or payer.pays


def hold_new(hit: Hit, *, now: datetime) -> bool:
    """Put on hold what the new `hit` says it holds; False, and nothing done, when the balance does not suffice."""
    payer, amount = hit.requester, hit.held_cents
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [amount, amount, payer.pk, amount])
        if not cursor.rowcount:
            return False
    _post(_hold_rows(payer, hit, amount), Purpose.HOLD, now)
    return True


def _hold_rows(payer: Requester, hit: Hit, amount: int) -> list[LedgerEntry]:
    return [
        LedgerEntry(account=Account.REQUESTER, requester=payer, hit=hit, amount_cents=-amount),
        LedgerEntry(account=Account.HELD, requester=payer, hit=hit, amount_cents=amount),
    ]


def move_hold(payer: Requester, hit: Hit, amount: int, *, now: datetime) -> None:
    """Put `amount` more cents of `payer` on hold for `hit`, or give some back (below zero); both locked and saved."""
    _post(_hold_rows(payer, hit, amount), Purpose.HOLD, now)
    _change(payer, available=-amount, held=amount)
    hit.held_cents += amount
    hit.save(update_fields=["held_cents"])


def _post(rows: list[LedgerEntry], purpose: str, now: datetime) -> None:
    """Write the rows of one posting."""
    posting = uuid.uuid4()
    for row in rows:
        row.posting, row.purpose, row.posted_at = posting, purpose, now
    insert(rows)


def _change(payer: Requester, *, available: int, held: int = 0) -> None:
    payer.balance_cents += available
    payer.held_cents += held
    payer.save(update_fields=["balance_cents", "held_cents"])


@transaction.atomic
def set_balance(requester: Requester, *, balance: int, now: datetime) -> None:
    """Bring what `requester` can spend to `balance` cents by a deposit from (or a refund to) the outside.

    A balance below what is on hold ends all holds first: nothing is promised that the account does not have.
    """
    locked = lock_requester(requester.pk)
    if balance < locked.held_cents:
        for hit in Hit.objects.select_for_update().filter(requester=locked, held_cents__gt=0).order_by("pk"):
            move_hold(locked, hit, -hit.held_cents, now=now)
    difference = balance - locked.balance_cents
    if not difference:
        return
    rows = [
        LedgerEntry(account=Account.REQUESTER, requester=locked, amount_cents=difference),
        LedgerEntry(account=Account.OUTSIDE, amount_cents=-difference),
    ]
    _post(rows, Purpose.DEPOSIT, now)
    _change(locked, available=difference)


def move_payout(worker: WorkerAccount, amount: int, *, target: str, now: datetime) -> None:
    """Move `amount` cents (above zero) on the way of a payout, by one step.

    `target` PAYOUT: from what the worker is owed to on its way; OUTSIDE: it has arrived; WORKER: it has failed and is
    owed again. The worker's row must be locked.
    """
    source = Account.WORKER if target == Account.PAYOUT else Account.PAYOUT
    rows = [
        LedgerEntry(account=source, worker=worker, amount_cents=-amount),
        LedgerEntry(account=target, worker=None if target == Account.OUTSIDE else worker, amount_cents=amount),
    ]
    _post(rows, Purpose.PAYOUT, now)
    owed = {Account.PAYOUT: -amount, Account.WORKER: amount}.get(Account(target), 0)
    WorkerAccount.objects.filter(pk=worker.pk).update(owed_cents=F("owed_cents") + owed)
