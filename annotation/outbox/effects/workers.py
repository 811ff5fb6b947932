"""Effects on people's work: approved, rejected, a bonus, a qualification, a notice."""

from __future__ import annotations

from annotation import ledger as books
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, LedgerEntry, Submission, WorkerIdentity
from annotation.outbox import queue as outbox
from annotation.outbox.effects.context import Context

TOO_LATE = "The marketplace had approved it by itself before it heard that payment is refused."


def approve(intent: Intent, told: Context) -> None:
    """Approve; the clock may have been faster, which costs the same."""
    submission = _submission(intent)
    override = bool(intent.details.get("override"))
    told.market.approve(submission.market_id, feedback=_reason(submission), override=override)
    cost = books.place_cost(submission.hit)
    with outbox.outcome(intent, "approve", now=told.clock()) as mine:
        if mine:
            books.spend(intent, cost, kind=LedgerEntry.Kind.REWARD, now=told.clock(), **_evidence(submission))


def reject(intent: Intent, told: Context) -> None:
    """Refuse payment with the decision's reason; what was set aside for it is free again.

    Where the clock was faster the work is paid, and the decision follows.
    """
    submission = _submission(intent)
    if not told.market.reject(submission.market_id, feedback=_reason(submission)):
        _approved_before(intent, submission, told)
        return
    with outbox.outcome(intent, "reject", now=told.clock()) as mine:
        if mine:
            now = told.clock()
            books.give_back(intent, books.place_cost(submission.hit).total, now=now)
            AuditEvent.objects.record(
                intent.study, "refuse", actor="assay", now=now, intent=intent.key, **_evidence(submission)
            )


def _approved_before(intent: Intent, submission: Submission, told: Context) -> None:
    cost, now = books.place_cost(submission.hit), told.clock()
    with outbox.outcome(intent, "approved before", now=now) as mine:
        if mine:
            submission.decisions.filter(matter="payment").update(verdict="approve", reason=TOO_LATE, actor=None, at=now)
            AuditEvent.objects.record(
                intent.study, "follow", actor="marketplace", now=now, assignments=[submission.market_id], refused=[]
            )
            books.spend(intent, cost, kind=LedgerEntry.Kind.REWARD, now=now, **_evidence(submission))


def bonus(intent: Intent, told: Context) -> None:
    """Pay a bonus. Its reason ends with the intent's mark, by which it is found when the token is forgotten."""
    submission, cents = _submission(intent), int(intent.details["cents"])
    mark = f"({intent.key[:12]})"
    paid = told.token_forgotten and any(mark in one.reason for one in told.market.bonuses(submission.market_id))
    if not paid:
        told.market.send_bonus(
            submission.market_id,
            worker_id=_external(submission.worker_id),
            cents=cents,
            reason=f"{intent.details['reason']} {mark}",
            token=intent.key,
        )
    with outbox.outcome(intent, f"{cents} cents", now=told.clock()) as mine:
        if mine:
            cost = books.bonus_cost(cents, submission.hit)
            books.spend(intent, cost, kind=LedgerEntry.Kind.BONUS, now=told.clock(), **_evidence(submission))


def grant(intent: Intent, told: Context) -> None:
    """Give a qualification; again, it changes nothing."""
    told.market.grant(intent.details["type"], _external(intent.subject), int(intent.details.get("value", 1)))
    with outbox.outcome(intent, "granted", now=told.clock()):
        pass


def revoke(intent: Intent, told: Context) -> None:
    """Take a qualification back; again, it changes nothing. Of somebody whom the vault forgot nothing can be told."""
    known = WorkerIdentity.objects.filter(worker=intent.subject).values_list("external_id", flat=True).first()
    if known is not None:
        told.market.revoke(intent.details["type"], known)
    with outbox.outcome(intent, "revoked" if known else "forgotten", now=told.clock()):
        pass


def block(intent: Intent, told: Context) -> None:
    """Keep somebody out of all HITs; again, it changes nothing."""
    told.market.block(_external(intent.subject), reason=intent.details["reason"])
    with outbox.outcome(intent, "blocked", now=told.clock()):
        pass


def unblock(intent: Intent, told: Context) -> None:
    """Let somebody in again; again, it changes nothing."""
    told.market.unblock(_external(intent.subject))
    with outbox.outcome(intent, "let in again", now=told.clock()):
        pass


def notify(intent: Intent, told: Context) -> None:
    """Write to a worker. Marketplaces know no token for it: after a crash at this moment it may come twice."""
    told.market.notify(
        _external(intent.subject), subject=intent.details["subject"][:200], text=intent.details["text"][:4096]
    )
    with outbox.outcome(intent, "written", now=told.clock()):
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
        raise StateError("The worker's id was deleted at the end of its retention; the marketplace cannot be told.")
    return known
