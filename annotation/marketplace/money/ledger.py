"""Every movement of money: a balanced set of ledger rows and the stored balances, in one transaction."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F

from annotation.marketplace.cents import DOLLARS, dollars
from annotation.marketplace.core.prepared_sql import insert
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import (
    Assignment,
    Hit,
    LedgerEntry,
    Requester,
    RequesterBalance,
    WorkerAccount,
    WorkerBalance,
)

Account = LedgerEntry.Account
Purpose = LedgerEntry.Purpose
_HOLD = (
    f"UPDATE {Requester._meta.db_table} SET balance_cents = balance_cents - %s, "  # noqa: S608 - a constant
    "held_cents = held_cents + %s WHERE id = %s AND balance_cents >= %s"
)
_HOLD_IN = (
    f"UPDATE {RequesterBalance._meta.db_table} SET balance_cents = balance_cents - %s, "  # noqa: S608 - a constant
    "held_cents = held_cents + %s WHERE requester_id = %s AND currency = %s AND balance_cents >= %s"
)


@dataclass(frozen=True)
class Cost:
    """Cents for a worker and cents for the house."""

    amount: int
    fee: int

    @property
    def total(self) -> int:
        return self.amount + self.fee


def insufficient(needed: int, available: int, currency: str = DOLLARS) -> RequestRefusedError:
    return RequestRefusedError(
        "InsufficientFunds",
        f"This account has insufficient funds: {dollars(needed, currency)} {currency} are needed, "
        f"{dollars(available, currency)} {currency} are available.",
    )


def available(payer: Requester, currency: str) -> int:
    """What `payer` can spend in a currency, in minor units."""
    if currency == DOLLARS:
        return payer.balance_cents
    rows = RequesterBalance.objects.filter(requester=payer, currency=currency)
    return next(iter(rows.values_list("balance_cents", flat=True)), 0)


def pay(
    assignment: Assignment,
    cost: Cost,
    *,
    purpose: str,
    payer: Requester,
    now: datetime,
    hold: Hit | None = None,
    currency: str = DOLLARS,
) -> None:
    """Move `cost` (in `currency`) from `payer` to the worker of `assignment` and to the house, first out of `hold`.

    `payer` and `hold` must be locked; `hold` is changed but not saved. The earnings of workers whom the requester (or
    the channel by which they came) pays elsewhere, or not at all, leave the books. Raises RequestRefusedError
    (InsufficientFunds) before anything has changed.
    """
    held = min(cost.total, hold.held_cents) if hold is not None else 0
    spendable = available(payer, currency)
    if spendable + held < cost.total:
        raise insufficient(cost.total, spendable + held, currency)
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
    shown_rows = [row for row in rows if row.amount_cents or row.account not in (Account.HELD, Account.HOUSE)]
    _post(shown_rows, purpose, now, currency)
    _change(payer, currency, available=held - cost.total, held=-held)
    if hold is not None:
        hold.held_cents -= held
    if by_payout:
        _earn(assignment.worker_id, currency, earned=cost.amount, owed=cost.amount)


def _pays(payer: Requester, assignment: Assignment) -> str:
    """How the worker of `assignment` is paid: as their channel says, else as `payer` pays everybody."""
    rows = WorkerAccount.objects.filter(pk=assignment.worker_id).values_list("channel__pays", flat=True)
    return next(iter(rows), "") or payer.pays


def hold_new(hit: Hit, *, now: datetime) -> bool:
    """Put on hold what the new `hit` says it holds; False, and nothing done, when the balance does not suffice."""
    payer, amount, currency = hit.requester, hit.held_cents, hit.hit_type.currency
    with connection.cursor() as cursor:
        if currency == DOLLARS:
            cursor.execute(_HOLD, [amount, amount, payer.pk, amount])
        else:
            cursor.execute(_HOLD_IN, [amount, amount, payer.pk, currency, amount])
        # Work that pays nothing needs no row of its currency.
        if not cursor.rowcount and (amount or currency == DOLLARS):
            return False
    _post(_hold_rows(payer, hit, amount), Purpose.HOLD, now, currency)
    return True


def _hold_rows(payer: Requester, hit: Hit, amount: int) -> list[LedgerEntry]:
    return [
        LedgerEntry(account=Account.REQUESTER, requester=payer, hit=hit, amount_cents=-amount),
        LedgerEntry(account=Account.HELD, requester=payer, hit=hit, amount_cents=amount),
    ]


def move_hold(payer: Requester, hit: Hit, amount: int, *, now: datetime) -> None:
    """Put `amount` more cents of `payer` on hold for `hit`, or give some back (below zero); both locked and saved."""
    currency = hit.hit_type.currency
    _post(_hold_rows(payer, hit, amount), Purpose.HOLD, now, currency)
    _change(payer, currency, available=-amount, held=amount)
    hit.held_cents += amount
    hit.save(update_fields=["held_cents"])


def _post(rows: list[LedgerEntry], purpose: str, now: datetime, currency: str) -> None:
    """Write the rows of one posting, which is in one currency."""
    posting = uuid.uuid4()
    for row in rows:
        row.posting, row.purpose, row.posted_at, row.currency = posting, purpose, now, currency
    insert(rows)


def _change(payer: Requester, currency: str, *, available: int, held: int = 0) -> None:
    if currency != DOLLARS:
        row, _ = RequesterBalance.objects.get_or_create(requester=payer, currency=currency)
        RequesterBalance.objects.filter(pk=row.pk).update(
            balance_cents=F("balance_cents") + available, held_cents=F("held_cents") + held
        )
        return
    payer.balance_cents += available
    payer.held_cents += held
    payer.save(update_fields=["balance_cents", "held_cents"])


def _earn(worker_id: int, currency: str, *, earned: int, owed: int) -> None:
    """Change what a worker has earned and is owed in a currency; the rows are written by who calls."""
    changes = {"earned_cents": F("earned_cents") + earned, "owed_cents": F("owed_cents") + owed}
    if currency == DOLLARS:
        WorkerAccount.objects.filter(pk=worker_id).update(**changes)
        return
    row, _ = WorkerBalance.objects.get_or_create(worker_id=worker_id, currency=currency)
    WorkerBalance.objects.filter(pk=row.pk).update(**changes)


@transaction.atomic
def set_balance(requester: Requester, *, balance: int, now: datetime, currency: str = DOLLARS) -> None:
    """Bring what `requester` can spend in a currency to `balance` minor units, by a deposit from or refund to outside.

    A balance below what is on hold ends all holds first: nothing is promised that the account does not have.
    """
    locked = lock_requester(requester.pk)
    if balance < held_in(locked, currency):
        holding = Hit.objects.select_for_update(of=("self",)).select_related("hit_type")
        for hit in holding.filter(requester=locked, held_cents__gt=0, hit_type__currency=currency).order_by("pk"):
            move_hold(locked, hit, -hit.held_cents, now=now)
    difference = balance - available(locked, currency)
    if not difference:
        return
    rows = [
        LedgerEntry(account=Account.REQUESTER, requester=locked, amount_cents=difference),
        LedgerEntry(account=Account.OUTSIDE, amount_cents=-difference),
    ]
    _post(rows, Purpose.DEPOSIT, now, currency)
    _change(locked, currency, available=difference)


def held_in(payer: Requester, currency: str) -> int:
    """What is on hold for published HITs in a currency, in minor units."""
    if currency == DOLLARS:
        return payer.held_cents
    rows = RequesterBalance.objects.filter(requester=payer, currency=currency)
    return next(iter(rows.values_list("held_cents", flat=True)), 0)


def move_payout(worker: WorkerAccount, amount: int, *, target: str, now: datetime, currency: str = DOLLARS) -> None:
    """Move `amount` minor units (above zero) on the way of a payout, by one step.

    `target` PAYOUT: from what the worker is owed to on its way; OUTSIDE: it has arrived; WORKER: it has failed and is
    owed again. The worker's row must be locked.
    """
    source = Account.WORKER if target == Account.PAYOUT else Account.PAYOUT
    rows = [
        LedgerEntry(account=source, worker=worker, amount_cents=-amount),
        LedgerEntry(account=target, worker=None if target == Account.OUTSIDE else worker, amount_cents=amount),
    ]
    _post(rows, Purpose.PAYOUT, now, currency)
    owed = {Account.PAYOUT: -amount, Account.WORKER: amount}.get(Account(target), 0)
    _earn(worker.pk, currency, earned=0, owed=owed)
