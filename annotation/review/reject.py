"""Reject work: one reviewer proposes it with a reason, another confirms it, below a limit on the rate."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from annotation import ledger
from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Decision, Hit, Intent, Rejection, Reply, Study, Submission
from annotation.mturk import prolific
from annotation.outbox import decision_intents
from annotation.review import queue

# The marketplace's bounds of RequesterFeedback; ours ask for a sentence.
MIN_REASON_CHARS, MAX_REASON_CHARS = 20, 1024
# Of a study's submissions; beyond, only its owner goes on, and says so.
GUARD = 0.05


def propose_rejection(
    study: Study, submission: Submission, *, reason: str, actor: User, now: datetime, category: str | None = None
) -> Rejection:
    """Propose a rejection. The worker will read the reason. Its proposer may change it; another person's proposal
    stays until it is confirmed or withdrawn.

    category: of a person from Prolific (None: of nobody else), which asks for a longer reason, too.
    """
    text = reason.strip()
    min_chars = MIN_REASON_CHARS if category is None else prolific.MIN_REASON_CHARS
    if not min_chars <= len(text) <= MAX_REASON_CHARS:
        rule = f"A reason has {min_chars} to {MAX_REASON_CHARS} characters; this one has {len(text)}."
        raise StateError(rule).at("reason")
    if category is not None and category not in prolific.CATEGORIES:
        raise StateError(f"Choose Prolific's category: {', '.join(prolific.CATEGORIES)}.").at("category")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        _undecided(study, submission, now=now)
        other = Rejection.objects.select_related("proposed_by").filter(submission=submission).first()
        if other is not None and other.proposed_by != actor:
            name = other.proposed_by.get_username()
            raise StateError(f"{name} has already proposed a rejection. Confirm it, or withdraw it first.")
        proposal, _ = Rejection.objects.update_or_create(
            submission=submission,
            defaults={
                "reason": text,
                "category": category or "",
                "proposed_by": actor,
                "proposed_at": now,
                "seconded_by": None,
                "seconded_at": None,
            },
        )
        details = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "propose_rejection", actor=actor.get_username(), now=now, **details)
        return proposal


def withdraw_proposal(study: Study, submission: Submission, *, actor: User, now: datetime) -> None:
    """Withdraw a proposed rejection."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        deleted, _ = Rejection.objects.filter(
            submission=submission, submission__hit__study=study, seconded_by=None
        ).delete()
        if not deleted:
            raise StateError("No rejection is proposed for this submission.")
        details = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "drop_proposal", actor=actor.get_username(), now=now, **details)


def confirm_rejection(
    study: Study,
    submission: Submission,
    *,
    actor: User,
    now: datetime,
    window: timedelta = decision_intents.WINDOW,
    beyond_guard: bool = False,
    read: datetime | None = None,
) -> Decision:
    """Confirm a proposed rejection as another person: it becomes the decision, sent after the window.

    beyond_guard: an owner goes on although more than 5% of the study's submissions would be rejected. read: when the
    proposal that this person read was made; one that was changed since must be read first.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        _undecided(study, submission, now=now)
        proposal = Rejection.objects.select_related("proposed_by").filter(submission=submission).first()
        if proposal is None:
            raise StateError("No rejection is proposed for this submission.")
        if proposal.proposed_by == actor:
            raise StateError("A second reviewer must confirm the rejection: you proposed it.")
        # Programs are told milliseconds.
        if read is not None and abs(read - proposal.proposed_at) >= timedelta(milliseconds=1):
            raise StateError("The proposal was changed after you opened the page. Read it again, then decide.")
        _guard(study, beyond_guard)
        decision = Decision.objects.create(
            submission=submission, matter="payment", verdict="reject", reason=proposal.reason, actor=actor, at=now
        )
        decision_intents.intents(study, Intent.Kind.REJECT, [submission], now=now, window=window)
        Rejection.objects.filter(pk=proposal.pk).update(seconded_by=actor, seconded_at=now)
        details = {"assignment": submission.market_id, "proposed_by": proposal.proposed_by.get_username()}
        AuditEvent.objects.record(study, "reject", actor=actor.get_username(), now=now, **details)
        return decision


def reverse_rejection(study: Study, submission: Submission, *, reason: str, actor: User, now: datetime) -> Decision:
    """Approve what was rejected: the only way back once the rejection was sent to the marketplace, for 30 days."""
    text = reason.strip()
    if not 1 <= len(text) <= MAX_REASON_CHARS:
        rule = f"Reversing a rejection needs a reason of 1 to {MAX_REASON_CHARS} characters."
        raise StateError(rule).at("reason")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        decision = Decision.objects.filter(
            submission=submission, submission__hit__study=study, matter="payment", verdict="reject"
        ).first()
        sent = Intent.objects.filter(kind=Intent.Kind.REJECT, subject=submission.pk, state=Intent.State.DONE).exists()
        if decision is None or not sent:
            raise StateError("Only a rejection that was sent to the marketplace can be reversed.")
        if submission.submitted_at is None or submission.submitted_at + queue.OVERRIDE_WINDOW < now:
            raise StateError("The work was submitted more than 30 days ago. Its rejection can no longer be reversed.")
        if submission.hit.market_status == Hit.DISPOSED:
            raise StateError("The marketplace deleted the HIT. Its rejections can no longer be reversed.")
        decision.verdict, decision.reason = "approve", text
        decision.actor, decision.at = actor, now
        decision.save(update_fields=["verdict", "reason", "actor", "at"])
        intents = decision_intents.intents(study, Intent.Kind.APPROVE, [submission], now=now, window=timedelta(0))
        Intent.objects.filter(pk=intents[0].pk).update(details={"override": True})
        loaded = Submission.objects.select_related("hit__cell__arm__study").get(pk=submission.pk)
        ledger.reserve(study, [(intents[0], ledger.place_cost(loaded.hit).total)], now=now)
        facts = {"assignment": submission.market_id, "reason": text}
        AuditEvent.objects.record(study, "overturn", actor=actor.get_username(), now=now, **facts)
        return decision


def record_reply(study: Study, submission: Submission, *, body: str, actor: User, now: datetime) -> Reply:
    """Write down what the worker answered."""
    if not body.strip():
        raise StateError("Enter a reply.").at("body")
    with transaction.atomic():
        reply = Reply.objects.create(submission=submission, body=body.strip(), recorded_by=actor, at=now)
        details = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "record_reply", actor=actor.get_username(), now=now, **details)
        return reply


def uphold_rejection(study: Study, submission: Submission, *, actor: User, now: datetime) -> int:
    """Uphold a rejection after its worker's replies were read; return how many replies were waiting."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = Reply.objects.filter(submission=submission, submission__hit__study=study, heeded_at=None)
        refused = queue.payments().filter(submission=submission, verdict="reject").exists()
        if not refused or not mine.exists():
            raise StateError("This submission has no unread reply to a rejection.")
        heeded = mine.update(heeded_by=actor, heeded_at=now)
        details = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "uphold", actor=actor.get_username(), now=now, **details)
        return heeded


def _undecided(study: Study, submission: Submission, *, now: datetime) -> None:
    if submission.hit.study_id != study.pk:
        raise StateError("The submission belongs to another study.")
    if submission.raw_format == Submission.WITHDRAWN:
        raise StateError("The worker withdrew these answers. They are paid.")
    if queue.payments().filter(submission=submission).exists():
        raise StateError("Payment of this submission has been decided.")
    due = queue.due_at(study, submission)
    if due is not None and due <= now and study.mode != Study.Mode.IMPORTED:
        raise StateError(f"The marketplace auto-approved this at {due:%Y-%m-%d %H:%M} UTC. It is paid.")


def _guard(study: Study, beyond: bool) -> None:
    counts = queue.decided_counts(study)
    allowed = max(1, int(GUARD * counts["all"]))
    if counts.get("reject", 0) + 1 > allowed and not beyond:
        raise StateError(
            f"Rejection limit {GUARD:.0%} reached ({counts.get('reject', 0)} of {counts['all']} rejected). "
            "An owner can override it."
        )
