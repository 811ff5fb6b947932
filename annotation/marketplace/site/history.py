"""What a worker has done: each assignment with its state, feedback, pay and bonuses; also as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.marketplace.assignments import rejection_replies
from annotation.marketplace.cents import DOLLARS, dollars
from annotation.marketplace.ids import is_public_id
from annotation.marketplace.models import Assignment, LedgerEntry, Requester, WorkerAccount
from annotation.marketplace.money.ledger import Purpose
from annotation.marketplace.site.host_guards import Visit, worker_page
from annotation.marketplace.workers.payouts import escaped

PAGE = 25
State = Assignment.State
COLUMNS = (
    "assignment", "task", "title", "requester", "state", "accepted_at", "submitted_at", "approved_by_itself_at",
    "decided_at", "reward_usd", "bonus_usd", "paid_by_this_site", "feedback",
    "answer", "answered_at", "currency", "reward", "bonus",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """An assignment with what it earned: the reward paid (or promised while undecided) and bonuses, in cents; and how
    a rejection of it stands."""

    assignment: Assignment
    reward_cents: int
    bonus_cents: int
    answer: rejection_replies.ReplyStatus

    @property
    def decided_at(self) -> datetime | None:
        return self.assignment.approved_at or self.assignment.rejected_at

    @property
    def paid_by_payout(self) -> bool:
        return self.assignment.hit.requester.pays == Requester.Pays.LEDGER


@require_safe
@worker_page
def history(request: HttpRequest, visit: Visit) -> HttpResponse:
    """All assignments, the newest first, or those in one state."""
    only = request.GET.get("state", "")
    state = only if only in State.values else ""
    rows = _assignments(visit.worker)
    if state:
        rows = rows.filter(state=state)
    before = request.GET.get("before", "")
    if is_public_id(before):
        rows = rows.filter(pk__lt=Assignment.objects.filter(assignment_id=before).values("pk")[:1])
    assignments = list(rows[: PAGE + 1])
    older = assignments[PAGE - 1].assignment_id if len(assignments) > PAGE else ""
    states = [(value, label) for value, label in State.choices if value != State.ACCEPTED]
    context = {
        "visit": visit,
        "rows": [_row(held, visit.now) for held in assignments[:PAGE]],
        "older": older,
        "paged": bool(before),
    }
    return render(request, "marketplace/history.html", context | {"state": state, "states": states})


@require_safe
@worker_page
def download(request: HttpRequest, visit: Visit) -> StreamingHttpResponse:
    """The whole history as CSV, line by line; nothing in it is taken for a formula."""
    response = StreamingHttpResponse(_lines(visit.worker, visit.now), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="history.csv"'
    return response


def _assignments(worker: WorkerAccount) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(worker=worker).select_related(*rejection_replies.WITH)
    return rows.defer("hit__question").prefetch_related("bonuses", "entries").order_by("-pk")


def _row(held: Assignment, now: datetime) -> Row:
    paid = [
        entry.amount_cents
        for entry in held.entries.all()
        if entry.purpose == Purpose.REWARD
        and entry.account in {LedgerEntry.Account.WORKER, LedgerEntry.Account.OUTSIDE}
    ]
    reward = paid[0] if paid else held.hit.hit_type.reward_cents
    return Row(
        held,
        reward,
        sum(bonus.amount_cents for bonus in held.bonuses.all()),
        rejection_replies.reply_status(held, now=now),
    )


class _Echo:
    """A file that hands every line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def _lines(worker: WorkerAccount, now: datetime) -> Iterator[str]:
    writer = csv.writer(_Echo(), lineterminator="\r\n")
    yield writer.writerow(COLUMNS)
    for held in _assignments(worker).iterator(chunk_size=500):
        yield writer.writerow([escaped(cell) for cell in _cells(_row(held, now))])


def _cells(row: Row) -> list[str]:
    held, reply = row.assignment, row.answer.reply
    earned, currency = held.state == State.APPROVED, held.hit.hit_type.currency
    reward = dollars(row.reward_cents, currency) if earned else ""
    bonus = dollars(row.bonus_cents, currency)
    # The older columns are of dollars alone.
    in_dollars = (reward, bonus) if currency == DOLLARS else ("", "")
    return [
        held.assignment_id, held.hit.hit_id, held.hit.hit_type.title, str(held.hit.requester), held.state,
        _moment(held.accepted_at), _moment(held.submitted_at), _moment(held.auto_approval_at),
        _moment(row.decided_at), *in_dollars,
        "yes" if row.paid_by_payout else "no", held.feedback,
        reply.text if reply else "", _moment(reply.sent_at) if reply else "",
        currency, reward, bonus,
    ]  # fmt: skip


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else ""
