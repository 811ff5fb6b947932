"""Decide on payment: the decision and the intent to tell the marketplace, in one transaction; and take it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.accounts.models import User
from annotation.exceptions import ChangedError, StateError
from annotation.models import AuditEvent, Decision, Intent, Rejection, Study, Submission
from annotation.outbox import decision_intents as deciding
from annotation.outbox import queue as outbox
from annotation.outbox.decision_intents import name_of
from annotation.quality import applied_rules as reviewing
from annotation.review import assignment as desk

PAYMENT = Decision.Matter.PAYMENT


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
    one_by_one: bool = False,
    shown: str = "",
) -> Review:
    """Approve payment for those of `submissions` (of this study) that nobody has decided on.

    window: for so long the decision can be taken back; the marketplace hears of it afterwards, never later than it
    would approve by itself. leave_out: a reason to leave the same work out of the analysis ("": it stays).
    one_by_one: somebody looked at each; otherwise what a colleague proposes to refuse is not approved with the rest.
    shown: the code of the preview that was confirmed ("": none was); exactly that is approved.
    Raises ChangedError, and approves nothing, where the preview has become another since.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = submissions.filter(hit__study=study)
        waiting = mine.exclude(decisions__matter=PAYMENT).order_by("pk")
        proposed = 0 if one_by_one else waiting.exclude(rejection=None).count()
        undecided = list(waiting if one_by_one else waiting.filter(rejection=None))
        if shown:
            undecided = _as_shown(study, mine, shown)
        Decision.objects.bulk_create(
            Decision(submission=submission, matter="payment", verdict="approve", actor=actor, at=now)
            for submission in undecided
        )
        made = deciding.intents(study, Intent.Kind.APPROVE, undecided, now=now, window=window)
        Rejection.objects.filter(submission__in=undecided).delete()
        if leave_out:
            before = deciding.exclude_by_hand(undecided, reason=leave_out, actor=actor, now=now)
            deciding.remember(made, before)
        if undecided:
            told = {"submissions": len(undecided), "assignments": [one.market_id for one in undecided]}
            told |= {"left_out": leave_out} if leave_out else {}
            AuditEvent.objects.record(study, "approve", actor=name_of(actor), now=now, **told)
        sooner = sum(one.not_before is None or one.not_before < now + window for one in made)
        return Review(len(undecided), mine.count() - len(undecided) - proposed, proposed, sooner if window else 0)


def _as_shown(study: Study, submissions: QuerySet[Submission], shown: str) -> list[Submission]:
    """What the preview shows, read once, so that work which comes in meanwhile is not approved unseen."""
    seen = desk.preview_of(study, submissions)
    if seen.shown != shown:
        raise ChangedError(
            f"Nothing was approved: what waits has changed since it was shown. Now {len(seen.submissions)} submissions "
            f"wait, for ${seen.total_cents / 100:,.2f}; {seen.flagged} of them are flagged. Look again, then confirm."
        )
    return list(seen.submissions)


def undo(study: Study, submissions: QuerySet[Submission], *, actor: User, now: datetime) -> int:
    """Take back payment decisions of which the marketplace has not heard, inside their window; how many.

    What was left out of the analysis with them comes back too, where the same decision did it: whatever had been
    decided about the analysis before stands again.
    Raises StateError where none of them can be taken back any more.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        wanted = list(submissions.filter(hit__study=study).values_list("pk", flat=True))
        waiting = Q(kind__in=deciding.DECIDING, subject__in=wanted, state="waiting", not_before__gt=now, attempts=0)
        dropped = outbox.drop(study, waiting)
        back = [intent.subject for intent in dropped]
        if not back:
            raise StateError(_too_late(wanted))
        decisions = Decision.objects.filter(submission__in=back)
        at = dict(decisions.filter(matter=PAYMENT).values_list("submission_id", "at"))
        beside = decisions.filter(matter=Decision.Matter.ANALYSIS, rule_set=None, verdict="exclude")
        undone = {one.submission_id: one.pk for one in beside if at.get(one.submission_id) == one.at}
        beside.filter(pk__in=undone.values()).delete()
        holds = reviewing.rule_set(study)
        deciding.restore([one for one in dropped if one.subject in undone], holds=holds.pk if holds else None)
        decisions.filter(matter=PAYMENT).delete()
        Rejection.objects.filter(submission__in=back).delete()
        names = list(Submission.objects.filter(pk__in=back).order_by("pk").values_list("market_id", flat=True))
        AuditEvent.objects.record(
            study, "undo", actor=name_of(actor), now=now, submissions=len(back), assignments=names
        )
        return len(back)


def _too_late(wanted: Sequence[int]) -> str:
    if not Decision.objects.filter(submission__in=wanted, matter=PAYMENT).exists():
        return "There is no decision on payment to take back, or somebody has just taken it back."
    return "The time to take this back is over: the marketplace has been told."
