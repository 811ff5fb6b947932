"""A worker's money: what is approved, waits, was rejected, is owed and has been paid; and each day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from annotation.marketplace.cents import DOLLARS
from annotation.marketplace.models import Assignment, LedgerEntry, Payout, Requester, WorkerAccount
from annotation.marketplace.money.ledger import Account, Purpose
from annotation.marketplace.site.host_guards import Visit, worker_page

DAYS = 31
MAX_PAYOUTS = 25
State = Assignment.State


@dataclass(frozen=True)
class Sums:
    """Minor units of a currency by where they are, and how many assignments, without what others pay elsewhere."""

    currency: str
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
    """What a day brought in a currency, in minor units (UTC days, by the time of approval or bonus)."""

    day: date
    currency: str
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
    all_sums = sums_of(visit.worker)
    context = {
        "visit": visit,
        "all_sums": all_sums,
        "payouts": payouts,
        "days": days[:DAYS],
    }
    return render(
        request, "marketplace/earnings.html", context | {"older": days[DAYS - 1].day if len(days) > DAYS else None}
    )


def sums_of(worker: WorkerAccount) -> list[Sums]:
    """Where the worker's money is now, each currency by itself: dollars first, others where there is work in them."""
    mine = Assignment.objects.filter(worker=worker, hit__requester__pays=Requester.Pays.LEDGER)
    known = {row.currency: (row.earned_cents, row.owed_cents) for row in worker.balances.all()}
    codes = {*known, *mine.values_list("hit__hit_type__currency", flat=True).distinct()} - {DOLLARS}
    known[DOLLARS] = (worker.earned_cents, worker.owed_cents)
    shown = [DOLLARS, *sorted(codes)]
    if codes and not worker.earned_cents and not mine.filter(hit__hit_type__currency=DOLLARS).exists():
        shown.remove(DOLLARS)
    return [_sums_in(worker, mine, code, *known.get(code, (0, 0))) for code in shown]


def _sums_in(worker: WorkerAccount, work_rows: QuerySet[Assignment], currency: str, earned: int, owed: int) -> Sums:
    mine = work_rows.filter(hit__hit_type__currency=currency)
    undecided, rejected = Q(state=State.SUBMITTED), Q(state=State.REJECTED)
    reward = Coalesce("shown_reward_cents", "hit__hit_type__reward_cents")
    work = mine.aggregate(
        pending=Sum(reward, filter=undecided, default=0),
        pending_count=Count("pk", filter=undecided),
        rejected=Sum(reward, filter=rejected, default=0),
        rejected_count=Count("pk", filter=rejected),
    )
    money = Payout.objects.filter(worker=worker, currency=currency).aggregate(
        sent=Sum("amount_cents", filter=Q(state=Payout.State.SENT), default=0),
        paid=Sum("amount_cents", filter=Q(state=Payout.State.PAID), default=0),
    )
    return Sums(currency=currency, earned=earned, owed=owed, **work, **money)


def days_of(worker: WorkerAccount, *, before: date | None = None) -> Sequence[Day]:
    """The days on which something was earned, the last first: a page and one more if there are more."""
    rows = LedgerEntry.objects.filter(
        worker=worker, account=Account.WORKER, purpose__in=[Purpose.REWARD, Purpose.BONUS]
    ).annotate(day=TruncDate("posted_at"))
    if before is not None:
        rows = rows.filter(day__lt=before)
    reward, bonus = Q(purpose=Purpose.REWARD), Q(purpose=Purpose.BONUS)
    day_sums = rows.values("day", "currency").annotate(
        approved=Count("pk", filter=reward),
        rewards=Sum("amount_cents", filter=reward, default=0),
        bonuses=Sum("amount_cents", filter=bonus, default=0),
    )
    return [Day(**row) for row in day_sums.order_by("-day", "currency")[: DAYS + 1]]


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None
