"""Decide on payment: the decision and the intent to tell the marketplace, in one transaction; and take it back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation import deciding, outbox
from annotation.accounts.models import User
from annotation.deciding import name_of
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Decision, Intent, Rejection, Study, Submission

PAYMENT = Decision.Matter.PAYMENT


@dataclass(frozen=True, slots=True)
class Review:
    """Submissions decided now; `already`: decided before and left as they were."""

    decided: int
    already: int


def approve(
    study: Study,
    submissions: QuerySet[Submission],
    *,
    actor: User | None,
    now: datetime,
    window: timedelta = timedelta(0),
    leave_out: str = "",
) -> Review:
    """Approve payment for those of `submissions` (of this study) that nobody has decided on.

    window: for so long the decision can be taken back; the marketplace hears of it afterwards, never later than it
    would approve by itself. leave_out: a reason to leave the same work out of the analysis ("": it stays).
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = submissions.filter(hit__study=study)
        undecided = list(mine.exclude(decisions__matter=PAYMENT).order_by("pk"))
        Decision.objects.bulk_create(
            Decision(submission=submission, matter="payment", verdict="approve", actor=actor, at=now)
            for submission in undecided
        )
        deciding.intents(study, Intent.Kind.APPROVE, undecided, now=now, window=window)
        Rejection.objects.filter(submission__in=undecided).delete()
        if leave_out:
            deciding.exclude_by_hand(undecided, reason=leave_out, actor=actor, now=now)
        if undecided:
            told = {"submissions": len(undecided), "assignments": [one.market_id for one in undecided]}
            told |= {"left_out": leave_out} if leave_out else {}
            AuditEvent.objects.record(study, "approve", actor=name_of(actor), now=now, **told)
        return Review(len(undecided), mine.count() - len(undecided))


def undo(study: Study, submissions: QuerySet[Submission], *, actor: User, now: datetime) -> int:
    """Take back payment decisions of which the marketplace has not heard, inside their window; how many.

    What was left out of the analysis with them comes back too, where the same decision did it.
    Raises StateError where none of them can be taken back any more.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        wanted = list(submissions.filter(hit__study=study).values_list("pk", flat=True))
        waiting = Q(kind__in=deciding.DECIDING, subject__in=wanted, state="waiting", not_before__gt=now, attempts=0)
        back = [intent.subject for intent in outbox.drop(study, waiting)]
        if not back:
            raise StateError("The time to take this back is over: the marketplace has been told.")
        decisions = Decision.objects.filter(submission__in=back)
        at = dict(decisions.filter(matter=PAYMENT).values_list("submission_id", "at"))
        beside = decisions.filter(matter=Decision.Matter.ANALYSIS, rule_set=None, verdict="exclude")
        beside.filter(pk__in=[one.pk for one in beside if at.get(one.submission_id) == one.at]).delete()
        decisions.filter(matter=PAYMENT).delete()
        Rejection.objects.filter(submission__in=back).delete()
        names = list(Submission.objects.filter(pk__in=back).order_by("pk").values_list("market_id", flat=True))
        AuditEvent.objects.record(
            study, "undo", actor=name_of(actor), now=now, submissions=len(back), assignments=names
        )
        return len(back)
