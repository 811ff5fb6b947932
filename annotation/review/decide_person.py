"""Decide about a person: the same decision on all of their submissions that wait, all of them or none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import Intent, Study, Submission, Worker
from annotation.outbox.decision_intents import WINDOW
from annotation.review import approve, people, reject

NOTHING_WAITS = "No submission of this worker waits for a decision. Another reviewer may have decided."


@dataclass(frozen=True, slots=True)
class UndoneAction:
    """Whose decisions were undone, and how many."""

    worker: Worker
    submissions: int


def pay_person(
    study: Study, worker: Worker, *, actor: User, now: datetime, exclude: str = "", window: timedelta = WINDOW
) -> approve.Review:
    """Approve payment of all submissions of a worker that wait.

    exclude: a reason to exclude the same submissions from the analysis ("": they stay in it).
    Raises StateError where nothing waits.
    """
    done = approve.approve(
        study,
        Submission.objects.filter(worker=worker),
        actor=actor,
        now=now,
        window=window,
        leave_out=exclude.strip(),
    )
    if not done.decided:
        raise StateError(NOTHING_WAITS)
    return done


def propose_rejections(study: Study, worker: Worker, *, reason: str, actor: User, now: datetime) -> int:
    """Propose to reject all submissions of a worker that wait, with one reason; return how many.

    Raises StateError where nothing waits, and for work from Prolific, which asks for a category of each rejection.
    """
    if study.intents.filter(kind=Intent.Kind.RECRUIT).exists():
        raise StateError("Prolific asks for a category of each rejection. Open the submission and propose it there.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        waiting = people.person_card(study, worker).waiting
        if not waiting:
            raise StateError(NOTHING_WAITS)
        for submission in waiting:
            reject.propose_rejection(study, submission, reason=reason, actor=actor, now=now)
        return len(waiting)


def undo_last_action(study: Study, *, actor: User, now: datetime) -> UndoneAction:
    """Undo the actor's latest decision about a person, or withdraw their latest proposal, on all its submissions."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = people.last_action(study, actor, now=now)
        if last is None:
            raise StateError("You have no decision that can still be undone.")
        rows = Submission.objects.filter(pk__in=last.submissions).select_related("hit")
        if last.proposal:
            for submission in rows:
                reject.withdraw_proposal(study, submission, actor=actor, now=now)
            return UndoneAction(last.worker, len(last.submissions))
        return UndoneAction(last.worker, approve.undo_decisions(study, rows, actor=actor, now=now))
