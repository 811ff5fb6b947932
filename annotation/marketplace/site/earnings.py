"""A worker's money: what is approved, waits, was rejected, is owed and has been paid; and each day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from annotation.marketplace.models import Assignment, LedgerEntry, Payout, Requester, WorkerAccount
from annotation.marketplace.money.ledger import Account, Purpose
from annotation.marketplace.site.host_guards import Visit, worker_page

DAYS = 31
MAX_PAYOUTS = 25
State = Assignment.State


@dataclass(frozen=True)
class Sums:
    """Cents by where they are, and how many assignments. Money that others pay elsewhere is not in here."""

    earned: int
    pending: int
    pending_count: int
    rejected_count: int
    rejected: int
    owed: int
    sent: int
    paid: int


@dataclass(frozen=True)
class Day:
    """What a day brought, in cents (UTC days, by the time of approval or bonus)."""

    day: date
    approved: int
    rewards: int
    bonuses: int

    @property
    def total(self) -> int:
        return self.rewards + self.bonuses


@require_safe
@worker_page
def earnings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The sums, the last payouts, and a page of days."""
    before = _day(request.GET.get("before", ""))
    days = days_of(visit.worker, before=before)
    payouts = Payout.objects.filter(worker=visit.worker).order_by("-pk")[:MAX_PAYOUTS]
    context = {"visit": visit, "sums": sums_of(visit.worker), "payouts": payouts, "days": days[:DAYS]}
    return render(
        request, "marketplace/earnings.html", context | {"older": days[DAYS - 1].day if len(days) > DAYS else None}
    )


def sums_of(worker: WorkerAccount) -> Sums:
    """Where the worker's money is now."""
    mine = Assignment.objects.filter(worker=worker, hit__requester__pays=Requester.Pays.LEDGER)
    undecided, rejected = Q(state=State.SUBMITTED), Q(state=State.REJECTED)
    work = mine.aggregate(
        pending=Sum("hit__hit_type__reward_cents", filter=undecided, default=0),
        pending_count=Count("pk", filter=undecided),
        rejected=Sum("hit__hit_type__reward_cents", filter=rejected, default=0),
        rejected_count=Count("pk", filter=rejected),
    )
    money = Payout.objects.filter(worker=worker).aggregate(
        sent=Sum("amount_cents", filter=Q(state=Payout.State.SENT), default=0),
        paid=Sum("amount_cents", filter=Q(state=Payout.State.PAID), default=0),
    )
    return Sums(earned=worker.earned_cents, owed=worker.owed_cents, **work, **money)


def days_of(worker: WorkerAccount, *, before: date | None = None) -> Sequence[Day]:
    """The days on which something was earned, the last first: a page and one more if there are more."""
    rows = LedgerEntry.objects.filter(
        worker=worker, account=Account.WORKER, purpose__in=[Purpose.REWARD, Purpose.BONUS]
    ).annotate(day=TruncDate("posted_at"))
    if before is not None:
        rows = rows.filter(day__lt=before)
    reward, bonus = Q(purpose=Purpose.REWARD), Q(purpose=Purpose.BONUS)
    day_sums = rows.values("day").annotate(
        approved=Count("pk", filter=reward),
        rewards=Sum("amount_cents", filter=reward, default=0),
        bonuses=Sum("amount_cents", filter=bonus, default=0),
    )
    return [Day(**row) for row in day_sums.order_by("-day")[: DAYS + 1]]


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None
