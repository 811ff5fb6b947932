"""Read what the review pages show: one assignment as a reviewer sees it, and a worker's history."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects

from annotation import ledger
from annotation.accounts.models import User
from annotation.models import (
    Decision,
    Flag,
    Hit,
    Intent,
    ItemRole,
    Judgment,
    Presentation,
    Rejection,
    Study,
    Submission,
    Worker,
)
from annotation.review import queue as review_queue


@dataclass(frozen=True, slots=True)
class Line:
    """A text as judged; its source is not shown to a reviewer. others: mean of the other raters, and how many."""

    number: int
    body: str
    context: str
    role: str
    label: str
    others: float | None
    raters: int
    seconds: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """What a worker has done in the studies that the visitor may see."""

    submissions: int
    approved: int
    refused: int
    left_out: int
    flags: int


def submission(study: Study, market_id: str) -> Submission | None:
    """The study's submission of that assignment."""
    rows = Submission.objects.filter(hit__study=study, market_id=market_id)
    return rows.select_related("hit", "worker", "evidence", "rejection__proposed_by").first()


def open_proposal(reviewed: Submission) -> Rejection | None:
    """Return the proposed rejection that waits for a second reviewer."""
    open_ones = Rejection.objects.filter(submission=reviewed, seconded_by=None).select_related("proposed_by")
    return None if review_queue.payments().filter(submission=reviewed).exists() else open_ones.first()


def select_queue(study: Study, *, now: datetime, kind: str = "", state: str = "") -> QuerySet[Submission]:
    """What waits for a decision (state "proposed": for a second reviewer only; "answered": rejected work whose
    worker replied), with flags; `kind`: of one flag only."""
    select = review_queue.answered if state == "answered" else review_queue.undecided
    rows = select(study, now=now).select_related("worker", "hit", "rejection").defer("raw")
    if kind:
        rows = rows.filter(Exists(Flag.objects.filter(submission=OuterRef("pk"), kind=kind)))
    if state == "proposed":
        rows = rows.filter(rejection__seconded_by=None, rejection__isnull=False)
    return rows.prefetch_related(Prefetch("flags", Flag.objects.order_by("kind")))


def next_submission(study: Study, current: Submission, *, now: datetime) -> Submission | None:
    """The next in the queue after this one, which may be decided already."""
    mine = review_queue.waiting_order(Submission.objects.filter(pk=current.pk), study, now=now).get()
    band, suspicion = mine.band, mine.suspicion  # type: ignore[attr-defined]
    later = Q(band__gt=band) | Q(band=band, suspicion__lt=suspicion) | Q(band=band, suspicion=suspicion, pk__gt=mine.pk)
    return review_queue.undecided(study, now=now).filter(later).first()


def lines(reviewed: Submission) -> list[Line]:
    """The texts in the order the worker met them."""
    shown = list(
        Presentation.objects.filter(submission=reviewed)
        .select_related("text__context")
        .prefetch_related("remarks", Prefetch("judgments", Judgment.objects.select_related("label").order_by("pk")))
    )
    shown.sort(key=lambda row: (row.position if row.shown_at is None else row.shown_at, row.position))
    means = _others(shown)
    return [_line(number, row, means.get(row.text_id)) for number, row in enumerate(shown, 1)]


def _line(number: int, row: Presentation, others: tuple[Fraction, int] | None) -> Line:
    labels = list(row.judgments.all())
    return Line(
        number=number,
        body=row.text.body,
        context=row.text.context.body if row.text.context else "",
        role="" if row.role == "item" else row.get_role_display(),
        label=", ".join(judgment.label.label for judgment in labels),
        others=float(others[0]) if others else None,
        raters=others[1] if others else 0,
        seconds=None if row.active_ms is None else row.active_ms / 1000,
        reasons=tuple(remark.body for remark in row.remarks.all()),
    )


def _others(shown: Iterable[Presentation]) -> dict[int, tuple[Fraction, int]]:
    """Mean code and number of the other workers' labels, by text: all labels, less this worker's own."""
    worker_judgments = {
        row.text_id: judged[0] for row in shown if row.role == ItemRole.ITEM and (judged := list(row.judgments.all()))
    }
    criteria = {judgment.criterion for judgment in worker_judgments.values()}
    rows = Judgment.objects.filter(text__in=list(worker_judgments), criterion__in=criteria).order_by()
    sums = {text: (-Fraction(judgment.label.code), -1) for text, judgment in worker_judgments.items()}
    for text, code, n in rows.values_list("text", "label__code").annotate(n=Count("pk")):
        total, count = sums[text]
        sums[text] = total + n * Fraction(code), count + n
    return {text: (total / count, count) for text, (total, count) in sums.items() if count > 0}


def history(worker: Worker, studies: QuerySet[Study]) -> History:
    """Counts over those studies: three queries, for a join would multiply flags by decisions."""
    seen = {"worker": worker, "hit__study__in": studies.values("pk")}
    through = {f"submission__{key}": value for key, value in seen.items()}
    decided = Decision.objects.filter(**through).order_by().values_list("verdict").annotate(n=Count("pk"))
    verdicts = dict(decided)
    return History(
        submissions=Submission.objects.filter(**seen).count(),
        approved=verdicts.get("approve", 0),
        refused=verdicts.get("reject", 0),
        left_out=verdicts.get("exclude", 0),
        flags=Flag.objects.filter(**through).count(),
    )


@dataclass(frozen=True, slots=True)
class UndoableDecision:
    """The visitor's latest decision that can still be undone, and until when."""

    submission: Submission
    verdict: str
    until: datetime


def latest_undoable(study: Study, user: User, *, now: datetime) -> UndoableDecision | None:
    """Return None where every decision was sent to the marketplace."""
    waiting = Intent.objects.filter(study=study, state="waiting", not_before__gt=now, attempts=0)
    rows = waiting.filter(kind__in=["approve", "reject"]).values_list("subject", "not_before")
    until = {subject: at for subject, at in rows if at is not None}
    if not until:
        return None
    mine = Decision.objects.filter(matter="payment", actor=user, submission__in=list(until)).select_related(
        "submission"
    )
    last = mine.order_by("-at", "-pk").first()
    return UndoableDecision(last.submission, last.verdict, until[last.submission_id]) if last else None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a bulk action would do: to how many, of whom flagged, at what cost; `already` decided before; `proposed`:
    work whose proposed rejection waits for a second reviewer. cents: rewards."""

    submissions: tuple[Submission, ...]
    flagged: int
    already: int
    cents: int
    proposed: int
    fee_cents: int = 0

    @property
    def total_cents(self) -> int:
        return self.cents + self.fee_cents

    @property
    def shown(self) -> str:
        """A code of what is shown: another where a submission, the sum or the number of flagged ones is another."""
        names = sorted(submission.market_id or str(submission.pk) for submission in self.submissions)
        content = "\n".join([*names, str(self.flagged), str(self.cents), str(self.fee_cents)])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def preview_chosen(study: Study, chosen: Iterable[str]) -> Preview:
    """Look before a bulk action, with the flags of each submission."""
    preview = preview_of(study, Submission.objects.filter(market_id__in=list(chosen)))
    prefetch_related_objects(preview.submissions, "flags")
    return preview


def preview_of(study: Study, submissions: QuerySet[Submission]) -> Preview:
    """What it would be to approve those of `submissions` that are of this study."""
    selected = submissions.filter(hit__study=study)
    open_ones = selected.exclude(Exists(review_queue.payments().filter(submission=OuterRef("pk"))))
    proposed = open_ones.exclude(rejection=None).count()
    mine = open_ones.filter(rejection=None)
    # A HIT has many submissions: it is one object for all of them.
    hits = Prefetch("hit", Hit.objects.select_related("cell__arm__study"))
    rows = list(mine.select_related("worker").prefetch_related(hits).defer("raw").order_by("pk"))
    cost_of = {hit.pk: ledger.place_cost(hit) for hit in {row.hit for row in rows}}
    costs = [cost_of[row.hit_id] for row in rows]
    return Preview(
        tuple(rows),
        Flag.objects.filter(submission__in=mine).values("submission").distinct().count(),
        selected.count() - len(rows) - proposed,
        sum(cost.amount for cost in costs),
        proposed,
        sum(cost.fee for cost in costs),
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """Submissions that wait for a payment decision, without a proposed rejection, and what approving them costs."""

    submissions: int
    total_cents: int


def count_waiting(study: Study) -> Waiting:
    """Counted by HIT: quick enough for a page that asks for it again and again."""
    mine = Submission.objects.filter(hit__study=study, rejection=None)
    open_ones = mine.exclude(Exists(review_queue.payments().filter(submission=OuterRef("pk"))))
    counts = dict(open_ones.order_by().values_list("hit").annotate(n=Count("pk")))
    hits = Hit.objects.filter(pk__in=[*counts]).select_related("cell__arm__study")
    return Waiting(sum(counts.values()), sum(counts[hit.pk] * ledger.place_cost(hit).total for hit in hits))
