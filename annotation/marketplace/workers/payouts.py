"""Payouts: what workers are owed, as a batch for a payment service, and what became of it, marked back once."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from django.db import transaction

from annotation.marketplace.cents import DOLLARS, dollars
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Payout, WorkerAccount, WorkerBalance
from annotation.marketplace.money.ledger import Account, move_payout
from annotation.marketplace.workers.close_account import forget_payees

State = Payout.State
COLUMNS = ("payout", "worker_id", "payee", "amount", "currency", "status", "reference")
LONGEST_REFERENCE = 200


@transaction.atomic
def make_batch(*, now: datetime) -> str | None:
    """Put everything that workers are owed, by currency, into a new batch; its name, or None when no payouts are due.

    What is in a batch is owed no longer, so that no later batch holds it again.
    """
    owed = WorkerAccount.objects.select_for_update(no_key=True).filter(owed_cents__gt=0).order_by("pk")
    batch = uuid.uuid4().hex
    amounts = [(worker, worker.owed_cents, DOLLARS) for worker in owed]
    others = (
        WorkerBalance.objects.select_for_update(of=("self",)).filter(owed_cents__gt=0).order_by("worker", "currency")
    )
    amounts += [(row.worker, row.owed_cents, row.currency) for row in others.select_related("worker")]
    for worker, amount, currency in amounts:
        payout = Payout(batch=batch, worker=worker, amount_cents=amount, currency=currency, created_at=now)
        payout.save(force_insert=True)
        move_payout(worker, amount, target=Account.PAYOUT, now=now, currency=currency)
    return batch if Payout.objects.filter(batch=batch).exists() else None


def write(batch: str, out: IO[str]) -> int:
    """Write `batch` as CSV; the number of payouts. `reference` is for the payment service's own name of a payment."""
    rows = Payout.objects.filter(batch=batch).select_related("worker").order_by("pk")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        status = "" if row.state == State.SENT else row.state
        amount = dollars(row.amount_cents, row.currency)
        cells = (row.payout_id, row.worker.worker_id, row.worker.payee, amount, row.currency, status)
        writer.writerow([escaped(cell) for cell in (*cells, row.reference)])
    return len(rows)


def escaped(cell: str) -> str:
    """`cell` so that a spreadsheet takes it for text: what would begin a formula gets an apostrophe."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell


@dataclass(frozen=True)
class Mark:
    """A line that says what became of a payout: `paid` or `failed`, and the payment service's reference."""

    line: int
    payout_id: str
    status: str
    reference: str


@dataclass(frozen=True)
class Marked:
    """How many payouts were marked as paid and as failed, and how many had been marked so before."""

    paid: int
    failed: int
    before: int


def read(source: Iterable[str]) -> list[Mark]:
    """The lines of a marked batch; lines without a status wait. Raises InvalidParameterError naming line and rule."""
    reader = csv.DictReader(source, strict=True)
    try:
        missing = {"payout", "status"} - set(reader.fieldnames or ())
        if missing:
            raise InvalidParameterError(f"The column {min(missing)!r} is missing; a batch has {', '.join(COLUMNS)}.")
        marks = [_mark(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InvalidParameterError(f"Line {reader.line_num}: {error}.") from None
    return [mark for mark in marks if mark.status]


def _mark(line: int, row: dict[str, str | None]) -> Mark:
    cells = {name: (row.get(name) or "").strip() for name in ("payout", "status", "reference")}
    status = cells["status"].lower()
    if status not in {"", State.PAID, State.FAILED}:
        raise InvalidParameterError(f"Line {line}: status must be paid, failed or empty, not {status[:40]!r}.")
    if len(cells["reference"]) > LONGEST_REFERENCE or not cells["reference"].isprintable():
        raise InvalidParameterError(f"Line {line}: reference is at most {LONGEST_REFERENCE} printable characters.")
    return Mark(line, cells["payout"], status, cells["reference"].removeprefix("'"))


@transaction.atomic
def settle(marks: Sequence[Mark], *, now: datetime) -> Marked:
    """Mark payouts as paid or failed, all or none; what failed is owed again.

    Each payout is settled once, by compare-and-set: the same mark again is counted as `before` and moves no money.
    Raises InvalidParameterError: an unknown payout, or one that was marked otherwise.
    """
    done = {State.PAID.value: 0, State.FAILED.value: 0}
    before = 0
    for mark in marks:
        if _settle_payout(mark, now):
            done[mark.status] += 1
        else:
            before += 1
    forget_payees()
    return Marked(done[State.PAID], done[State.FAILED], before)


def _settle_payout(mark: Mark, now: datetime) -> bool:
    rows = Payout.objects.filter(payout_id=mark.payout_id)
    changed = rows.filter(state=State.SENT).update(state=mark.status, reference=mark.reference, settled_at=now)
    payout = rows.select_related("worker").first()
    if payout is None:
        raise InvalidParameterError(f"Line {mark.line}: there is no payout {mark.payout_id[:64]!r}.")
    if not changed:
        if payout.state != mark.status:
            raise InvalidParameterError(
                f"Line {mark.line}: payout {payout.payout_id} was marked as {payout.state} before."
            )
        return False
    target = Account.OUTSIDE if mark.status == State.PAID else Account.WORKER
    move_payout(payout.worker, payout.amount_cents, target=target, now=now, currency=payout.currency)
    return True
