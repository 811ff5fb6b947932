"""What a submission's status at Prolific means for the work here: places are freed, decisions are booked."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, F, OuterRef

from annotation.marketplace.assignments import accept_submit, decisions
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.invitations import completion
from annotation.marketplace.models import (
    Assignment,
    ParticipantIdentity,
    ProlificIdentity,
    ProlificStudy,
    ProlificSubmission,
    WorkerAccount,
)

AWAITING, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
# Their place at Prolific is free for somebody else.
LEFT = frozenset({"RETURNED", "TIMED-OUT"})
KNOWN = LEFT | {"RESERVED", "ACTIVE", AWAITING, APPROVED, REJECTED, "SCREENED OUT", "PARTIALLY APPROVED"}
# The parameter of the address by which Prolific names a submission.
SESSION = "SESSION_ID"
OTHER_SESSION = "The person came with the ID of another submission than Prolific lists for them."
REJECTED_THERE = "Rejected on Prolific's site."

State = Assignment.State


def follow_study(study: ProlificStudy, *, now: datetime) -> None:
    """Carry every status that has changed into the work. Each submission for itself: one that fails stops no other."""
    rows = ProlificSubmission.objects.filter(study=study).exclude(followed_status=F("status"))
    for submission in rows.select_related("participant__worker", "study").order_by("pk"):
        note = _follow(submission, now=now) or _note_on_session(submission)
        ProlificSubmission.objects.filter(pk=submission.pk, status=submission.status).update(
            followed_status=submission.status, note=note
        )
    # Work that was submitted after its submission was decided at Prolific: tabs stay open.
    late = Assignment.objects.filter(
        worker__participant=OuterRef("participant"), state__in=[State.SUBMITTED, State.ACCEPTED]
    )
    decided = ProlificSubmission.objects.filter(Exists(late), study=study, status__in=[APPROVED, REJECTED, *LEFT])
    for submission in decided.select_related("participant__worker", "study").order_by("pk"):
        note = _follow(submission, now=now) or _note_on_session(submission)
        ProlificSubmission.objects.filter(pk=submission.pk, status=submission.status).update(note=note)


def _follow(submission: ProlificSubmission, *, now: datetime) -> str:
    """The note that the row is shown with."""
    worker, status = submission.participant.worker, submission.status
    if status in LEFT:
        return _leave(submission, worker, now=now)
    if status and status not in KNOWN:
        return f"Prolific says {status[:40]}, which is not known here."
    if worker is None:
        return "No answers were submitted here." if status == AWAITING else ""
    if status == APPROVED:
        return _approve(worker, now=now)
    if status == REJECTED:
        return _reject(worker, submission.rejection_message or REJECTED_THERE, now=now)
    if status == AWAITING and not completion.count_submitted(worker):
        return "No answers were submitted here."
    return ""


def _note_on_session(submission: ProlificSubmission) -> str:
    """A note where the person's address named another session than Prolific does: somebody else's, perhaps."""
    known = ProlificIdentity.objects.filter(submission=submission).first()
    person = ParticipantIdentity.objects.filter(participant=submission.participant_id).first()
    named = person.panel_ids.get(SESSION, "") if person is not None else ""
    return OTHER_SESSION if known is not None and named not in ("", known.session_id) else ""


def _leave(submission: ProlificSubmission, worker: WorkerAccount | None, *, now: datetime) -> str:
    """Free what the person holds, and admit them no more by this submission."""
    if worker is None:
        return ""
    for held in Assignment.objects.filter(worker=worker, state=State.ACCEPTED).order_by("pk"):
        try:
            accept_submit.return_assignment(held, now=now)
        except (WorkRefusedError, RequestRefusedError):
            # It was submitted or ran out at this moment.
            continue
    submitted = completion.count_submitted(worker)
    if submission.participant.finished_at is None:
        completion.finish(submission.participant, now=now, early=True)
    word = "returned" if submission.status == "RETURNED" else "timed out"
    return f"The submission was {word} at Prolific; {submitted} submitted tasks are stored." if submitted else ""


def _approve(worker: WorkerAccount, *, now: datetime) -> str:
    for assignment in Assignment.objects.filter(worker=worker, state=State.SUBMITTED).order_by("pk"):
        try:
            decisions.approve(assignment, now=now)
        except RequestRefusedError as refusal:
            if not refusal.code.endswith("InsufficientFunds"):
                # Another process has booked it at this moment.
                continue
            return f"Approved at Prolific; not booked here: {refusal.message}"[:300]
    return ""


def _reject(worker: WorkerAccount, feedback: str, *, now: datetime) -> str:
    for assignment in Assignment.objects.filter(worker=worker, state=State.SUBMITTED).order_by("pk"):
        try:
            decisions.reject(assignment, now=now, feedback=feedback)
        except RequestRefusedError:
            # Withdrawn answers are paid for.
            continue
    return ""


def lock_for_decision(submission: ProlificSubmission, requester: int) -> ProlificSubmission:
    """The row, locked after the requester's, as everywhere a decision is taken."""
    lock_requester(requester)
    return ProlificSubmission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
