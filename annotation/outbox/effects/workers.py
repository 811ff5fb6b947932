"""Effects on people's work: approved, rejected, a bonus, a qualification, a notice."""

from __future__ import annotations

from annotation import ledger
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, LedgerEntry, Rejection, Submission, WorkerIdentity
from annotation.mturk import prolific
from annotation.outbox import queue
from annotation.outbox.effects.context import Context

TOO_LATE = "The marketplace auto-approved it before the rejection arrived."


def approve(intent: Intent, context: Context) -> None:
    """Approve; the auto-approval may have come first, which costs the same."""
    submission = _submission(intent)
    override = bool(intent.details.get("override"))
    context.market.approve(submission.market_id, feedback=_reason(submission), override=override)
    cost = ledger.place_cost(submission.hit)
    if _is_unpaid(submission, context):
        _approve_unpaid(intent, submission, context)
        return
    with queue.outcome(intent, "approve", now=context.clock()) as mine:
        if mine:
            ledger.spend(intent, cost, kind=LedgerEntry.Kind.REWARD, now=context.clock(), **_evidence(submission))


def _is_unpaid(submission: Submission, context: Context) -> bool:
    """Whether Prolific pays no reward for the work: the person returned it there, or ran out of time."""
    if not submission.hit.study.intents.filter(kind=Intent.Kind.RECRUIT).exists():
        return False
    work = prolific.get_work(context.market, submission.market_id)
    return work is not None and work.has_left


def _approve_unpaid(intent: Intent, submission: Submission, context: Context) -> None:
    """The answers are accepted. What was reserved for them stays so for the person whom Prolific sends instead."""
    with queue.outcome(intent, "approved, not paid: returned on Prolific", now=context.clock()) as mine:
        if mine:
            facts = {"intent": intent.key, **_evidence(submission)}
            AuditEvent.objects.record(intent.study, "approve_unpaid", actor="assay", now=context.clock(), **facts)


def reject(intent: Intent, context: Context) -> None:
    """Reject with the decision's reason; what was reserved for it is free again.

    Where the auto-approval came first the work is paid, and the decision follows.
    """
    submission = _submission(intent)
    category = Rejection.objects.filter(submission=submission).values_list("category", flat=True).first()
    feedback, market_id = _reason(submission), submission.market_id
    if category:
        is_rejected = prolific.reject_work(context.market, market_id, feedback=feedback, category=category)
    else:
        is_rejected = context.market.reject(market_id, feedback=feedback)
    if not is_rejected:
        _approved_before(intent, submission, context)
        return
    with queue.outcome(intent, "reject", now=context.clock()) as mine:
        if mine:
            now = context.clock()
            if not category:
                # Prolific sends somebody else for whom the money stays reserved, until the study is closed.
                ledger.give_back(intent, ledger.place_cost(submission.hit).total, now=now)
            AuditEvent.objects.record(
                intent.study, "refuse", actor="assay", now=now, intent=intent.key, **_evidence(submission)
            )


def _approved_before(intent: Intent, submission: Submission, context: Context) -> None:
    cost, now = ledger.place_cost(submission.hit), context.clock()
    with queue.outcome(intent, "approved before", now=now) as mine:
        if mine:
            submission.decisions.filter(matter="payment").update(verdict="approve", reason=TOO_LATE, actor=None, at=now)
            AuditEvent.objects.record(
                intent.study, "follow", actor="marketplace", now=now, assignments=[submission.market_id], refused=[]
            )
            ledger.spend(intent, cost, kind=LedgerEntry.Kind.REWARD, now=now, **_evidence(submission))


def bonus(intent: Intent, context: Context) -> None:
    """Pay a bonus. Its reason ends with the intent's mark, by which it is found when the token is forgotten."""
    submission, cents = _submission(intent), int(intent.details["cents"])
    mark = f"({intent.key[:12]})"
    paid = context.token_forgotten and any(
        mark in payment.reason for payment in context.market.bonuses(submission.market_id)
    )
    if not paid:
        context.market.send_bonus(
            submission.market_id,
            worker_id=_external(submission.worker_id),
            cents=cents,
            currency=submission.hit.study.currency,
            reason=f"{intent.details['reason']} {mark}",
            token=intent.key,
        )
    with queue.outcome(intent, f"{cents} cents", now=context.clock()) as mine:
        if mine:
            cost = ledger.bonus_cost(cents, submission.hit)
            ledger.spend(intent, cost, kind=LedgerEntry.Kind.BONUS, now=context.clock(), **_evidence(submission))


def grant(intent: Intent, context: Context) -> None:
    """Give a qualification; again, it changes nothing."""
    context.market.grant(intent.details["type"], _external(intent.subject), int(intent.details.get("value", 1)))
    with queue.outcome(intent, "granted", now=context.clock()):
        pass


def revoke(intent: Intent, context: Context) -> None:
    """Take a qualification back; again, it changes nothing. Of somebody whom the vault forgot nothing can be told."""
    known = WorkerIdentity.objects.filter(worker=intent.subject).values_list("external_id", flat=True).first()
    if known is not None:
        context.market.revoke(intent.details["type"], known)
    with queue.outcome(intent, "revoked" if known else "forgotten", now=context.clock()):
        pass


def block(intent: Intent, context: Context) -> None:
    """Keep somebody out of all HITs; again, it changes nothing."""
    context.market.block(_external(intent.subject), reason=intent.details["reason"])
    with queue.outcome(intent, "blocked", now=context.clock()):
        pass


def unblock(intent: Intent, context: Context) -> None:
    """Let somebody in again; again, it changes nothing."""
    context.market.unblock(_external(intent.subject))
    with queue.outcome(intent, "let in again", now=context.clock()):
        pass


def notify(intent: Intent, context: Context) -> None:
    """Write to a worker. Marketplaces know no token for it: after a crash at this moment it may come twice."""
    context.market.notify(
        _external(intent.subject), subject=intent.details["subject"][:200], text=intent.details["text"][:4096]
    )
    with queue.outcome(intent, "written", now=context.clock()):
        pass


def _submission(intent: Intent) -> Submission:
    rows = Submission.objects.select_related("hit__study", "hit__cell__arm__study", "worker")
    return rows.get(pk=intent.subject)


def _reason(submission: Submission) -> str:
    return submission.decisions.get(matter="payment").reason


def _evidence(submission: Submission) -> dict[str, str]:
    return {"assignment": submission.market_id, "worker": submission.worker.pseudonym}


def _external(worker: int) -> str:
    """Raises StateError once the vault has forgotten who the worker is."""
    known = WorkerIdentity.objects.filter(worker=worker).values_list("external_id", flat=True).first()
    if known is None:
        raise StateError(
            "The worker ID was deleted at the end of its retention: nothing can be sent to the marketplace."
        )
    return known
