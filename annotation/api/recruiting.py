"""Recruit: the channels of a study, their people, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status

from annotation import settings as conf
from annotation.api.auth import caller, study_for
from annotation.api.responses import Page, Paged, gives, paged
from annotation.models import Role
from annotation.mturk.channels import (
    ChannelRecord,
    ChannelSettings,
    GuestRecord,
    InvitedPeople,
    MailReport,
    PersonProgress,
)
from annotation.mturk.client import Market
from annotation.recruiting import queries
from annotation.recruiting.change_channel import change_channel, close_channel, reopen_channel
from annotation.recruiting.invite_people import invite_people, mail_people, renew_link
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.study_tag import role_for_retention

router = Router(tags=["Recruiting"])


class ChannelSettingsIn(Schema):
    """What is left out stays as it is. A text that is empty is removed; times and places are removed by `empty`.

    overlap: of a team, by how many of its people each text is rated (removed: by everybody). max_tasks: of a team,
    how many tasks each person does at most. codes: are added to those supplied before. A changed consent is a new
    version, which people are asked for again.
    """

    title: str | None = Field(None, max_length=128)
    pays: Literal["ledger", "voucher", "credit", "volunteer", "elsewhere"] | None = None
    pay_words: str | None = Field(None, max_length=300)
    places: int | None = Field(None, ge=1)
    overlap: int | None = Field(None, ge=1)
    max_tasks: int | None = Field(None, ge=1)
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    retain_until: datetime | None = None
    consent: str | None = Field(None, max_length=50_000)
    debrief: str | None = Field(None, max_length=50_000)
    return_url: str | None = Field(None, max_length=1000)
    completion_code: str | None = Field(None, max_length=100)
    codes: list[str] = Field(default_factory=list, max_length=10_000)
    stop_code: str | None = Field(None, max_length=100)
    contact: str | None = Field(None, max_length=200)
    id_parameters: list[str] | None = Field(None, max_length=10)
    id_optional: bool | None = None
    empty: list[Literal["places", "overlap", "max_tasks", "opens_at", "closes_at", "retain_until"]] = Field(
        default_factory=list
    )


class ChannelIn(ChannelSettingsIn):
    """A channel to open. name: among the channels of the study; empty: as its kind is called."""

    kind: Literal["link", "list", "team", "accounts", "prolific", "rehearsal"]
    name: str = Field("", max_length=100)


class ChannelChangeIn(ChannelSettingsIn):
    """version: of the channel as you read it. Where its settings have changed since, nothing is set (409, field
    `version`). Left out: they are set whatever they are by now."""

    version: int | None = Field(None, ge=1)


class ChannelFunnelOut(Schema):
    """Numbers of people, without names. refused: by reason; stopped: finished before the last task."""

    opened: int
    consented: int
    refused: dict[str, int]
    began: int
    finished: int
    stopped: int
    returned: int
    withdrew: int


class VersionOut(Schema):
    """A version of the consent or debrief. agreed: people who agreed to it."""

    purpose: str
    number: int
    version: str
    text: str
    set_at: datetime
    agreed: int | None


class StudyChannelOut(Schema):
    """link: the address for many; empty where each person has their own. codes_left: of a supplied list.
    codes_missing: people who finished when none was left. version: one more with each change of the settings."""

    channel_id: str
    name: str
    title: str
    kind: str
    version: int
    state: str
    pays: str
    pay_words: str
    places: int | None
    overlap: int | None
    max_tasks: int | None
    opens_at: datetime | None
    closes_at: datetime | None
    closed_at: datetime | None
    retain_until: datetime | None
    created_at: datetime
    consent: str
    consent_version: str
    debrief: str
    debrief_version: str
    return_url: str
    completion_code: str
    codes_left: int | None
    codes_missing: int
    stop_code: str
    contact: str
    link: str
    id_parameters: list[str]
    id_optional: bool
    invited: int
    funnel: ChannelFunnelOut
    versions: list[VersionOut]

    @staticmethod
    def resolve_state(row: ChannelRecord) -> str:
        return row.state(timezone.now())


class GuestIn(Schema):
    """A person, known by an address, an id or both."""

    email: str = Field("", max_length=200)
    external_id: str = Field("", max_length=200)
    name: str = Field("", max_length=200)


class GuestsIn(Schema):
    people: list[GuestIn] = Field(min_length=1, max_length=10_000)


class InvitedOut(Schema):
    """The link is shown this once."""

    participant_id: str
    email: str
    external_id: str
    name: str
    link: str


class InvitedPeopleOut(Schema):
    """new: people and their links. before: how many had been invited already; their links stay as they are."""

    new: list[InvitedOut]
    before: int


class ChannelPersonOut(Schema):
    """state: invited, mailed, opened, declined, began, finished or withdrawn."""

    participant_id: str
    state: str
    email: str
    name: str
    external_id: str
    submitted: int
    opened_at: datetime | None
    began_at: datetime | None
    finished_at: datetime | None


class ChannelPersonLinkOut(Schema):
    link: str


class MailIn(Schema):
    """remind: once more to people who were mailed and have not begun."""

    remind: bool = False


class MailOut(Schema):
    sent: int
    left: int


CHANNELS = "/studies/{study}/channels"
CHANNEL = f"{CHANNELS}/{{channel}}"


@router.get(CHANNELS, response=gives(list[StudyChannelOut]), summary="Channels of a study, with numbers of people")
def list_channels(request: HttpRequest, study: UUID) -> list[ChannelRecord]:
    return queries.channels_of(study_for(request, study, Role.EDITOR), Market(conf.endpoint()))


@router.post(CHANNELS, response=gives(StudyChannelOut, 201), summary="Open a channel")
def post_channel(request: HttpRequest, study: UUID, body: ChannelIn) -> Status[ChannelRecord]:
    study_row, settings = study_for(request, study, Role.EDITOR), _settings(body)
    if settings.sets_retention:
        study_row = study_for(request, study, role_for_retention(study_row))
    plan = ChannelPlan(body.kind, body.name, settings)
    return Status(201, open_channel(study_row, plan, **_by(request)))


@router.get(CHANNEL, response=gives(StudyChannelOut), summary="One channel, with every version of its texts")
def get_channel(request: HttpRequest, study: UUID, channel: str) -> ChannelRecord:
    return queries.channel_of(study_for(request, study, Role.EDITOR), channel, Market(conf.endpoint()))


@router.patch(CHANNEL, response=gives(StudyChannelOut), summary="Change a channel")
def patch_channel(request: HttpRequest, study: UUID, channel: str, body: ChannelChangeIn) -> ChannelRecord:
    study_row, settings = study_for(request, study, Role.EDITOR), _settings(body)
    if settings.sets_retention:
        study_row = study_for(request, study, role_for_retention(study_row))
    return change_channel(study_row, channel, settings, version=body.version, **_by(request))


@router.post(f"{CHANNEL}/close", response=gives(StudyChannelOut), summary="Close a channel")
def post_close(request: HttpRequest, study: UUID, channel: str) -> ChannelRecord:
    return close_channel(study_for(request, study, Role.EDITOR), channel, **_by(request))


@router.post(f"{CHANNEL}/reopen", response=gives(StudyChannelOut), summary="Reopen a channel")
def post_reopen(request: HttpRequest, study: UUID, channel: str) -> ChannelRecord:
    return reopen_channel(study_for(request, study, Role.EDITOR), channel, **_by(request))


@router.get(
    f"{CHANNEL}/people", response=gives(Paged[ChannelPersonOut]), summary="How far each person of a channel has come"
)
def list_people(request: HttpRequest, study: UUID, channel: str, page: Query[Page]) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    people: Sequence[PersonProgress] = queries.people_of(study_row, channel, Market(conf.endpoint()))
    return paged(people, page)


@router.post(f"{CHANNEL}/people", response=gives(InvitedPeopleOut, 201), summary="Invite people, a link for each")
def post_people(request: HttpRequest, study: UUID, channel: str, body: GuestsIn) -> Status[InvitedPeople]:
    study_row = study_for(request, study, Role.EDITOR)
    rows = enumerate(body.people, start=1)
    guests = [GuestRecord(guest.email.strip().lower(), guest.external_id, guest.name, row) for row, guest in rows]
    return Status(201, invite_people(study_row, channel, guests, **_by(request)))


@router.post(
    f"{CHANNEL}/people/{{person}}/link", response=gives(ChannelPersonLinkOut, 201), summary="A new link for one person"
)
def post_person_link(request: HttpRequest, study: UUID, channel: str, person: str) -> Status[dict[str, str]]:
    study_row = study_for(request, study, Role.EDITOR)
    return Status(201, {"link": renew_link(study_row, channel, person, **_by(request))})


@router.post(f"{CHANNEL}/mail", response=gives(MailOut), summary="Mail people their links")
def post_mail(request: HttpRequest, study: UUID, channel: str, body: MailIn) -> MailReport:
    return mail_people(study_for(request, study, Role.EDITOR), channel, remind=body.remind, **_by(request))


def _by(request: HttpRequest) -> dict[str, Any]:
    return {"market": Market(conf.endpoint()), "actor": caller(request).get_username(), "now": timezone.now()}


def _settings(body: ChannelSettingsIn) -> ChannelSettings:
    values = body.dict(exclude={"kind", "name", "version"})
    listed = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return ChannelSettings(**{**values, **listed})
