"""What a submission's status at Prolific means for the work here: places are freed, decisions are booked."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Sum

from annotation.marketplace.assignments import accept_submit, decisions
from annotation.marketplace.core.row_locks import lock_hit, lock_requester
from annotation.marketplace.errors import RequestRefusedError, WorkRefusedError
from annotation.marketplace.hits import escrow, lifecycle
from annotation.marketplace.invitations import completion
from annotation.marketplace.models import (
    Assignment,
    Hit,
    LedgerEntry,
    ParticipantIdentity,
    ProlificIdentity,
    ProlificStudy,
    ProlificSubmission,
    WorkerAccount,
)
from annotation.marketplace.notifications import events

COMPLETED = "COMPLETED"
AWAITING, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
# Their place at Prolific is free for another person.
LEFT = frozenset({"RETURNED", "TIMED-OUT"})
PARTLY, SCREENED = "PARTIALLY APPROVED", "SCREENED OUT"
OVER = LEFT | {APPROVED, REJECTED, PARTLY, SCREENED}
KNOWN = OVER | {"RESERVED", "ACTIVE", AWAITING}
# The parameter of the address by which Prolific names a submission.
SESSION = "SESSION_ID"
OTHER_SESSION = "The person came with the ID of another submission than Prolific lists for them."
REJECTED_THERE = "Rejected on Prolific's site."

State = Assignment.State
Purpose = LedgerEntry.Purpose


def follow_study(study: ProlificStudy, *, now: datetime) -> None:
    """Carry every status that has changed into the work. Each submission for itself: one that fails stops no other."""
    rows = ProlificSubmission.objects.filter(study=study).exclude(followed_status=F("status"))
    for submission in rows.select_related("participant__worker").order_by("pk"):
        note = _follow(submission, now=now) or _note_on_session(submission)
        ProlificSubmission.objects.filter(pk=submission.pk, status=submission.status).update(
            followed_status=submission.status, note=note
        )
    # Work that was submitted after its submission was decided at Prolific: tabs stay open.
    late = Assignment.objects.filter(
        worker__participant=OuterRef("participant"), state__in=[State.SUBMITTED, State.ACCEPTED]
    )
    decided = ProlificSubmission.objects.filter(Exists(late), study=study, status__in=[APPROVED, REJECTED, *LEFT])
    for submission in decided.select_related("participant__worker").order_by("pk"):
        note = _follow(submission, now=now) or _note_on_session(submission)
        ProlificSubmission.objects.filter(pk=submission.pk, status=submission.status).update(note=note)
    _correct_rewards(study, now=now)
    _open_places(study, now=now)


def _open_places(study: ProlificStudy, *, now: datetime) -> None:
    """Open the places of who returned after submitting, or was rejected: Prolific sends another person."""
    if study.status == COMPLETED:
        return
    submitted = Assignment.objects.filter(worker=OuterRef("participant__worker"), state__in=Assignment.SUBMITTED_STATES)
    rows = ProlificSubmission.objects.filter(
        Exists(submitted), study=study, is_replaced=False, status__in=[REJECTED, *LEFT]
    )
    for submission in rows.select_related("participant").order_by("pk"):
        submission.study = study
        try:
            _open_places_of(submission, now=now)
        except RequestRefusedError as refusal:
            note = f"The place could not be opened to another person: {refusal.message}"[:300]
            ProlificSubmission.objects.filter(pk=submission.pk).update(note=note)


@transaction.atomic
def _open_places_of(submission: ProlificSubmission, *, now: datetime) -> None:
    """Raises RequestRefusedError where the balance does not cover another place; nothing is changed then."""
    payer = lock_requester(submission.study.channel.requester_id)
    if not ProlificSubmission.objects.filter(pk=submission.pk, is_replaced=False).update(is_replaced=True):
        return
    worker = submission.participant.worker_id
    works = Assignment.objects.filter(worker=worker, state__in=Assignment.SUBMITTED_STATES)
    for key in works.order_by("hit__pk").values_list("hit__pk", flat=True):
        hit = lock_hit(key)
        if hit.status == Hit.Status.DISPOSED:
            continue
        hit.max_assignments += 1
        events.settle(hit, now)
        hit.save(update_fields=["max_assignments", *lifecycle.SETTLED_FIELDS])
        escrow.hold(payer, hit, now=now)


def _correct_rewards(study: ProlificStudy, *, now: datetime) -> None:
    """Book back the rewards of approved work whose person returned at Prolific, or ran out of time there."""
    purposes = [Purpose.REWARD, Purpose.UNPAID]
    paid_outside = Q(entries__account=LedgerEntry.Account.OUTSIDE, entries__purpose__in=purposes)
    left = ProlificSubmission.objects.filter(study=study, status__in=LEFT)
    rows = Assignment.objects.filter(state=State.APPROVED, worker__participant__prolific_submissions__in=left)
    earned = Sum("entries__amount_cents", filter=paid_outside, default=0)
    for assignment in rows.annotate(earned=earned).filter(earned__gt=0).order_by("pk"):
        decisions.unpay(assignment, now=now)


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
    if not submitted:
        return ""
    return f"The submission was {word} at Prolific, which pays nothing for it; {submitted} submitted tasks are stored."


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
