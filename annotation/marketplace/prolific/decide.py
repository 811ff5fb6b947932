"""Decisions that were taken here go to Prolific: derived from the rows, so that none is lost between two commits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.marketplace.assignments import decisions
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.invitations import completion
from annotation.marketplace.models import (
    Assignment,
    ProlificAction,
    ProlificIdentity,
    ProlificStudy,
    ProlificSubmission,
)
from annotation.marketplace.prolific import actions
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.follow import AWAITING, OVER, REJECTED, lock_for_decision
from annotation.marketplace.prolific.study_draft import RESEARCHER

Kind = ProlificAction.Kind
State = Assignment.State
MIN_MESSAGE, LONGEST_MESSAGE = 100, 1024
# The words are those of the wire, on which both sides agree.
_WIRE = Path(__file__).resolve().parents[1] / "model" / "assay" / "2026-11-22" / "service-2.json"
CATEGORIES: tuple[str, ...] = tuple(json.loads(_WIRE.read_text("utf-8"))["shapes"]["ProlificCategory"]["enum"])
INSIDE = ("ACTIVE", "RESERVED")
CONFLICT = 409


def _complete_before(now: datetime) -> datetime:
    """Who finished before is completed from here; most people come to Prolific's page of completion themselves."""
    return now - timedelta(seconds=settings.PROLIFIC_COMPLETE_SECONDS)


def submission_of(assignment: Assignment) -> ProlificSubmission | None:
    """The latest submission at Prolific of the person of `assignment`; None for who came another way."""
    rows = ProlificSubmission.objects.filter(participant__worker=assignment.worker_id).select_related("study")
    return rows.order_by("-pk").first()


def came_by_prolific(assignment: Assignment) -> bool:
    """Whether the person of `assignment` came by a channel to Prolific; Prolific may not have been read yet."""
    return ProlificStudy.objects.filter(channel__workers=assignment.worker_id).exists()


@transaction.atomic
def reject(assignment: Assignment, *, feedback: str, category: str, now: datetime) -> None:
    """Reject work with a reason that the person reads at Prolific.

    Raises InvalidParameterError, RequestRefusedError (as RejectAssignment, and where Prolific knows no submission).
    """
    text = feedback.strip()
    if not MIN_MESSAGE <= len(text) <= LONGEST_MESSAGE:
        problem = f"Prolific asks for {MIN_MESSAGE} to {LONGEST_MESSAGE} characters; these are {len(text)}."
        raise InvalidParameterError(problem).at("RequesterFeedback")
    if category not in CATEGORIES:
        raise InvalidParameterError(f"The category is one of {', '.join(CATEGORIES)}.").at("Category")
    submission = submission_of(assignment)
    if submission is None:
        problem = "Prolific was not seen to have a submission of this person yet. Try again after the next reading."
        raise RequestRefusedError("ProlificSubmissionUnknown", problem)
    locked = lock_for_decision(submission, assignment.hit.requester_id)
    decisions.reject(assignment, now=now, feedback=text)
    locked.rejection_message, locked.rejection_category = text, category
    locked.save(update_fields=["rejection_message", "rejection_category"])


def check_restoring(assignment: Assignment) -> None:
    """Raises RequestRefusedError for a rejection that Prolific knows, or is about to: it restores none."""
    submission = submission_of(assignment)
    if submission is None:
        return
    sent = ProlificAction.objects.filter(submission=submission, kind=Kind.REJECT)
    if submission.status == REJECTED or sent.exclude(state=ProlificAction.State.FAILED).exists():
        problem = "The work is rejected at Prolific, which restores no rejection. Pay the person by a bonus instead."
        raise RequestRefusedError("ProlificDecisionFinal", problem)


@transaction.atomic
def ask_return(assignment: Assignment, reasons: Sequence[str], *, now: datetime) -> None:
    """Have Prolific ask the person to return; they decide. Raises InvalidParameterError, RequestRefusedError."""
    texts = [reason.strip() for reason in reasons if reason.strip()]
    if not texts or any(len(text) > LONGEST_MESSAGE for text in texts):
        raise InvalidParameterError(f"Enter a reason of 1 to {LONGEST_MESSAGE} characters.").at("Reasons")
    submission = submission_of(assignment)
    if submission is None or submission.status not in (*INSIDE, AWAITING):
        problem = "A return can be asked for while the submission is active or awaits review at Prolific."
        raise RequestRefusedError("ProlificSubmissionState", problem)
    actions.queue(submission.study, Kind.REQUEST_RETURN, now=now, submission=submission, reasons=texts)


@transaction.atomic
def queue_decisions(study: ProlificStudy, *, now: datetime) -> None:
    """Queue what follows from the rows: approvals, rejections, and completions of who finished here."""
    # What was to be done with a submission that is over at Prolific by now has no use any more.
    moot = ProlificAction.objects.filter(study=study, submission__status__in=OVER)
    moot.exclude(state=ProlificAction.State.DONE).update(state=ProlificAction.State.DONE, done_at=now)
    decided = Q(actions__kind__in=[Kind.APPROVE, Kind.REJECT])
    rows = ProlificSubmission.objects.filter(study=study, participant__worker__isnull=False).select_related(
        "participant"
    )
    for submission in rows.filter(status=AWAITING).exclude(decided).order_by("pk"):
        _queue_decision(submission, now=now)
    _finish_closed_tabs(rows, now=now)
    finished = rows.filter(status__in=INSIDE, participant__finished_at__lte=_complete_before(now))
    for submission in finished.filter(participant__stopped_at=None).order_by("pk"):
        actions.queue(study, Kind.COMPLETE, now=now, submission=submission)


def _finish_closed_tabs(rows: QuerySet[ProlificSubmission], *, now: datetime) -> None:
    """Who submitted their last task and never saw the next page has finished all the same."""
    late = Assignment.objects.filter(worker=OuterRef("participant__worker"), submitted_at__lte=_complete_before(now))
    unfinished = rows.filter(Exists(late), status__in=INSIDE, participant__finished_at=None)
    for submission in unfinished.select_related("participant__worker").order_by("pk"):
        if submission.participant.worker is not None:
            completion.finish_if_done(submission.participant.worker, now=now)


def _queue_decision(submission: ProlificSubmission, *, now: datetime) -> None:
    """A person is approved or rejected as a whole, when all that they submitted is decided."""
    states = Counter(Assignment.objects.filter(worker=submission.participant.worker_id).values_list("state", flat=True))
    if states[State.SUBMITTED] or states[State.ACCEPTED]:
        return
    if states[State.APPROVED]:
        actions.queue(submission.study, Kind.APPROVE, now=now, submission=submission)
    elif states[State.REJECTED] and submission.rejection_message:
        actions.queue(submission.study, Kind.REJECT, now=now, submission=submission)


def carry_out(action: ProlificAction, client: Client) -> None:
    """Tell Prolific of a decision about one person. Raises ProlificError."""
    submission = action.submission
    known = ProlificIdentity.objects.filter(submission=submission).first()
    if submission is None or known is None:
        raise ProlificError("The person's id was deleted by the retention date, so nothing can be sent to Prolific.")
    session = known.session_id
    if action.kind == Kind.REQUEST_RETURN:
        client.request_return(session, action.details["reasons"])
    elif action.kind == Kind.APPROVE:
        client.transition_submission(session, {"action": "APPROVE"})
    elif action.kind == Kind.COMPLETE:
        _complete(session, submission.study.codes[RESEARCHER], client)
    else:
        fields = {
            "action": "REJECT",
            "message": submission.rejection_message,
            "rejection_category": submission.rejection_category,
        }
        client.transition_submission(session, fields)


def _complete(session: str, code: str, client: Client) -> None:
    """Complete from this side. Who came to the page of completion at this moment has done so themselves."""
    try:
        client.transition_submission(session, {"action": "COMPLETE", "completion_code": code})
    except ProlificError as error:
        if error.status != CONFLICT:
            raise
