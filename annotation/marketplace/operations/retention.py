"""What Amazon's API never had: what is stored of a study's participants, until when, and its deletion."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.invitations import retention
from annotation.marketplace.models import Channel, PayoutFile, PurgeMark
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.workers.settlements import VOLUNTEER, Scope, list_owed


@extension_operation("GetRetention", writes=False)
def get_retention(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    rows = _channels(call, parameters).annotate(
        people=Count("participants", distinct=True), known=Count("identities", distinct=True)
    )
    mark = PurgeMark.objects.first()
    owed, in_files = _open_payouts(call, parameters)
    return {
        "Channels": [_channel_shape(row) for row in rows.order_by("pk")],
        "PeopleOwed": owed,
        "PeopleInOpenFiles": in_files,
        **({"LastPurge": mark.at, "LastPurged": mark.identities} if mark else {}),
    }


@extension_operation("SetRetention", writes=True)
def set_retention(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The date of every channel of the study that still knows its people; without one they are never deleted.

    SealedUntil: of the hashes that are kept then (`SealedId`); without it, what was set before stays.
    """
    until, sealed = _future(call, parameters, "RetainUntil"), _future(call, parameters, "SealedUntil")
    if sealed is not None and (until is None or sealed <= until):
        raise InvalidParameterError("SealedUntil must be after RetainUntil.")
    rows = _channels(call, parameters).filter(purged_at=None)
    sealing = {"sealed_until": sealed} if sealed is not None else {}
    return {"Channels": rows.update(retain_until=until, version=F("version") + 1, **sealing)}


def _future(call: Call, parameters: dict[str, Any], name: str) -> datetime | None:
    until: datetime | float | None = parameters.get(name)
    if isinstance(until, int | float):  # JSON has no times: they come as seconds
        until = datetime.fromtimestamp(until, UTC)
    if until is not None and until <= call.now:
        raise InvalidParameterError(f"{name} must be in the future.")
    return until


@extension_operation("PurgeStudy", writes=True)
def purge_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refused while somebody is owed something: without a name and an address they could not be paid."""
    owed, in_files = _open_payouts(call, parameters)
    if owed or in_files:
        raise RequestRefusedError(
            "PayoutsOwed",
            f"{owed} people are owed something, and {in_files} are in payout files that are not marked as sent. "
            "Nothing was deleted.",
        )
    channels = _channels(call, parameters)
    return {"Identities": retention.purge_study(channels, identities=parameters["Identities"], now=call.now)}


def _channels(call: Call, parameters: dict[str, Any]) -> QuerySet[Channel]:
    return Channel.objects.filter(requester=call.requester, study=parameters["Study"].lower())


def _open_payouts(call: Call, parameters: dict[str, Any]) -> tuple[int, int]:
    """How many people of the study's channels are owed something, and how many are in open payout files."""
    owed = list_owed(Scope(call.requester, parameters["Study"].lower()))
    workers = {person.worker_key for person in owed if person.pays != VOLUNTEER and person.channel}
    open_files = PayoutFile.objects.filter(requester=call.requester, state=PayoutFile.State.OPEN)
    of_study = Q(settlements__worker__channel__study=parameters["Study"].lower())
    in_files = open_files.filter(of_study).values("settlements__worker").distinct().count()
    return len(workers), in_files


def _channel_shape(row: Channel) -> dict[str, Any]:
    dates = {"RetainUntil": row.retain_until, "PurgedAt": row.purged_at, "ClosedAt": row.closed_at}
    dates["SealedUntil"] = row.sealed_until
    return {
        "Channel": row.name,
        "Kind": row.kind,
        "People": row.people,  # type: ignore[attr-defined]  # annotated
        "Identities": row.known,  # type: ignore[attr-defined]  # annotated
        **{name: at for name, at in dates.items() if at is not None},
    }
