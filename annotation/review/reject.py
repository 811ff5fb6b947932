"""Refuse payment: one person proposes with a reason, another seconds, a guard stands on the rate."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from annotation import ledger as books
from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Decision, Hit, Intent, Rejection, Reply, Study, Submission
from annotation.outbox import decision_intents as deciding
from annotation.review import queue

# The marketplace's bounds of RequesterFeedback; ours ask for a sentence.
LEAST_REASON, MOST_REASON = 20, 1024
# Of a study's submissions; beyond, only its owner goes on, and says so.
GUARD = 0.05


def propose(study: Study, submission: Submission, *, reason: str, actor: User, now: datetime) -> Rejection:
    """Propose to refuse payment. The reason is what the worker will read. Who proposed may word it anew; what somebody
    else proposed stands until it is agreed to or dropped."""
    text = reason.strip()
    if not LEAST_REASON <= len(text) <= MOST_REASON:
        rule = f"A reason has {LEAST_REASON} to {MOST_REASON} characters; this one has {len(text)}."
        raise StateError(rule).at("reason")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        _undecided(study, submission, now=now)
        other = Rejection.objects.select_related("proposed_by").filter(submission=submission).first()
        if other is not None and other.proposed_by != actor:
            name = other.proposed_by.get_username()
            raise StateError(f"{name} has proposed to refuse payment already: agree, or drop that proposal first.")
        made, _ = Rejection.objects.update_or_create(
            submission=submission,
            defaults={
                "reason": text, "proposed_by": actor, "proposed_at": now, "seconded_by": None, "seconded_at": None,
            },
        )  # fmt: skip
        told = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "propose_rejection", actor=actor.get_username(), now=now, **told)
        return made


def drop_proposal(study: Study, submission: Submission, *, actor: User, now: datetime) -> None:
    """Take a proposal off the table."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        gone, _ = Rejection.objects.filter(
            submission=submission, submission__hit__study=study, seconded_by=None
        ).delete()
        if not gone:
            raise StateError("There is no proposal to refuse payment for this submission.")
        told = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "drop_proposal", actor=actor.get_username(), now=now, **told)


def second(
    study: Study,
    submission: Submission,
    *,
    actor: User,
    now: datetime,
    window: timedelta = deciding.WINDOW,
    beyond_guard: bool = False,
    read: datetime | None = None,
) -> Decision:
    """Agree to a proposed rejection as another person: it becomes the decision, and leaves after the window.

    beyond_guard: an owner goes on although more than 5 % of the study's submissions would be refused. read: when the
    proposal that this person read was made; one that was worded anew since is to be read first.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        _undecided(study, submission, now=now)
        proposal = Rejection.objects.select_related("proposed_by").filter(submission=submission).first()
        if proposal is None:
            raise StateError("Nobody has proposed to refuse payment for this submission.")
        if proposal.proposed_by == actor:
            raise StateError("It takes a second person to refuse payment: you proposed it yourself.")
        # Programs are told milliseconds.
        if read is not None and abs(read - proposal.proposed_at) >= timedelta(milliseconds=1):
            raise StateError("The proposal was worded anew after you opened the page. Read it, then decide.")
        _guard(study, beyond_guard)
        decision = Decision.objects.create(
            submission=submission, matter="payment", verdict="reject", reason=proposal.reason, actor=actor, at=now
        )
        deciding.intents(study, Intent.Kind.REJECT, [submission], now=now, window=window)
        Rejection.objects.filter(pk=proposal.pk).update(seconded_by=actor, seconded_at=now)
        told = {"assignment": submission.market_id, "proposed_by": proposal.proposed_by.get_username()}
        AuditEvent.objects.record(study, "reject", actor=actor.get_username(), now=now, **told)
        return decision


def overturn(study: Study, submission: Submission, *, reason: str, actor: User, now: datetime) -> Decision:
    """Approve what was rejected: the only way back once the marketplace has been told, for 30 days."""
    text = reason.strip()
    if not 1 <= len(text) <= MOST_REASON:
        rule = f"Turning a rejection into an approval needs a reason of at most {MOST_REASON} characters."
        raise StateError(rule).at("reason")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        decision = Decision.objects.filter(
            submission=submission, submission__hit__study=study, matter="payment", verdict="reject"
        ).first()
        told = Intent.objects.filter(kind=Intent.Kind.REJECT, subject=submission.pk, state=Intent.State.DONE).exists()
        if decision is None or not told:
            raise StateError("Only a rejection of which the marketplace has been told can be turned into an approval.")
        if submission.submitted_at is None or submission.submitted_at + queue.OVERRIDE_WINDOW < now:
            raise StateError("The work was handed in more than 30 days ago; the marketplace keeps its rejection.")
        if submission.hit.market_status == Hit.GONE:
            raise StateError("The marketplace has deleted the HIT; the rejections of its work stay.")
        decision.verdict, decision.reason = "approve", text
        decision.actor, decision.at = actor, now
        decision.save(update_fields=["verdict", "reason", "actor", "at"])
        made = deciding.intents(study, Intent.Kind.APPROVE, [submission], now=now, window=timedelta(0))
        Intent.objects.filter(pk=made[0].pk).update(details={"override": True})
        whole = Submission.objects.select_related("hit__cell__arm__study").get(pk=submission.pk)
        books.reserve(study, [(made[0], books.place_cost(whole.hit).total)], now=now)
        facts = {"assignment": submission.market_id, "reason": text}
        AuditEvent.objects.record(study, "overturn", actor=actor.get_username(), now=now, **facts)
        return decision


def record_reply(study: Study, submission: Submission, *, body: str, actor: User, now: datetime) -> Reply:
    """Write down what the worker answered."""
    if not body.strip():
        raise StateError("A reply without words is none.").at("body")
    with transaction.atomic():
        made = Reply.objects.create(submission=submission, body=body.strip(), recorded_by=actor, at=now)
        told = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "record_reply", actor=actor.get_username(), now=now, **told)
        return made


def uphold(study: Study, submission: Submission, *, actor: User, now: datetime) -> int:
    """Keep a rejection after its worker's answers have been read; how many. They wait for nobody any more."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = Reply.objects.filter(submission=submission, submission__hit__study=study, heeded_at=None)
        refused = queue.payments().filter(submission=submission, verdict="reject").exists()
        if not refused or not mine.exists():
            raise StateError("There is no answer to a rejection here that waits to be read.")
        heeded = mine.update(heeded_by=actor, heeded_at=now)
        told = {"assignment": submission.market_id}
        AuditEvent.objects.record(study, "uphold", actor=actor.get_username(), now=now, **told)
        return heeded


def _undecided(study: Study, submission: Submission, *, now: datetime) -> None:
    if submission.hit.study_id != study.pk:
        raise StateError("The submission belongs to another study.")
    if submission.raw_format == Submission.WITHDRAWN:
        raise StateError("The worker took these answers back; they are paid for.")
    if queue.payments().filter(submission=submission).exists():
        raise StateError("Payment of this submission has been decided.")
    due = queue.due_at(study, submission)
    if due is not None and due <= now and study.mode != Study.Mode.IMPORTED:
        raise StateError(f"The marketplace approved this by itself at {due:%Y-%m-%d %H:%M} UTC; it is paid.")


def _guard(study: Study, beyond: bool) -> None:
    counts = queue.decided_counts(study)
    allowed = max(1, int(GUARD * counts["all"]))
    if counts.get("reject", 0) + 1 > allowed and not beyond:
        raise StateError(
            f"{counts.get('reject', 0)} of {counts['all']} submissions are refused already, and more than "
            f"{GUARD:.0%} would be. An owner can go on by saying so."
        )
