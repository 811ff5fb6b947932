"""Publish, follow, pause and end a study; marketplace actions; hourly pay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status

from annotation import settings as conf
from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, RefusedError, gives, paged
from annotation.collecting import reconcile
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import ask, wake
from annotation.models import Job, Role, Study
from annotation.mturk.client import Market
from annotation.outbox.retry import drop, retry
from annotation.pricing.wages import floor_for
from annotation.publishing import preflight_result, progress, summary
from annotation.publishing.end import close, expire_now
from annotation.publishing.pause import pause, resume
from annotation.publishing.preflight import afford
from annotation.publishing.preflight_result import Preflight
from annotation.publishing.publish import Publication, publish
from annotation.publishing.top_up import MAX_RATERS, declare_width, keep_topped_up, top_up
from annotation.review import deadlines, wages
from annotation.review.fair_pay import raise_pay

router = Router(tags=["Running"])
SOON = timedelta(hours=24)


class FindingOut(Schema):
    """error: publishing would fail or harm; warning: a person should know."""

    level: str
    rule: str
    sentence: str


class PreflightOut(Schema):
    """Result of the check. total_cents: the maximum cost of publishing, which `publish` requires as confirmation."""

    findings: list[FindingOut]
    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    total_cents: int


class PublishIn(Schema):
    """confirm_cents: the total of the check: what may be spent."""

    confirm_cents: int = Field(ge=0)
    by_invitation: bool = False
    wave: bool = Field(
        False, description="Only the next condition, if the marketplace cannot restrict workers to one condition."
    )


class PublicationOut(Schema):
    """HITs that will be created; already: queued before."""

    intended: int
    already: int
    reserved_cents: int


class DueOut(Schema):
    """Submissions without a decision, those with auto-approval within a day, and the first time of auto-approval."""

    waiting: int
    soon: int
    first: datetime | None


class ProgressOut(Schema):
    """inside: assignments in progress; free: available places; judged: judgments; effects: marketplace actions."""

    status: str
    hits: int
    published: int
    places: int
    collected: int
    inside: int
    free: int
    judged: int
    submitted: int
    approved: int
    rejected: int
    to_review: int
    unread: int
    workers: int
    waiting_effects: int
    failed_effects: int
    problem: str
    spent_cents: int
    reserved_cents: int
    budget_cents: int | None
    published_at: datetime | None
    expires_at: datetime | None
    due: DueOut


class EffectsOut(Schema):
    """Marketplace actions of one kind; reason: why the last one failed."""

    kind: str
    done: int
    waiting: int
    failed: int
    reason: str


class Act(StrEnum):
    """pause, resume; expire: stop recruitment; close: end the study; top-up: request missing ratings; retry, drop:
    failed marketplace actions; go-on: carry out pending actions."""

    PAUSE = "pause"
    RESUME = "resume"
    EXPIRE = "expire"
    CLOSE = "close"
    TOP_UP = "top-up"
    RETRY = "retry"
    DROP = "drop"
    GO_ON = "go-on"


class ActOut(Schema):
    """The status of the study afterwards, and counts of what was done."""

    status: str
    done: dict[str, int]


class RuleIn(Schema):
    """Continue until the 95% interval of each text is at most `width`, with at most `most` raters."""

    width: float = Field(gt=0, allow_inf_nan=False)
    most: int = Field(ge=1, le=MAX_RATERS)


class SwitchIn(Schema):
    on: bool


class WageLine(Schema):
    """Median pay of an arm (cents per hour), and the cents per submission missing to the minimum."""

    name: str
    n: int
    median_seconds: float
    reward_cents: int
    wage_cents: int
    lacking_cents: int


class FloorIn(Schema):
    floor_cents: int | None = Field(
        None, ge=0, le=100_000_000, description="Minimum pay per hour; null: the study's, else 15 dollars."
    )


def _floor(study: Study, floor_cents: int | None) -> int | None:
    return floor_for(study.floor_cents if floor_cents is None else floor_cents, study.currency)


class RaiseOut(Schema):
    bonuses: int
    cents: int
    reserved_cents: int


class DifferenceOut(Schema):
    """One difference from the marketplace, its reason, and the safe fix. hit: from 1; null for a ghost."""

    hit: int | None
    market_id: str
    ours: str
    theirs: str
    reason: str
    mend: str


class ComparisonOut(Schema):
    ours: int
    theirs: int
    differences: list[DifferenceOut]


class GhostIn(Schema):
    market_id: str = Field(min_length=1, max_length=64)


class CountOut(Schema):
    count: int


@router.post("/studies/{study}/preflight", response=gives(JobOut, 202), summary="Check the study before publishing")
def check(request: HttpRequest, study: UUID) -> Status[Job]:
    """Renders every page, fills it in, parses the answers, and queries the marketplace."""
    study_row = study_for(request, study, Role.EDITOR)
    options = preflight_result.state_of(study_row, endpoint=conf.endpoint().url)
    job = ask(Job.Kind.PREFLIGHT, by=caller(request), now=timezone.now(), study=study_row, settings=options)
    return Status(202, job)


@router.get("/studies/{study}/preflight", response=gives(PreflightOut), summary="Result of the check, with the cost")
def show_check(request: HttpRequest, study: UUID) -> Preflight:
    """Of the study as it is now. After a change, check again."""
    return _checked(study_for(request, study))


def _checked(study: Study) -> Preflight:
    result = preflight_result.passed(study, endpoint=conf.endpoint().url, now=timezone.now())
    if result is None:
        raise StateError("This version of the study has not been checked, or its check is still running.")
    return result


@router.post(
    "/studies/{study}/publish", response=gives(PublicationOut, 202), summary="Publish, with the maximum cost confirmed"
)
def publish_study(request: HttpRequest, study: UUID, body: PublishIn) -> Status[Publication]:
    study_row = study_for(request, study, Role.OWNER)
    checked = _checked(study_row)
    by_invitation = body.by_invitation
    if errors := checked.stopping(by_invitation=by_invitation) or afford(
        study_row, endpoint=conf.endpoint(), by_invitation=by_invitation
    ):
        raise StateError(f"Nothing was published: {errors[0].sentence}")
    if body.confirm_cents != checked.total_cents:
        rule = f"The study costs up to {checked.total_cents} cents. Confirm this sum."
        raise RefusedError(409, f"Nothing was published. {rule}", code="budget", errors={"confirm_cents": rule})
    done = publish(
        study_row, actor=caller(request).get_username(), now=timezone.now(), by_invitation=body.by_invitation,
        wave=body.wave,
    )  # fmt: skip
    wake(study_row.pk)
    return Status(202, done)


@router.get("/studies/{study}/progress", response=gives(ProgressOut), summary="Progress of the study")
def show_progress(request: HttpRequest, study: UUID) -> dict[str, Any]:
    study_row = study_for(request, study)
    work = summary.work(study_row)
    due = deadlines.deadlines(study_row, now=timezone.now(), within=SOON)
    counts = {**asdict(progress.progress(study_row)), **asdict(work), "to_review": work.to_review, "due": asdict(due)}
    return {**counts, "status": study_row.status}


@router.get("/studies/{study}/effects", response=gives(Paged[EffectsOut]), summary="Marketplace actions")
def list_effects(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(progress.effects(study_for(request, study)), page)


def _go_on(study: Study, *, actor: str, now: datetime) -> None:
    """Nothing is decided: the loop is woken."""


ACTS: dict[Act, Callable[..., Any]] = {
    Act.PAUSE: pause, Act.RESUME: resume, Act.EXPIRE: expire_now, Act.CLOSE: close, Act.TOP_UP: top_up,
    Act.RETRY: retry, Act.DROP: drop, Act.GO_ON: _go_on,
}  # fmt: skip


@router.post(
    "/studies/{study}/acts/{act}", response=gives(ActOut), summary="Pause, resume, expire, close, top up, retry"
)
def do_act(request: HttpRequest, study: UUID, act: Act) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    done = ACTS[act](study_row, actor=caller(request).get_username(), now=timezone.now())
    wake(study_row.pk)
    study_row.refresh_from_db()
    return {"status": study_row.status, "done": asdict(done) if done is not None else {}}


@router.put("/studies/{study}/stopping-rule", response=gives(None, 204), summary="Set the stopping rule of top-ups")
def put_rule(request: HttpRequest, study: UUID, body: RuleIn) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    declare_width(
        study_row, width=body.width, max_raters=body.most, actor=caller(request).get_username(), now=timezone.now()
    )  # fmt: skip
    return Status(204, None)


@router.put("/studies/{study}/keep-topped-up", response=gives(None, 204), summary="Turn automatic top-ups on or off")
def put_top_up(request: HttpRequest, study: UUID, body: SwitchIn) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    keep_topped_up(study_row, on=body.on, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.get("/studies/{study}/pay", response=gives(Paged[WageLine]), summary="Hourly pay of each arm")
def show_pay(request: HttpRequest, study: UUID, page: Query[Page], floor_cents: int | None = None) -> dict[str, Any]:
    study_row = study_for(request, study)
    return paged(wages.arm_wages(study_row, floor_cents=_floor(study_row, floor_cents)), page)


@router.post(
    "/studies/{study}/pay", response=gives(RaiseOut), summary="Raise the pay of every arm to a minimum by bonuses"
)
def pay_difference(request: HttpRequest, study: UUID, body: FloorIn) -> Any:
    study_row = study_for(request, study, Role.OWNER)
    done = raise_pay(
        study_row,
        floor_cents=_floor(study_row, body.floor_cents),
        actor=caller(request).get_username(),
        now=timezone.now(),
    )
    wake(study_row.pk)
    return done


@router.get("/studies/{study}/comparison", response=gives(ComparisonOut), summary="Differences from the marketplace")
def show_comparison(request: HttpRequest, study: UUID) -> Any:
    return reconcile.compare(study_for(request, study), market=Market(conf.endpoint()))


@router.post("/studies/{study}/comparison/adopt", response=gives(CountOut), summary="Store the ids of lost HITs")
def adopt(request: HttpRequest, study: UUID) -> dict[str, int]:
    study_row = study_for(request, study, Role.EDITOR)
    market = Market(conf.endpoint())
    return {
        "count": reconcile.adopt(study_row, market=market, actor=caller(request).get_username(), now=timezone.now())
    }


@router.post("/studies/{study}/comparison/write-off", response=gives(CountOut), summary="Mark absent HITs as deleted")
def write_off(request: HttpRequest, study: UUID) -> dict[str, int]:
    study_row = study_for(request, study, Role.EDITOR)
    market, who = Market(conf.endpoint()), caller(request).get_username()
    return {"count": reconcile.write_off(study_row, market=market, actor=who, now=timezone.now())}


@router.post(
    "/studies/{study}/comparison/ghosts", response=gives(None, 204), summary="Expire a HIT that belongs to no study"
)
def close_ghost(request: HttpRequest, study: UUID, body: GhostIn) -> Status[None]:
    study_row = study_for(request, study, Role.EDITOR)
    market, who = Market(conf.endpoint()), caller(request).get_username()
    reconcile.close_ghost(study_row, body.market_id, market=market, actor=who, now=timezone.now())
    wake(study_row.pk)
    return Status(204, None)


@router.post("/studies/{study}/crowd", response=gives(JobOut, 202), summary="Run simulated raters (rehearsals)")
def call_crowd(request: HttpRequest, study: UUID) -> Status[Job]:
    study_row = study_for(request, study, Role.EDITOR)
    if study_row.mode != Study.Mode.REHEARSAL or study_row.status != Study.Status.PUBLISHED:
        raise StateError("Simulated raters work only on a published rehearsal.")
    return Status(202, ask(Job.Kind.CROWD, by=caller(request), now=timezone.now(), study=study_row))
