"""Published, watched, paused, ended; what the marketplace is told; what an hour pays."""

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
from annotation.collecting import reconcile as comparing
from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import ask, wake
from annotation.models import Job, Role, Study
from annotation.mturk.client import Market
from annotation.outbox.retry import drop, retry
from annotation.pricing.wages import DEFAULT_FLOOR_CENTS
from annotation.publishing import preflight_result as prechecked
from annotation.publishing import progress as standing
from annotation.publishing import summary
from annotation.publishing.end import close, expire_now
from annotation.publishing.pause import pause, resume
from annotation.publishing.preflight import afford
from annotation.publishing.preflight_result import Preflight
from annotation.publishing.publish import Publication, publish
from annotation.publishing.top_up import MOST_RATERS, declare_width, keep_topped_up, top_up
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
    """What was found. total_cents: the most that publishing can cost, which is what `publish` asks to be confirmed."""

    findings: list[FindingOut]
    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    total_cents: int


class PublishIn(Schema):
    """confirm_cents: the total that preflight told, typed: what may be spent."""

    confirm_cents: int = Field(ge=0)
    by_invitation: bool = False
    wave: bool = Field(False, description="Only the next cell, where a marketplace does not keep people apart.")


class PublicationOut(Schema):
    """HITs that will be created; already: asked for before."""

    intended: int
    already: int
    reserved_cents: int


class DueOut(Schema):
    """Submissions without a decision, those that the clock approves within a day, and the first moment."""

    waiting: int
    soon: int
    first: datetime | None


class ProgressOut(Schema):
    """inside: people at work; free: places on offer; judged: judgments read; effects are calls of the marketplace."""

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
    """Effects of one kind; reason: why the last one failed."""

    kind: str
    done: int
    waiting: int
    failed: int
    reason: str


class Act(StrEnum):
    """pause, resume; expire: recruit nobody any more; close: end it; top-up: ask for missing ratings; retry, drop:
    effects that failed; go-on: carry out what waits."""

    PAUSE = "pause"
    RESUME = "resume"
    EXPIRE = "expire"
    CLOSE = "close"
    TOP_UP = "top-up"
    RETRY = "retry"
    DROP = "drop"
    GO_ON = "go-on"


class ActOut(Schema):
    """The state of the study afterwards, and what the act did, in numbers."""

    status: str
    done: dict[str, int]


class RuleIn(Schema):
    """Go on until each text's 95 % interval is no wider than this, with at most so many raters."""

    width: float = Field(gt=0, allow_inf_nan=False)
    most: int = Field(ge=1, le=MOST_RATERS)


class SwitchIn(Schema):
    on: bool


class WageLine(Schema):
    """What the median worker of an arm earns (cents an hour), and what a submission lacks to the floor."""

    name: str
    n: int
    median_seconds: float
    reward_cents: int
    wage_cents: int
    lacking_cents: int


class FloorIn(Schema):
    floor_cents: int = Field(DEFAULT_FLOOR_CENTS, ge=0, le=100_000, description="An hour.")


class RaiseOut(Schema):
    bonuses: int
    cents: int
    reserved_cents: int


class DifferenceOut(Schema):
    """One difference to the marketplace, its reason, and the one safe mend. hit: from 1; null for a ghost."""

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
    """Every page is rendered, filled in and read back, and the marketplace is asked."""
    found = study_for(request, study, Role.EDITOR)
    asked = prechecked.state_of(found, endpoint=conf.endpoint().url)
    job = ask(Job.Kind.PREFLIGHT, by=caller(request), now=timezone.now(), study=found, settings=asked)
    return Status(202, job)


@router.get("/studies/{study}/preflight", response=gives(PreflightOut), summary="What the check found, and the cost")
def show_check(request: HttpRequest, study: UUID) -> Preflight:
    """Of the study as it is now; a change of it makes a check stale."""
    return _checked(study_for(request, study))


def _checked(study: Study) -> Preflight:
    found = prechecked.passed(study, endpoint=conf.endpoint().url, now=timezone.now())
    if found is None:
        raise StateError("The study as it is now was not checked yet, or its check has not ended.")
    return found


@router.post("/studies/{study}/publish", response=gives(PublicationOut, 202), summary="Publish, for a sum typed")
def publish_study(request: HttpRequest, study: UUID, given: PublishIn) -> Status[Publication]:
    found = study_for(request, study, Role.OWNER)
    checked = _checked(found)
    by_invitation = given.by_invitation
    if errors := checked.stopping(by_invitation=by_invitation) or afford(
        found, endpoint=conf.endpoint(), by_invitation=by_invitation
    ):
        raise StateError(f"Nothing was published: {errors[0].sentence}")
    if given.confirm_cents != checked.total_cents:
        rule = f"The study costs up to {checked.total_cents} cents; that sum is to be confirmed."
        raise RefusedError(409, f"Nothing was published. {rule}", code="budget", errors={"confirm_cents": rule})
    done = publish(
        found, actor=caller(request).get_username(), now=timezone.now(), by_invitation=given.by_invitation,
        wave=given.wave,
    )  # fmt: skip
    wake(found.pk)
    return Status(202, done)


@router.get("/studies/{study}/progress", response=gives(ProgressOut), summary="How far the study is")
def show_progress(request: HttpRequest, study: UUID) -> dict[str, Any]:
    found = study_for(request, study)
    work = summary.work(found)
    due = deadlines.deadlines(found, now=timezone.now(), within=SOON)
    told = {**asdict(standing.progress(found)), **asdict(work), "to_review": work.to_review, "due": asdict(due)}
    return {**told, "status": found.status}


@router.get("/studies/{study}/effects", response=gives(Paged[EffectsOut]), summary="What the marketplace is told")
def list_effects(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(standing.effects(study_for(request, study)), page)


def _go_on(study: Study, *, actor: str, now: datetime) -> None:
    """Nothing is decided: the loop is woken."""


ACTS: dict[Act, Callable[..., Any]] = {
    Act.PAUSE: pause, Act.RESUME: resume, Act.EXPIRE: expire_now, Act.CLOSE: close, Act.TOP_UP: top_up,
    Act.RETRY: retry, Act.DROP: drop, Act.GO_ON: _go_on,
}  # fmt: skip


@router.post("/studies/{study}/acts/{act}", response=gives(ActOut), summary="Pause, resume, expire, close, mend")
def do_act(request: HttpRequest, study: UUID, act: Act) -> dict[str, Any]:
    found = study_for(request, study, Role.EDITOR)
    done = ACTS[act](found, actor=caller(request).get_username(), now=timezone.now())
    wake(found.pk)
    found.refresh_from_db()
    return {"status": found.status, "done": asdict(done) if done is not None else {}}


@router.put("/studies/{study}/stopping-rule", response=gives(None, 204), summary="Declare when top-ups end")
def put_rule(request: HttpRequest, study: UUID, given: RuleIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    declare_width(
        found, width=given.width, most=given.most, actor=caller(request).get_username(), now=timezone.now()
    )  # fmt: skip
    return Status(204, None)


@router.put("/studies/{study}/keep-topped-up", response=gives(None, 204), summary="Top up by itself, or no longer")
def put_top_up(request: HttpRequest, study: UUID, given: SwitchIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    keep_topped_up(found, on=given.on, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.get("/studies/{study}/pay", response=gives(Paged[WageLine]), summary="What an hour pays, arm by arm")
def show_pay(
    request: HttpRequest, study: UUID, page: Query[Page], floor_cents: int = DEFAULT_FLOOR_CENTS
) -> dict[str, Any]:
    return paged(wages.arm_wages(study_for(request, study), floor_cents=floor_cents), page)


@router.post("/studies/{study}/pay", response=gives(RaiseOut), summary="Bring every arm's pay to a floor by bonuses")
def pay_difference(request: HttpRequest, study: UUID, given: FloorIn) -> Any:
    found = study_for(request, study, Role.OWNER)
    done = raise_pay(
        found, floor_cents=given.floor_cents, actor=caller(request).get_username(), now=timezone.now()
    )  # fmt: skip
    wake(found.pk)
    return done


@router.get("/studies/{study}/comparison", response=gives(ComparisonOut), summary="Why these numbers differ")
def show_comparison(request: HttpRequest, study: UUID) -> Any:
    return comparing.compare(study_for(request, study), market=Market(conf.endpoint()))


@router.post("/studies/{study}/comparison/adopt", response=gives(CountOut), summary="Write down HITs that were lost")
def adopt(request: HttpRequest, study: UUID) -> dict[str, int]:
    found = study_for(request, study, Role.EDITOR)
    market = Market(conf.endpoint())
    return {"count": comparing.adopt(found, market=market, actor=caller(request).get_username(), now=timezone.now())}


@router.post("/studies/{study}/comparison/write-off", response=gives(CountOut), summary="Take absent HITs for gone")
def write_off(request: HttpRequest, study: UUID) -> dict[str, int]:
    found = study_for(request, study, Role.EDITOR)
    market, who = Market(conf.endpoint()), caller(request).get_username()
    return {"count": comparing.write_off(found, market=market, actor=who, now=timezone.now())}


@router.post("/studies/{study}/comparison/ghosts", response=gives(None, 204), summary="Close a HIT no study knows")
def close_ghost(request: HttpRequest, study: UUID, given: GhostIn) -> Status[None]:
    found = study_for(request, study, Role.EDITOR)
    market, who = Market(conf.endpoint()), caller(request).get_username()
    comparing.close_ghost(found, given.market_id, market=market, actor=who, now=timezone.now())
    wake(found.pk)
    return Status(204, None)


@router.post("/studies/{study}/crowd", response=gives(JobOut, 202), summary="Let simulated people work (rehearsals)")
def call_crowd(request: HttpRequest, study: UUID) -> Status[Job]:
    found = study_for(request, study, Role.EDITOR)
    if found.mode != Study.Mode.REHEARSAL or found.status != Study.Status.PUBLISHED:
        raise StateError("Simulated people come to a published rehearsal only.")
    return Status(202, ask(Job.Kind.CROWD, by=caller(request), now=timezone.now(), study=found))
