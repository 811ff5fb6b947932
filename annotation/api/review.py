"""Review: the queue, one assignment, decisions with their window, a bulk of them; workers by pseudonym."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.api.auth import caller, study_for, submission_for
from annotation.api.responses import Page, Paged, RefusedError, gives, paged
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import wake
from annotation.models import Decision, Rejection, Reply, Role, Study, Submission, Worker
from annotation.outbox.decision_intents import WINDOW
from annotation.quality import evidence
from annotation.review import approve as review
from annotation.review import assignment as desk
from annotation.review import exclude, queue, reject
from annotation.review import workers as review_workers
from annotation.review.block import block, unblock
from annotation.review.notify import Notices, notify
from annotation.studies.access import may, studies_of
from annotation.workers import hold

router = Router(tags=["Review"])
SAID = r"^$|\S"  # nothing, or words
NO_WORKER = "There is no such worker in this study."


class WaitingOut(Schema):
    """Work without a decision. due: when the marketplace approves by itself; suspicion: in [0, 1], where to look."""

    assignment: str
    worker: str
    due: datetime | None
    suspicion: float
    flags: list[str]

    @staticmethod
    def resolve_assignment(one: Submission) -> str:
        return one.market_id

    @staticmethod
    def resolve_worker(one: Submission) -> str:
        return one.worker.pseudonym

    @staticmethod
    def resolve_flags(one: Submission) -> list[str]:
        return [flag.kind for flag in one.flags.all()]


class LineOut(Schema):
    """A text as judged. others: mean of the other raters, and how many; role "": one that counts."""

    number: int
    body: str
    context: str
    role: str
    label: str
    others: float | None
    raters: int
    seconds: float | None
    reasons: list[str]


class FoundOut(Schema):
    """What one filter measured. flag: beyond its threshold, of a filter that is on by default."""

    kind: str
    title: str
    value: float
    low: float | None
    high: float | None
    n: int
    flag: bool
    sentence: str

    @staticmethod
    def resolve_kind(found: evidence.Finding) -> str:
        return found.check.kind

    @staticmethod
    def resolve_title(found: evidence.Finding) -> str:
        return found.check.title


class DecisionOut(Schema):
    matter: str
    verdict: str
    reason: str
    actor: str | None
    at: datetime

    @staticmethod
    def resolve_actor(decision: Decision) -> str | None:
        return decision.actor.get_username() if decision.actor else None


class ProposalOut(Schema):
    """A proposal to refuse payment that waits for a second person, and when it was worded."""

    reason: str
    by: str
    at: datetime

    @staticmethod
    def resolve_by(proposal: Rejection) -> str:
        return proposal.proposed_by.get_username()

    @staticmethod
    def resolve_at(proposal: Rejection) -> datetime:
        return proposal.proposed_at


class ReplyOut(Schema):
    """What the worker answered. by: who wrote it down; null: the marketplace told it. heeded: when somebody read it
    and kept the rejection."""

    body: str
    by: str | None
    at: datetime
    heeded: datetime | None

    @staticmethod
    def resolve_by(told: Reply) -> str | None:
        return told.recorded_by.get_username() if told.recorded_by else None

    @staticmethod
    def resolve_heeded(told: Reply) -> datetime | None:
        return told.heeded_at


class AssignmentOut(Schema):
    """An assignment as a reviewer sees it. until: to when its payment decision can be taken back."""

    assignment: str
    worker: str
    submitted_at: datetime | None
    due: datetime | None
    until: datetime | None
    lines: list[LineOut]
    findings: list[FoundOut]
    proposal: ProposalOut | None
    decisions: list[DecisionOut]
    replies: list[ReplyOut]


class ApproveIn(Schema):
    leave_out: str = Field(
        "", max_length=500, pattern=SAID, description="Why the work is left out of the analysis; empty: it stays."
    )


class ReasonIn(Schema):
    reason: str = Field(min_length=1, max_length=500)


class ProposalIn(Schema):
    """The reason is what the worker will read."""

    reason: str = Field(min_length=reject.MIN_REASON_CHARS, max_length=reject.MAX_REASON_CHARS)


class SecondIn(Schema):
    beyond_guard: bool = Field(False, description="An owner goes on although more than 5 % would be refused.")
    read: datetime | None = Field(None, description="`at` of the proposal that was read; another one is refused.")


class ReplyIn(Schema):
    body: str = Field(min_length=1, max_length=10_000)


class BulkIn(Schema):
    """assignments: which; null: everything that waits. dry_run: say what would be done, and change nothing.
    shown: from the dry run: approve only if nothing has changed since; required for everything that waits."""

    assignments: list[str] | None = None
    leave_out: str = Field("", max_length=500, pattern=SAID)
    dry_run: bool = True
    shown: str = Field("", max_length=16)


class BulkOut(Schema):
    """decided: how many are, or would be; already: decided before; proposed: left to a second person, for somebody
    proposed to refuse payment; flagged, cents (rewards), fee_cents: of those decided; shown: a code of all this."""

    decided: int
    already: int
    proposed: int
    flagged: int
    cents: int
    fee_cents: int
    shown: str


class WorkerOut(Schema):
    pseudonym: str
    handed_in: int
    flags: int
    left_out: int
    refused: int


class HistoryOut(Schema):
    """What a worker did in the studies that you may see, and the hold that stands."""

    pseudonym: str
    submissions: int
    approved: int
    refused: int
    left_out: int
    flags: int
    held_until: date | None
    held_reason: str
    blocked: bool


class HoldIn(Schema):
    reason: str = Field(min_length=1, max_length=500)
    until: date


class NoticeIn(Schema):
    """workers: pseudonyms; null: everybody of the study."""

    subject: str
    text: str
    workers: list[str] | None = None


class NoticesOut(Schema):
    """People who are written to now, who have these words already, and whose work is not decided on yet."""

    people: int
    already: int
    undecided: int


@router.get("/studies/{study}/review", response=gives(Paged[WaitingOut]), summary="What waits for a decision")
def show_queue(
    request: HttpRequest,
    study: UUID,
    page: Query[Page],
    flag: str = "",
    state: Literal["", "proposed", "answered"] = "",
) -> dict[str, Any]:
    """The most urgent first, among them the most suspicious. state `proposed`: what waits for a second person;
    `answered`: refused work whose worker answered, as the answers came."""
    return paged(
        desk.select_queue(study_for(request, study, Role.REVIEWER), now=timezone.now(), kind=flag, state=state), page
    )


@router.get("/studies/{study}/assignments/{assignment}", response=gives(AssignmentOut), summary="One assignment")
def show_assignment(request: HttpRequest, study: UUID, assignment: str) -> dict[str, Any]:
    found, one = submission_for(request, study, assignment)
    waits = queue.waits(one, now=timezone.now())
    return {
        "assignment": one.market_id,
        "worker": one.worker.pseudonym,
        "submitted_at": one.submitted_at,
        "due": queue.due_at(found, one),
        "until": waits.not_before if waits else None,
        "lines": desk.lines(one),
        "findings": evidence.findings(one),
        "proposal": desk.open_proposal(one),
        "decisions": one.decisions.select_related("actor").order_by("matter"),
        "replies": one.replies.select_related("recorded_by").order_by("at"),
    }


def _rows(one: Submission) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=one.pk)


@router.post("/studies/{study}/assignments/{assignment}/approve", response=gives(None, 204), summary="Approve payment")
def approve(request: HttpRequest, study: UUID, assignment: str, given: ApproveIn) -> Status[None]:
    """It can be taken back for ten minutes."""
    found, one = submission_for(request, study, assignment)
    who = {"actor": caller(request), "now": timezone.now()}
    how = {"window": WINDOW, "leave_out": given.leave_out.strip(), "individually": True}
    done = review.approve(found, _rows(one), **how, **who)  # type: ignore[arg-type]
    if not done.decided:
        raise RefusedError(409, "Payment of this assignment has been decided.", code="state")
    return Status(204, None)


@router.post("/studies/{study}/assignments/{assignment}/undo", response=gives(None, 204), summary="Take it back")
def undo(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    review.undo_decisions(found, _rows(one), actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/proposal", response=gives(None, 204), summary="Propose to refuse payment"
)
def propose(request: HttpRequest, study: UUID, assignment: str, given: ProposalIn) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    reject.propose_rejection(found, one, reason=given.reason, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.delete(
    "/studies/{study}/assignments/{assignment}/proposal", response=gives(None, 204), summary="Drop such a proposal"
)
def drop_proposal(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    reject.withdraw_proposal(found, one, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/second", response=gives(None, 204), summary="Agree, as a second person"
)
def second(request: HttpRequest, study: UUID, assignment: str, given: SecondIn) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    if given.beyond_guard and not may(found, Role.OWNER):
        raise HttpError(403, "Only an owner goes beyond the guard.")
    told = {"beyond_guard": given.beyond_guard, "read": given.read}
    reject.confirm_rejection(found, one, actor=caller(request), now=timezone.now(), **told)  # type: ignore[arg-type]
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/overturn", response=gives(None, 204), summary="Approve what was rejected"
)
def overturn(request: HttpRequest, study: UUID, assignment: str, given: ReasonIn) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    reject.reverse_rejection(found, one, reason=given.reason, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/replies", response=gives(None, 204), summary="Note a worker's reply"
)
def add_reply(request: HttpRequest, study: UUID, assignment: str, given: ReplyIn) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    reject.record_reply(found, one, body=given.body, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post("/studies/{study}/assignments/{assignment}/uphold", response=gives(None, 204), summary="Keep a rejection")
def uphold(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    """After the worker's answer has been read."""
    found, one = submission_for(request, study, assignment)
    reject.uphold_rejection(found, one, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.put(
    "/studies/{study}/assignments/{assignment}/exclusion",
    response=gives(None, 204),
    summary="Leave out of the analysis",
)
def leave_out(request: HttpRequest, study: UUID, assignment: str, given: ReasonIn) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    exclude.exclude_submissions(found, _rows(one), reason=given.reason, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/assignments/{assignment}/exclusion", response=gives(None, 204), summary="Take back in")
def take_back_in(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    found, one = submission_for(request, study, assignment)
    exclude.include_submissions(found, _rows(one), actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post("/studies/{study}/approvals", response=gives(BulkOut), summary="Approve many at once")
def approve_many(request: HttpRequest, study: UUID, given: BulkIn) -> dict[str, int | str]:
    """They can be taken back for ten minutes."""
    found = study_for(request, study, Role.REVIEWER)
    rows = Submission.objects.filter(hit__study=found)
    rows = rows if given.assignments is None else rows.filter(market_id__in=given.assignments)
    seen = desk.preview_of(found, rows)
    told: dict[str, int | str] = {
        "flagged": seen.flagged,
        "cents": seen.cents,
        "fee_cents": seen.fee_cents,
        "shown": seen.shown,
    }
    if given.dry_run:
        return {"decided": len(seen.submissions), "already": seen.already, "proposed": seen.proposed, **told}
    if given.assignments is None and not given.shown:
        raise StateError("To approve everything that waits, send `shown` from a dry run.").at("shown")
    done = review.approve(
        found, rows, actor=caller(request), now=timezone.now(), window=WINDOW, leave_out=given.leave_out.strip(),
        shown=given.shown,
    )  # fmt: skip
    return {"decided": done.decided, "already": done.already, "proposed": done.proposed, **told}


@router.get("/studies/{study}/workers", response=gives(Paged[WorkerOut]), summary="Workers, by pseudonym")
def list_workers(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(review_workers.worker_lines(study_for(request, study, Role.REVIEWER)), page)


@router.get("/studies/{study}/workers/{pseudonym}", response=gives(HistoryOut), summary="What a worker did")
def show_worker(request: HttpRequest, study: UUID, pseudonym: str) -> dict[str, Any]:
    worker = _worker(study_for(request, study, Role.REVIEWER), pseudonym)
    told, held = (
        desk.history(worker, studies_of(caller(request))),
        review_workers.open_hold(worker, today=timezone.now().date()),
    )
    counts = {name: getattr(told, name) for name in ("submissions", "approved", "refused", "left_out", "flags")}
    until, reason = (held.until, held.reason) if held else (None, "")
    kept_out = {"held_until": until, "held_reason": reason, "blocked": bool(review_workers.blocked(worker))}
    return {"pseudonym": worker.pseudonym, **counts, **kept_out}


@router.put("/studies/{study}/workers/{pseudonym}/hold", response=gives(None, 204), summary="Hold out of new studies")
def put_hold(request: HttpRequest, study: UUID, pseudonym: str, given: HoldIn) -> Status[None]:
    found, actor, now = study_for(request, study, Role.EDITOR), caller(request), timezone.now()
    hold.hold(_worker(found, pseudonym), reason=given.reason, until=given.until, actor=actor, now=now, study=found)
    return Status(204, None)


@router.delete("/studies/{study}/workers/{pseudonym}/hold", response=gives(None, 204), summary="End a hold")
def lift_hold(request: HttpRequest, study: UUID, pseudonym: str) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    hold.lift(_worker(found, pseudonym), actor=caller(request), now=timezone.now(), study=found)
    return Status(204, None)


@router.put("/studies/{study}/workers/{pseudonym}/block", response=gives(None, 204), summary="Block: the last means")
def put_block(request: HttpRequest, study: UUID, pseudonym: str, given: ReasonIn) -> Status[None]:
    """Out of all HITs of the account, until it is lifted. A hold is usually enough."""
    found, actor = study_for(request, study, Role.OWNER), caller(request).get_username()
    block(found, _worker(found, pseudonym), reason=given.reason, actor=actor, now=timezone.now())
    wake(found.pk)
    return Status(204, None)


@router.delete("/studies/{study}/workers/{pseudonym}/block", response=gives(None, 204), summary="End a block")
def lift_block(request: HttpRequest, study: UUID, pseudonym: str) -> Status[None]:
    found, actor = study_for(request, study, Role.OWNER), caller(request).get_username()
    unblock(found, _worker(found, pseudonym), actor=actor, now=timezone.now())
    wake(found.pk)
    return Status(204, None)


@router.post("/studies/{study}/notices", response=gives(NoticesOut), summary="Write to workers")
def post_notice(request: HttpRequest, study: UUID, given: NoticeIn) -> Notices:
    """Only to people whose work was approved or rejected: marketplaces take no other. The same words come once."""
    found = study_for(request, study, Role.EDITOR)
    named = None if given.workers is None else review_workers.workers_by_pseudonym(found, given.workers)
    if named is not None and set(given.workers or ()) - set(named):
        raise HttpError(404, NO_WORKER)
    workers = None if named is None else list(named.values())
    words = {"subject": given.subject, "text": given.text}
    told = notify(found, **words, actor=caller(request).get_username(), now=timezone.now(), workers=workers)
    wake(found.pk)
    return told


def _worker(study: Study, pseudonym: str) -> Worker:
    found = review_workers.worker(study, pseudonym)
    if found is None:
        raise HttpError(404, NO_WORKER)
    return found
