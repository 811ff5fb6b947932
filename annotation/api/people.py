"""Payouts and retention. Names, addresses and ids of people are shown in the console only; here are sums."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema, Status

from annotation.api.auth import caller, study_for
from annotation.api.responses import gives
from annotation.exceptions import StateError
from annotation.models import Role, Study
from annotation.mturk import payouts as calls
from annotation.mturk.client import Market
from annotation.mturk.payouts import PayoutRecord
from annotation.workers import payouts, study_retention

router = Router(tags=["Payouts and retention"])


class OwedOut(Schema):
    """What participants are owed in one currency whom this site does not pay itself. amount_minor: in minor units."""

    currency: str
    people: int
    amount_minor: int


class PayoutFileOut(Schema):
    """state: open (not marked as sent), sent or discarded."""

    file_id: str
    currency: str
    state: str
    people: int
    amount_minor: int
    created_by: str
    created_at: datetime
    settled_by: str
    settled_at: datetime | None


class PayoutsOut(Schema):
    owed: list[OwedOut]
    files: list[PayoutFileOut]


class PayoutFileIn(Schema):
    """Everybody who is owed something in this currency."""

    currency: str = Field(min_length=3, max_length=3)


class SentIn(Schema):
    """The exact amounts of the file that were sent."""

    people: int = Field(ge=1)
    amount_minor: int = Field(ge=0)


class ChannelOut(Schema):
    channel: str
    kind: str
    people: int
    identities: int
    retain_until: datetime | None
    purged_at: datetime | None


class RetentionOut(Schema):
    """worker_ids: stored here; deletable: those that deleting now would delete. owed: people who stop it."""

    retain_until: datetime | None
    worker_ids: int
    deletable: int
    devices: int
    channels: list[ChannelOut]
    owed: int


class DateIn(Schema):
    """Null: IDs are stored until an owner deletes them."""

    retain_until: datetime | None


class DeleteIdsIn(Schema):
    """How many are deleted: those of `deletable`, and the identities of all channels."""

    workers: int = Field(ge=0)
    identities: int = Field(ge=0)


def _market(study: Study) -> Market:
    market = payouts.market_of_payouts()
    if payouts.work_of(study) is None or not market.ours:
        raise StateError(f"The study {study.name} has no payouts here: it was not published on Assay's marketplace.")
    return market


@router.get("/studies/{study}/payouts", response=gives(PayoutsOut), summary="Payouts due, and payout files")
def list_payouts(request: HttpRequest, study: UUID) -> dict[str, Any]:
    study_row = study_for(request, study, Role.OWNER)
    work, market = payouts.work_of(study_row), _market(study_row)
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in calls.list_owed(market, work).rows if work else ():
        sums[row.currency][0] += 1
        sums[row.currency][1] += row.amount_minor
    owed = [{"currency": key, "people": n, "amount_minor": minor} for key, (n, minor) in sorted(sums.items())]
    return {"owed": owed, "files": calls.list_files(market, str(study_row.uuid))}


@router.post("/studies/{study}/payouts", response=gives(PayoutFileOut, 201), summary="Create a payout file")
def post_payout(request: HttpRequest, study: UUID, body: PayoutFileIn) -> Status[PayoutRecord]:
    study_row = study_for(request, study, Role.OWNER)
    work, market = payouts.work_of(study_row), _market(study_row)
    rows = calls.list_owed(market, work).rows if work else ()
    chosen = [row.worker_id for row in rows if row.currency == body.currency]
    actor, now = caller(request).get_username(), timezone.now()
    file = payouts.create_payout_file(study_row, chosen, with_unpaid=False, market=market, actor=actor, now=now)
    return Status(201, file)


@router.put("/studies/{study}/payouts/{file_id}/sent", response=gives(None, 204), summary="Mark a file as sent")
def put_sent(request: HttpRequest, study: UUID, file_id: str, body: SentIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    market, actor, now = _market(study_row), caller(request).get_username(), timezone.now()
    payouts.mark_payout_sent(study_row, file_id, **body.dict(), market=market, actor=actor, now=now)
    return Status(204, None)


@router.delete("/studies/{study}/payouts/{file_id}/sent", response=gives(None, 204), summary="Undo the mark of a file")
def delete_sent(request: HttpRequest, study: UUID, file_id: str) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    actor, now = caller(request).get_username(), timezone.now()
    payouts.undo_payout_sent(study_row, file_id, market=_market(study_row), actor=actor, now=now)
    return Status(204, None)


@router.delete("/studies/{study}/payouts/{file_id}", response=gives(None, 204), summary="Discard an open payout file")
def delete_payout(request: HttpRequest, study: UUID, file_id: str) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    actor, now = caller(request).get_username(), timezone.now()
    payouts.discard_payout_file(study_row, file_id, market=_market(study_row), actor=actor, now=now)
    return Status(204, None)


@router.get("/studies/{study}/retention", response=gives(RetentionOut), summary="What is stored of people, until when")
def show_retention(request: HttpRequest, study: UUID) -> dict[str, Any]:
    study_row = study_for(request, study, Role.REVIEWER)
    market = study_retention.market_of_people(study_row)
    state = calls.get_retention(market, study_row.channel_tag) if market else None
    ids = study_retention.stored_ids(study_row, now=timezone.now())
    return {
        "retain_until": study_row.retain_until,
        "worker_ids": ids.workers,
        "deletable": ids.only_of_study,
        "devices": ids.devices,
        "channels": state.channels if state else (),
        "owed": state.owed + state.in_files if state else 0,
    }


@router.put("/studies/{study}/retention", response=gives(None, 204), summary="Set the retention date")
def put_retention(request: HttpRequest, study: UUID, body: DateIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    market, actor = study_retention.market_of_people(study_row), caller(request).get_username()
    study_retention.set_retention_date(study_row, body.retain_until, market=market, actor=actor, now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/retention", response=gives(None, 204), summary="Delete IDs of people at once")
def delete_people(request: HttpRequest, study: UUID, body: DeleteIdsIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    market, actor = study_retention.market_of_people(study_row), caller(request).get_username()
    study_retention.delete_ids(study_row, **body.dict(), market=market, actor=actor, now=timezone.now())
    return Status(204, None)
