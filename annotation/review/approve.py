"""Approve payment, with the intent to send it to the marketplace in one transaction; and undo decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.accounts.models import User
from annotation.exceptions import ChangedError, StateError
from annotation.models import AuditEvent, Decision, Intent, Rejection, Study, Submission
from annotation.outbox import decision_intents, queue
from annotation.outbox.decision_intents import name_of
from annotation.pricing.currency import format_money
from annotation.quality import applied_rules
from annotation.review import assignment

PAYMENT = Decision.Matter.PAYMENT
MAX_AT_ONCE = 2_000  # submissions; more take longer than a request may


@dataclass(frozen=True, slots=True)
class Review:
    """Submissions decided now; `already`: decided before and left as they were; `proposed`: left to the second person
    whom a proposal to refuse payment waits for; `sooner`: of those decided, told to the marketplace before the window
    is over, because it would approve them by itself."""

    decided: int
    already: int
    proposed: int = 0
    sooner: int = 0


def approve(
    study: Study,
    submissions: QuerySet[Submission],
    *,
    actor: User | None,
    now: datetime,
    window: timedelta = timedelta(0),
    leave_out: str = "",
    individually: bool = False,
    shown: str = "",
    on_store: Callable[[Review], None] | None = None,
) -> Review:
    """Approve payment for those of `submissions` (of this study) that nobody has decided on.

    window: how long the decision can be undone; it is sent to the marketplace afterwards, never later than its
    auto-approval. leave_out: a reason to exclude the same work from the analysis ("": it stays).
    individually: each was looked at; otherwise work whose rejection is proposed is not approved with the rest.
    shown: the code of the preview that was confirmed ("": none was); exactly that is approved.
    on_store: called last in the same transaction; what it raises undoes everything.
    Raises ChangedError, and approves nothing, where the preview has become another since.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = submissions.filter(hit__study=study)
        waiting = _waiting(mine).order_by("pk")
        proposed = 0 if individually else waiting.exclude(rejection=None).count()
        if shown:
            undecided = _as_shown(study, mine, shown)
        else:
            undecided = list((waiting if individually else waiting.filter(rejection=None)).defer("raw"))
        Decision.objects.bulk_create(
            Decision(submission=submission, matter="payment", verdict="approve", actor=actor, at=now)
            for submission in undecided
        )
        intents = decision_intents.intents(study, Intent.Kind.APPROVE, undecided, now=now, window=window)
        Rejection.objects.filter(submission__in=undecided).delete()
        if leave_out:
            before = decision_intents.exclude_by_hand(undecided, reason=leave_out, actor=actor, now=now)
            decision_intents.remember(intents, before)
        if undecided:
            details = {"submissions": len(undecided), "assignments": [submission.market_id for submission in undecided]}
            details |= {"left_out": leave_out} if leave_out else {}
            AuditEvent.objects.record(study, "approve", actor=name_of(actor), now=now, **details)
        sooner = sum(intent.not_before is None or intent.not_before < now + window for intent in intents)
        already = mine.count() - len(undecided) - proposed
        review = Review(len(undecided), already, proposed, sooner if window else 0)
        if on_store:
            on_store(review)
        return review


def takes_long(study: Study, submissions: QuerySet[Submission]) -> bool:
    """Whether approving those of `submissions` that wait is a job rather than a part of a request."""
    return _waiting(submissions.filter(hit__study=study)).count() > MAX_AT_ONCE


def _waiting(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    return submissions.exclude(decisions__matter=PAYMENT)


def _as_shown(study: Study, submissions: QuerySet[Submission], shown: str) -> list[Submission]:
    """What the preview shows, read once, so that work which comes in meanwhile is not approved unseen."""
    seen = assignment.preview_of(study, submissions)
    if seen.shown != shown:
        total = format_money(seen.total_cents, study.currency)
        raise ChangedError(
            f"Nothing was approved: what waits has changed since it was shown. Now {len(seen.submissions)} submissions "
            f"wait, for {total}; {seen.flagged} of them are flagged. Look again, then confirm."
        )
    return list(seen.submissions)


def undo_decisions(study: Study, submissions: QuerySet[Submission], *, actor: User, now: datetime) -> int:
    """Undo payment decisions that were not sent to the marketplace yet, inside their window; return how many.

    What was left out of the analysis with them comes back too, where the same decision did it: whatever had been
    decided about the analysis before stands again.
    Raises StateError where none of them can be undone any more.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        pks = list(submissions.filter(hit__study=study).values_list("pk", flat=True))
        waiting = Q(
            kind__in=decision_intents.DECIDING, subject__in=pks, state="waiting", not_before__gt=now, attempts=0
        )
        dropped = queue.drop(study, waiting)
        back = [intent.subject for intent in dropped]
        if not back:
            raise StateError(_too_late(pks))
        decisions = Decision.objects.filter(submission__in=back)
        at = dict(decisions.filter(matter=PAYMENT).values_list("submission_id", "at"))
        exclusions = decisions.filter(matter=Decision.Matter.ANALYSIS, rule_set=None, verdict="exclude")
        undone = {row.submission_id: row.pk for row in exclusions if at.get(row.submission_id) == row.at}
        exclusions.filter(pk__in=undone.values()).delete()
        holds = applied_rules.rule_set(study)
        decision_intents.restore(
            [intent for intent in dropped if intent.subject in undone], holds=holds.pk if holds else None
        )
        decisions.filter(matter=PAYMENT).delete()
        Rejection.objects.filter(submission__in=back).delete()
        names = list(Submission.objects.filter(pk__in=back).order_by("pk").values_list("market_id", flat=True))
        AuditEvent.objects.record(
            study, "undo", actor=name_of(actor), now=now, submissions=len(back), assignments=names
        )
        return len(back)


def _too_late(pks: Sequence[int]) -> str:
    if not Decision.objects.filter(submission__in=pks, matter=PAYMENT).exists():
        return "No payment decision to undo. It may already have been undone."
    return "Too late to undo: the decision was sent to the marketplace."
