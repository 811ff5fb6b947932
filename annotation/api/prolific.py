"""Recruit on Prolific: the account, the draft and its price, publishing, and what goes on there."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema, Status
from ninja.errors import HttpError

from annotation import settings as conf
from annotation.api.auth import caller, study_for
from annotation.api.responses import gives
from annotation.jobs.celery_tasks import wake
from annotation.models import Role
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import (
    ChosenFilter,
    EligiblePeople,
    FilterOption,
    ProlificAccountRecord,
    ProlificDraft,
    ProlificQuote,
    ProlificStudyRecord,
    ProlificSubmissionRecord,
)
from annotation.recruiting import publish_prolific as deeds

router = Router(tags=["Prolific"])
PROLIFIC = "/studies/{study}/channels/{channel}/prolific"


class ProlificTokenIn(Schema):
    """token: of Prolific's API. It is stored encrypted and never returned."""

    token: str = Field(min_length=1, max_length=400)


class ProjectIn(Schema):
    workspace_id: str
    project_id: str


class ProlificProjectOut(Schema):
    project_id: str
    title: str


class ProlificWorkspaceOut(Schema):
    """available_minor: in minor units of the currency; empty where Prolific names none."""

    workspace_id: str
    title: str
    currency: str
    available_minor: int | None
    projects: list[ProlificProjectOut]


class ProlificAccountOut(Schema):
    """token_end: the last four characters of the token."""

    connected: bool
    token_end: str
    email: str
    workspace_id: str
    project_id: str
    workspaces: list[ProlificWorkspaceOut]


class FilterOptionOut(Schema):
    """choices: value and label of each, of a filter of the kind select. Other kinds than select and range are listed
    as Prolific names them, and cannot be chosen here."""

    filter_id: str
    title: str
    description: str
    kind: str
    choices: list[tuple[str, str]]
    lowest: float | None
    highest: float | None


class ChosenFilterModel(Schema):
    """values: of a select. lower, upper: of a range, either may be left out."""

    filter_id: str
    values: list[str] = Field(default_factory=list)
    lower: float | None = None
    upper: float | None = None


class FiltersIn(Schema):
    filters: list[ChosenFilterModel]


class EligiblePeopleOut(Schema):
    """too_few: fewer than the smallest number that Prolific names; people is 0 then."""

    people: int
    too_few: bool


class ProlificDraftIn(Schema):
    """What is left out stays as it is. Amounts are minor units of Prolific's currency. highest_reward_minor: what the
    best paid condition pays."""

    description: str | None = Field(None, max_length=5000)
    minutes: int | None = Field(None, ge=1)
    reward_minor: int | None = Field(None, ge=1)
    highest_reward_minor: int | None = Field(None, ge=1)
    places: int | None = Field(None, ge=1)
    devices: list[Literal["desktop", "tablet", "mobile"]] | None = None
    labels: list[str] | None = Field(None, max_length=1)
    content_warnings: list[Literal["sensitive", "explicit"]] | None = Field(None, max_length=1)
    content_warning_details: str | None = None
    filters: list[ChosenFilterModel] | None = None
    excludes_earlier: bool | None = None


class WaitingActionOut(Schema):
    kind: str
    since: datetime
    attempts: int
    error: str
    failed: bool


class UnknownBatchOut(Schema):
    """Bonuses whose payment was sent and not answered. seen_minor: what Prolific shows as paid."""

    batch_id: str
    amount_minor: int
    people: int
    sent_at: datetime
    seen_minor: int


class ProlificStudyOut(Schema):
    """status: draft, or Prolific's word in small letters, also an unknown one. counts: submissions by status.

    unknown_fields: what Prolific answers beyond its documentation, as JSON by name; of submissions the names alone.
    """

    channel_id: str
    status: str
    address: str
    description: str
    minutes: int | None
    reward_minor: int | None
    highest_reward_minor: int | None
    places: int | None
    devices: list[str]
    labels: list[str]
    content_warnings: list[str]
    content_warning_details: str
    filters: list[ChosenFilterModel]
    excludes_earlier: bool
    currency: str
    total_minor: int
    paid_minor: int
    fees_minor: int
    bonus_paid_minor: int
    bonus_reserve_minor: int
    counts: dict[str, int]
    waiting: list[WaitingActionOut]
    unknown_batches: list[UnknownBatchOut]
    unknown_fields: dict[str, str]
    last_sync_at: datetime | None
    sync_error: str
    hooks_work: bool


class ProlificQuoteOut(Schema):
    """problems stop publishing, warnings do not. reserved_minor: what the study's budget must hold."""

    currency: str
    reward_minor: int
    places: int
    rewards_minor: int
    fees_minor: int
    total_minor: int
    bonus_reserve_minor: int
    reserved_minor: int
    available_minor: int | None
    hourly_minor: int
    problems: list[str]
    warnings: list[str]


class PublishOnProlificIn(Schema):
    """total_minor: as the quote says it; another by now is refused (409)."""

    total_minor: int


class PlacesIn(Schema):
    """places: the new total."""

    places: int = Field(ge=1)


class ReservedOut(Schema):
    reserved_cents: int


class ReleasedOut(Schema):
    released_cents: int


class BatchIn(Schema):
    outcome: Literal["paid", "not-paid"]


class ProlificSubmissionOut(Schema):
    """key: ours; ids of Prolific are not returned."""

    key: str
    status: str
    path: str
    decision: str
    assignment_ids: list[str]
    started_at: datetime | None
    completed_at: datetime | None
    return_requested_at: datetime | None
    bonus_minor: int
    note: str


def _market_of_operator(request: HttpRequest) -> Market:
    if not caller(request).is_superuser:
        raise HttpError(403, "Only who administers this installation can connect Prolific.")
    return Market(conf.endpoint())


@router.get("/prolific", response=gives(ProlificAccountOut), summary="The connected account of Prolific")
def get_account(request: HttpRequest) -> ProlificAccountRecord:
    return prolific.get_account(_market_of_operator(request))


@router.put("/prolific", response=gives(ProlificAccountOut), summary="Connect Prolific by a token")
def put_account(request: HttpRequest, body: ProlificTokenIn) -> ProlificAccountRecord:
    return prolific.connect_account(_market_of_operator(request), body.token.strip())


@router.delete("/prolific", response=gives(ProlificAccountOut), summary="Delete the stored token")
def delete_account(request: HttpRequest) -> ProlificAccountRecord:
    return prolific.disconnect_account(_market_of_operator(request))


@router.put("/prolific/project", response=gives(ProlificAccountOut), summary="Choose workspace and project")
def put_project(request: HttpRequest, body: ProjectIn) -> ProlificAccountRecord:
    return prolific.choose_project(_market_of_operator(request), **body.dict())


@router.get(f"{PROLIFIC}/filters", response=gives(list[FilterOptionOut]), summary="Filters that Prolific offers")
def list_filters(request: HttpRequest, study: UUID, channel: str) -> list[FilterOption]:
    study_for(request, study, Role.EDITOR)
    return prolific.list_filters(Market(conf.endpoint()))


@router.post(f"{PROLIFIC}/eligible", response=gives(EligiblePeopleOut), summary="How many people fit filters")
def post_eligible(request: HttpRequest, study: UUID, channel: str, body: FiltersIn) -> EligiblePeople:
    study_for(request, study, Role.EDITOR)
    return prolific.count_people(Market(conf.endpoint()), _filters(body.filters))


@router.get(PROLIFIC, response=gives(ProlificStudyOut), summary="A study on Prolific: status, money, what waits")
def get_study(request: HttpRequest, study: UUID, channel: str) -> ProlificStudyRecord:
    study_row, market = study_for(request, study, Role.EDITOR), Market(conf.endpoint())
    deeds.require_prolific(study_row, channel, market)
    return prolific.get_study(market, channel)


@router.patch(PROLIFIC, response=gives(ProlificStudyOut), summary="Change the draft on Prolific")
def patch_draft(request: HttpRequest, study: UUID, channel: str, body: ProlificDraftIn) -> ProlificStudyRecord:
    study_row = study_for(request, study, Role.EDITOR)
    values = body.dict(exclude={"filters"})
    listed = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    chosen = None if body.filters is None else _filters(body.filters)
    return deeds.set_draft(study_row, channel, ProlificDraft(**{**values, **listed}, filters=chosen), **_by(request))


@router.get(f"{PROLIFIC}/quote", response=gives(ProlificQuoteOut), summary="What the study will cost on Prolific")
def get_quote(request: HttpRequest, study: UUID, channel: str) -> ProlificQuote:
    study_row, market = study_for(request, study, Role.EDITOR), Market(conf.endpoint())
    return deeds.quote_on_prolific(study_row, channel, market)


@router.post(f"{PROLIFIC}/publish", response=gives(ReservedOut, 202), summary="Publish on Prolific for a total")
def post_publish(request: HttpRequest, study: UUID, channel: str, body: PublishOnProlificIn) -> Status[dict[str, int]]:
    study_row = study_for(request, study, Role.OWNER)
    total = body.total_minor
    reserved = deeds.publish_on_prolific(study_row, channel, total_minor=total, **_by(request))
    wake(study_row.pk)
    return Status(202, {"reserved_cents": reserved})


@router.post(f"{PROLIFIC}/places", response=gives(ReservedOut, 202), summary="Add places on Prolific")
def post_places(request: HttpRequest, study: UUID, channel: str, body: PlacesIn) -> Status[dict[str, int]]:
    study_row = study_for(request, study, Role.OWNER)
    reserved = deeds.add_places(study_row, channel, body.places, **_by(request))
    wake(study_row.pk)
    return Status(202, {"reserved_cents": reserved})


@router.post(f"{PROLIFIC}/costs", response=gives(ReleasedOut), summary="Book Prolific's fees at the end")
def post_costs(request: HttpRequest, study: UUID, channel: str) -> dict[str, int]:
    study_row = study_for(request, study, Role.OWNER)
    return {"released_cents": deeds.settle_costs(study_row, channel, **_by(request))}


@router.post(
    f"{PROLIFIC}/bonuses/{{batch}}", response=gives(ProlificStudyOut), summary="Say what became of unanswered bonuses"
)
def post_batch(request: HttpRequest, study: UUID, channel: str, batch: str, body: BatchIn) -> ProlificStudyRecord:
    study_row = study_for(request, study, Role.OWNER)
    return deeds.settle_batch(study_row, channel, batch, outcome=body.outcome, **_by(request))


@router.get(
    f"{PROLIFIC}/submissions",
    response=gives(list[ProlificSubmissionOut]),
    summary="Submissions on Prolific, by our keys",
)
def list_submissions(request: HttpRequest, study: UUID, channel: str) -> list[ProlificSubmissionRecord]:
    study_row, market = study_for(request, study, Role.EDITOR), Market(conf.endpoint())
    deeds.require_prolific(study_row, channel, market)
    return prolific.list_submissions(market, channel)


@router.post(
    f"{PROLIFIC}/recruitment/{{deed}}",
    response=gives(ProlificStudyOut),
    summary="Pause, start, stop or retry",
)
def post_deed(
    request: HttpRequest, study: UUID, channel: str, deed: Literal["pause", "start", "stop", "retry"]
) -> ProlificStudyRecord:
    study_row = study_for(request, study, Role.EDITOR)
    return deeds.change_recruitment(study_row, channel, deed, **_by(request))


def _filters(rows: list[ChosenFilterModel]) -> tuple[ChosenFilter, ...]:
    return tuple(ChosenFilter(row.filter_id, tuple(row.values), row.lower, row.upper) for row in rows)


def _by(request: HttpRequest) -> dict[str, Any]:
    return {"market": Market(conf.endpoint()), "actor": caller(request).get_username(), "now": timezone.now()}
