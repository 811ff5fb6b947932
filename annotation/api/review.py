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
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, RefusedError, gives, paged
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import ask, wake
from annotation.models import Decision, Job, Rejection, Reply, Role, Study, Submission, Worker
from annotation.mturk.client import Market
from annotation.mturk.prolific import CATEGORIES
from annotation.outbox.decision_intents import WINDOW
from annotation.quality import evidence
from annotation.review import approve as review
from annotation.review import assignment as review_assignment
from annotation.review import decide_person, exclude, queue, reject
from annotation.review import people as review_people
from annotation.review import workers as review_workers
from annotation.review.block import block, unblock
from annotation.review.notify import Notices, notify
from annotation.review.prolific_work import MAX_REASON_CHARS, ask_to_return, category_for
from annotation.settings import endpoint
from annotation.studies.access import may, studies_of
from annotation.workers import hold

router = Router(tags=["Review"])
EMPTY_OR_WORDS = r"^$|\S"  # nothing, or words
NO_WORKER = "There is no such worker in this study."


class WaitingOut(Schema):
    """A submission without a decision. due: time of auto-approval; suspicion: in [0, 1], for sorting."""

    assignment: str
    worker: str
    due: datetime | None
    suspicion: float
    flags: list[str]

    @staticmethod
    def resolve_assignment(submission: Submission) -> str:
        return submission.market_id

    @staticmethod
    def resolve_worker(submission: Submission) -> str:
        return submission.worker.pseudonym

    @staticmethod
    def resolve_flags(submission: Submission) -> list[str]:
        return [flag.kind for flag in submission.flags.all()]


class LineOut(Schema):
    """A text as judged. others: mean of the other raters, and how many; role "": an ordinary text."""

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
    """The result of one quality check. flag: beyond its threshold, and the check is on by default."""

    kind: str
    title: str
    value: float
    low: float | None
    high: float | None
    n: int
    flag: bool
    sentence: str

    @staticmethod
    def resolve_kind(finding: evidence.Finding) -> str:
        return finding.check.kind

    @staticmethod
    def resolve_title(finding: evidence.Finding) -> str:
        return finding.check.title


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
    """A proposed rejection that waits for a second reviewer. at: when its reason was written."""

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
    """A worker's reply. by: who entered it; null: it came from the marketplace. heeded: when a reviewer read it and
    upheld the rejection."""

    body: str
    by: str | None
    at: datetime
    heeded: datetime | None

    @staticmethod
    def resolve_by(reply: Reply) -> str | None:
        return reply.recorded_by.get_username() if reply.recorded_by else None

    @staticmethod
    def resolve_heeded(reply: Reply) -> datetime | None:
        return reply.heeded_at


class AssignmentOut(Schema):
    """An assignment as a reviewer sees it. until: to when its payment decision can be undone."""

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
        "",
        max_length=500,
        pattern=EMPTY_OR_WORDS,
        description="Reason to exclude the submission from the analysis; empty: include it.",
    )


class ReasonIn(Schema):
    reason: str = Field(min_length=1, max_length=500)


class ProposalIn(Schema):
    """reason: the worker reads it. category: Prolific's, for a person who came from there; they also need a reason of
    100 characters."""

    category: Literal[CATEGORIES] | None = None  # type: ignore[valid-type]
    reason: str = Field(min_length=reject.MIN_REASON_CHARS, max_length=reject.MAX_REASON_CHARS)


class ReturnIn(Schema):
    """reason: Prolific puts it into a message to the participant."""

    reason: str = Field(min_length=1, max_length=MAX_REASON_CHARS)


class SecondIn(Schema):
    beyond_guard: bool = Field(False, description="An owner overrides the rejection limit of 5%.")
    read: datetime | None = Field(
        None, description="`at` of the proposal that was read; an error if the proposal has changed."
    )


class ReplyIn(Schema):
    body: str = Field(min_length=1, max_length=10_000)


class BulkIn(Schema):
    """assignments: which; null: all undecided ones. dry_run: show what would be done; change nothing.
    shown: from the dry run: approve only if nothing has changed since; required for all undecided ones."""

    assignments: list[str] | None = None
    leave_out: str = Field("", max_length=500, pattern=EMPTY_OR_WORDS)
    dry_run: bool = True
    shown: str = Field("", max_length=16)


class BulkOut(Schema):
    """decided: how many are, or would be; already: decided before; proposed: need a second reviewer (rejection
    proposed); flagged, cents (rewards), fee_cents: of those decided; shown: a code of all this."""

    decided: int
    already: int
    proposed: int
    flagged: int
    cents: int
    fee_cents: int
    shown: str


class WaitingPersonOut(Schema):
    """A worker with submissions without a decision. due: the first auto-approval; chance: of bad work, null where no
    check has run; suspicion: in [0, 1], for sorting; reason: the main evidence."""

    pseudonym: str
    submissions: int
    due: datetime | None
    chance: float | None
    suspicion: float
    reason: str
    assignments: list[str]

    @staticmethod
    def resolve_assignments(person: review_people.WaitingPerson) -> list[str]:
        return [submission.market_id or "" for submission in person.assignments]


class PersonDecisionIn(Schema):
    """reason: for `exclude` (up to 500 characters) and `propose_rejection` (20 to 1024, the worker reads it)."""

    action: Literal["keep", "exclude", "propose_rejection"]
    reason: str = Field("", max_length=1024)


class PersonDecidedOut(Schema):
    submissions: int


class PersonUndoneOut(Schema):
    worker: str
    submissions: int


class WorkerOut(Schema):
    pseudonym: str
    handed_in: int
    flags: int
    left_out: int
    refused: int


class HistoryOut(Schema):
    """A worker in the studies that you may see; the current exclusion from future studies, and block."""

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
    """workers: pseudonyms; null: all workers of the study."""

    subject: str
    text: str
    workers: list[str] | None = None


class NoticesOut(Schema):
    """Workers who get the message now, who already have it, and whose submissions are not decided yet."""

    people: int
    already: int
    undecided: int


@router.get("/studies/{study}/review", response=gives(Paged[WaitingOut]), summary="Review queue")
def show_queue(
    request: HttpRequest,
    study: UUID,
    page: Query[Page],
    flag: str = "",
    state: Literal["", "proposed", "answered"] = "",
) -> dict[str, Any]:
    """By urgency, then by suspicion. state `proposed`: needs a second reviewer; `answered`: rejected submissions whose
    worker replied, in the order of the replies."""
    return paged(
        review_assignment.select_queue(
            study_for(request, study, Role.REVIEWER), now=timezone.now(), kind=flag, state=state
        ),
        page,
    )


@router.get("/studies/{study}/review/people", response=gives(Paged[WaitingPersonOut]), summary="Review queue by worker")
def show_people(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    """Workers with submissions that wait for a first decision: by urgency, then by how likely bad work is."""
    row = study_for(request, study, Role.REVIEWER)
    listed = paged(review_people.waiting_people(row, now=timezone.now()), page)
    return {**listed, "items": review_people.people_rows(row, list(listed["items"]))}


@router.post(
    "/studies/{study}/review/people/{pseudonym}/decision", response=gives(PersonDecidedOut), summary="Decide a worker"
)
def decide_about_person(request: HttpRequest, study: UUID, pseudonym: str, body: PersonDecisionIn) -> dict[str, int]:
    """On all submissions of the worker that wait. `keep` and `exclude` pay; `propose_rejection` needs a second
    reviewer. What is paid can be undone for ten minutes."""
    row, now = study_for(request, study, Role.REVIEWER), timezone.now()
    worker, actor, reason = _worker(row, pseudonym), caller(request), body.reason.strip()
    if body.action == "propose_rejection":
        return {"submissions": decide_person.propose_rejections(row, worker, reason=reason, actor=actor, now=now)}
    if body.action == "exclude" and not reason:
        raise StateError("Enter a reason for the exclusion.").at("reason")
    exclude_for = reason if body.action == "exclude" else ""
    done = decide_person.pay_person(row, worker, actor=actor, now=now, exclude=exclude_for)
    return {"submissions": done.decided}


@router.post("/studies/{study}/review/people/undo", response=gives(PersonUndoneOut), summary="Undo the last decision")
def undo_about_person(request: HttpRequest, study: UUID) -> dict[str, int | str]:
    """Your latest decision about a worker, or your latest proposal, on all submissions that it concerned."""
    row = study_for(request, study, Role.REVIEWER)
    done = decide_person.undo_last_action(row, actor=caller(request), now=timezone.now())
    return {"worker": done.worker.pseudonym, "submissions": done.submissions}


@router.get("/studies/{study}/assignments/{assignment}", response=gives(AssignmentOut), summary="One assignment")
def show_assignment(request: HttpRequest, study: UUID, assignment: str) -> dict[str, Any]:
    study_row, submission = submission_for(request, study, assignment)
    waits = queue.waits(submission, now=timezone.now())
    return {
        "assignment": submission.market_id,
        "worker": submission.worker.pseudonym,
        "submitted_at": submission.submitted_at,
        "due": queue.due_at(study_row, submission),
        "until": waits.not_before if waits else None,
        "lines": review_assignment.lines(submission),
        "findings": evidence.findings(submission),
        "proposal": review_assignment.open_proposal(submission),
        "decisions": submission.decisions.select_related("actor").order_by("matter"),
        "replies": submission.replies.select_related("recorded_by").order_by("at"),
    }


def _rows(submission: Submission) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=submission.pk)


@router.post("/studies/{study}/assignments/{assignment}/approve", response=gives(None, 204), summary="Approve payment")
def approve(request: HttpRequest, study: UUID, assignment: str, body: ApproveIn) -> Status[None]:
    """You can undo it for ten minutes."""
    study_row, submission = submission_for(request, study, assignment)
    who = {"actor": caller(request), "now": timezone.now()}
    how = {"window": WINDOW, "leave_out": body.leave_out.strip(), "individually": True}
    done = review.approve(study_row, _rows(submission), **how, **who)  # type: ignore[arg-type]
    if not done.decided:
        raise RefusedError(409, "Payment of this assignment has been decided.", code="state")
    return Status(204, None)


@router.post("/studies/{study}/assignments/{assignment}/undo", response=gives(None, 204), summary="Undo an approval")
def undo(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    review.undo_decisions(study_row, _rows(submission), actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/proposal", response=gives(None, 204), summary="Propose a rejection"
)
def propose(request: HttpRequest, study: UUID, assignment: str, body: ProposalIn) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    category = category_for(study_row, submission, Market(endpoint()), body.category or "")
    who = {"actor": caller(request), "now": timezone.now()}
    reject.propose_rejection(study_row, submission, reason=body.reason, category=category, **who)  # type: ignore[arg-type]
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/return-request",
    response=gives(None, 204),
    summary="Ask a person from Prolific to return",
)
def request_return(request: HttpRequest, study: UUID, assignment: str, body: ReturnIn) -> Status[None]:
    """The person decides, and is not paid after returning."""
    study_row, submission = submission_for(request, study, assignment)
    actor, market = caller(request).get_username(), Market(endpoint())
    ask_to_return(study_row, submission, reason=body.reason, market=market, actor=actor, now=timezone.now())
    return Status(204, None)


@router.delete(
    "/studies/{study}/assignments/{assignment}/proposal",
    response=gives(None, 204),
    summary="Withdraw a proposed rejection",
)
def drop_proposal(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    reject.withdraw_proposal(study_row, submission, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/second",
    response=gives(None, 204),
    summary="Confirm a proposed rejection",
)
def second(request: HttpRequest, study: UUID, assignment: str, body: SecondIn) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    if body.beyond_guard and not may(study_row, Role.OWNER):
        raise HttpError(403, "Only an owner can override the rejection limit.")
    how = {"beyond_guard": body.beyond_guard, "read": body.read}
    reject.confirm_rejection(study_row, submission, actor=caller(request), now=timezone.now(), **how)  # type: ignore[arg-type]
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/overturn", response=gives(None, 204), summary="Reverse a rejection"
)
def overturn(request: HttpRequest, study: UUID, assignment: str, body: ReasonIn) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    reject.reverse_rejection(study_row, submission, reason=body.reason, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/replies", response=gives(None, 204), summary="Store a worker's reply"
)
def add_reply(request: HttpRequest, study: UUID, assignment: str, body: ReplyIn) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    reject.record_reply(study_row, submission, body=body.body, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/assignments/{assignment}/uphold", response=gives(None, 204), summary="Uphold a rejection"
)
def uphold(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    """After you have read the worker's reply."""
    study_row, submission = submission_for(request, study, assignment)
    reject.uphold_rejection(study_row, submission, actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.put(
    "/studies/{study}/assignments/{assignment}/exclusion",
    response=gives(None, 204),
    summary="Exclude from the analysis",
)
def leave_out(request: HttpRequest, study: UUID, assignment: str, body: ReasonIn) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    exclude.exclude_submissions(
        study_row, _rows(submission), reason=body.reason, actor=caller(request), now=timezone.now()
    )
    return Status(204, None)


@router.delete(
    "/studies/{study}/assignments/{assignment}/exclusion", response=gives(None, 204), summary="Include in the analysis"
)
def take_back_in(request: HttpRequest, study: UUID, assignment: str) -> Status[None]:
    study_row, submission = submission_for(request, study, assignment)
    exclude.include_submissions(study_row, _rows(submission), actor=caller(request), now=timezone.now())
    return Status(204, None)


@router.post(
    "/studies/{study}/approvals",
    response={**gives(BulkOut), 202: JobOut},
    summary="Approve several assignments",
)
def approve_many(request: HttpRequest, study: UUID, body: BulkIn) -> Any:
    """You can undo them for ten minutes. More than 2,000 are approved by a job, which is the answer then (202)."""
    study_row = study_for(request, study, Role.REVIEWER)
    rows = Submission.objects.filter(hit__study=study_row)
    rows = rows if body.assignments is None else rows.filter(market_id__in=body.assignments)
    if not body.dry_run and body.assignments is None and not body.shown:
        raise StateError("To approve all undecided assignments, send `shown` from a dry run.").at("shown")
    if not body.dry_run and review.takes_long(study_row, rows):
        request_settings = {
            "assignments": body.assignments,
            "leave_out": body.leave_out.strip(),
            "shown": body.shown,
        }
        by, now = caller(request), timezone.now()
        return Status(202, ask(Job.Kind.APPROVE, by=by, now=now, study=study_row, settings=request_settings))
    seen = review_assignment.preview_of(study_row, rows)
    sums: dict[str, int | str] = {
        "flagged": seen.flagged,
        "cents": seen.cents,
        "fee_cents": seen.fee_cents,
        "shown": seen.shown,
    }
    if body.dry_run:
        return {"decided": len(seen.submissions), "already": seen.already, "proposed": seen.proposed, **sums}
    done = review.approve(
        study_row, rows, actor=caller(request), now=timezone.now(), window=WINDOW, leave_out=body.leave_out.strip(),
        shown=body.shown,
    )  # fmt: skip
    return {"decided": done.decided, "already": done.already, "proposed": done.proposed, **sums}


@router.get("/studies/{study}/workers", response=gives(Paged[WorkerOut]), summary="Workers, by pseudonym")
def list_workers(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(review_workers.worker_lines(study_for(request, study, Role.REVIEWER)), page)


@router.get("/studies/{study}/workers/{pseudonym}", response=gives(HistoryOut), summary="A worker's history")
def show_worker(request: HttpRequest, study: UUID, pseudonym: str) -> dict[str, Any]:
    worker = _worker(study_for(request, study, Role.REVIEWER), pseudonym)
    history, held = (
        review_assignment.history(worker, studies_of(caller(request))),
        review_workers.open_hold(worker, today=timezone.now().date()),
    )
    counts = {name: getattr(history, name) for name in ("submissions", "approved", "refused", "left_out", "flags")}
    until, reason = (held.until, held.reason) if held else (None, "")
    exclusions = {"held_until": until, "held_reason": reason, "blocked": bool(review_workers.blocked(worker))}
    return {"pseudonym": worker.pseudonym, **counts, **exclusions}


@router.put("/studies/{study}/workers/{pseudonym}/hold", response=gives(None, 204), summary="Hold out of new studies")
def put_hold(request: HttpRequest, study: UUID, pseudonym: str, body: HoldIn) -> Status[None]:
    study_row, actor, now = study_for(request, study, Role.EDITOR), caller(request), timezone.now()
    hold.hold(
        _worker(study_row, pseudonym), reason=body.reason, until=body.until, actor=actor, now=now, study=study_row
    )
    return Status(204, None)


@router.delete(
    "/studies/{study}/workers/{pseudonym}/hold",
    response=gives(None, 204),
    summary="End an exclusion from future studies",
)
def lift_hold(request: HttpRequest, study: UUID, pseudonym: str) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    hold.lift_hold(_worker(study_row, pseudonym), actor=caller(request), now=timezone.now(), study=study_row)
    return Status(204, None)


@router.put("/studies/{study}/workers/{pseudonym}/block", response=gives(None, 204), summary="Block a worker")
def put_block(request: HttpRequest, study: UUID, pseudonym: str, body: ReasonIn) -> Status[None]:
    """Blocks the worker from all HITs of the account until the block ends. Usually a hold is enough."""
    study_row, actor = study_for(request, study, Role.OWNER), caller(request).get_username()
    block(study_row, _worker(study_row, pseudonym), reason=body.reason, actor=actor, now=timezone.now())
    wake(study_row.pk)
    return Status(204, None)


@router.delete("/studies/{study}/workers/{pseudonym}/block", response=gives(None, 204), summary="End a block")
def lift_block(request: HttpRequest, study: UUID, pseudonym: str) -> Status[None]:
    study_row, actor = study_for(request, study, Role.OWNER), caller(request).get_username()
    unblock(study_row, _worker(study_row, pseudonym), actor=actor, now=timezone.now())
    wake(study_row.pk)
    return Status(204, None)


@router.post("/studies/{study}/notices", response=gives(NoticesOut), summary="Send a message to workers")
def post_notice(request: HttpRequest, study: UUID, body: NoticeIn) -> Notices:
    """Only to workers with an approved or rejected submission. The same message is sent once."""
    study_row = study_for(request, study, Role.EDITOR)
    named = None if body.workers is None else review_workers.workers_by_pseudonym(study_row, body.workers)
    if named is not None and set(body.workers or ()) - set(named):
        raise HttpError(404, NO_WORKER)
    workers = None if named is None else list(named.values())
    words = {"subject": body.subject, "text": body.text}
    notices = notify(study_row, **words, actor=caller(request).get_username(), now=timezone.now(), workers=workers)
    wake(study_row.pk)
    return notices


def _worker(study: Study, pseudonym: str) -> Worker:
    worker = review_workers.worker(study, pseudonym)
    if worker is None:
        raise HttpError(404, NO_WORKER)
    return worker
