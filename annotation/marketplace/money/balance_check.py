"""The proof of the books: every stored amount equals the sum of its ledger rows, every posting sums to zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet, Sum

from annotation.marketplace.cents import DOLLARS
from annotation.marketplace.models import (
    Assignment,
    Hit,
    LedgerEntry,
    Payout,
    Requester,
    RequesterBalance,
    WorkerAccount,
    WorkerBalance,
)

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
    """Compare balances, holds, earnings and payouts with their ledger rows in each currency, every posting with zero,
    and what each person was paid with what they were shown when they accepted."""
    with transaction.atomic():
        faults = [*_requesters(), *_hits(), *_workers(), *_other_currencies(), *_postings(), *_shown()]
        accounts = Requester.objects.count() + WorkerAccount.objects.count()
        postings = LedgerEntry.objects.values("posting").distinct().count()
    return Proof(accounts, postings, tuple(faults))


def _requesters() -> Iterable[str]:
    rows = Requester.objects.select_related("user")
    yield from _differing(rows, "Requester", "balance_cents", _entries(account=Account.REQUESTER, currency=DOLLARS))
    yield from _differing(rows, "Requester", "held_cents", _entries(account=Account.HELD, currency=DOLLARS))
    in_dollars = Q(hits__hit_type__currency=DOLLARS)
    yield from _differing(rows, "Requester", "held_cents", Sum("hits__held_cents", filter=in_dollars, default=0))


def _hits() -> Iterable[str]:
    yield from _differing(Hit.objects.defer("question"), "HIT", "held_cents", _entries(account=Account.HELD))


def _workers() -> Iterable[str]:
    rows = WorkerAccount.objects.all()
    yield from _differing(
        rows, "Worker", "earned_cents", _entries(account=Account.WORKER, purpose__in=EARNED, currency=DOLLARS)
    )
    yield from _differing(rows, "Worker", "owed_cents", _entries(account=Account.WORKER, currency=DOLLARS))
    posted = rows.annotate(posted=_entries(account=Account.PAYOUT, currency=DOLLARS))
    sent_rows = Payout.objects.filter(state=Payout.State.SENT, currency=DOLLARS)
    sums = sent_rows.values_list("worker_id").annotate(cents=Sum("amount_cents"))
    sent: dict[int, int] = dict(sums)
    for worker in posted.order_by("pk"):
        if worker.posted != sent.get(worker.pk, 0):
            yield f"Worker {worker}: {sent.get(worker.pk, 0)} cents are in payouts, the rows sum to {worker.posted}."


def _other_currencies() -> Iterable[str]:
    """The same comparisons for every currency besides dollars, which has rows of its own."""
    rows = LedgerEntry.objects.exclude(currency=DOLLARS)
    by_requester, by_worker = rows.values_list("requester_id", "currency"), rows.values_list("worker_id", "currency")
    held_of_hits = Hit.objects.exclude(hit_type__currency=DOLLARS).values_list("requester_id", "hit_type__currency")
    balances, workers = RequesterBalance.objects.all(), WorkerBalance.objects.all()
    sent = Payout.objects.filter(state=Payout.State.SENT).exclude(currency=DOLLARS)
    yield from _unequal("Requester", "balance_cents", balances, by_requester.filter(account=Account.REQUESTER))
    yield from _unequal("Requester", "held_cents", balances, by_requester.filter(account=Account.HELD))
    yield from _unequal("Requester", "held_cents", balances, held_of_hits, "held_cents")
    earned = by_worker.filter(account=Account.WORKER, purpose__in=EARNED)
    yield from _unequal("Worker", "earned_cents", workers, earned)
    yield from _unequal("Worker", "owed_cents", workers, by_worker.filter(account=Account.WORKER))
    yield from _unequal(
        "Worker", "amount_cents", sent, by_worker.filter(account=Account.PAYOUT), what_is="in payouts on their way"
    )


def _unequal(
    what: str,
    field: str,
    stored: QuerySet[Any],
    rows: QuerySet[Any, Any],
    amount: str = "amount_cents",
    what_is: str = "",
) -> Iterable[str]:
    """Where stored amounts and the sums of rows, by account and currency, differ; 0 and no row are the same."""
    owner = f"{what.lower()}_id"
    sums = {(key, code): total for key, code, total in rows.annotate(total=Sum(amount)).order_by() if total}
    stored_sums = {
        (key, code): total
        for key, code, total in stored.values_list(owner, "currency").annotate(total=Sum(field)).order_by()
        if total
    }
    for key, code in sorted({*sums, *stored_sums}):
        if sums.get((key, code), 0) != stored_sums.get((key, code), 0):
            yield (
                f"{what} {key}: {what_is or field} in {code} is {stored_sums.get((key, code), 0)}, the rows sum to "
                f"{sums.get((key, code), 0)}."
            )


def _shown() -> Iterable[str]:
    """Every reward that is not what the person was shown when they accepted, in amount or in currency."""
    paid = LedgerEntry.objects.filter(
        purpose=Purpose.REWARD,
        account__in=[Account.WORKER, Account.OUTSIDE],
        assignment__shown_reward_cents__isnull=False,
    )
    different = ~Q(amount_cents=F("assignment__shown_reward_cents")) | ~Q(currency=F("assignment__shown_currency"))
    for row in paid.filter(different).select_related("assignment").order_by("pk"):
        held = row.assignment
        if held is None:
            continue
        yield (
            f"Assignment {held}: {row.amount_cents} {row.currency} were paid, {held.shown_reward_cents} "
            f"{held.shown_currency} had been shown (minor units)."
        )
    approved = Assignment.objects.filter(state=Assignment.State.APPROVED, shown_reward_cents__isnull=False)
    for held in approved.exclude(entries__purpose=Purpose.REWARD).order_by("pk"):
        yield f"Assignment {held}: it is approved, and no reward of it is posted."


def _postings() -> Iterable[str]:
    sums = LedgerEntry.objects.values("posting", "currency").annotate(total=Sum("amount_cents")).exclude(total=0)
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
