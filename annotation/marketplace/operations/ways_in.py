"""What Amazon's API never had: the name that people read, invitations, and how many accounts could enter."""

from __future__ import annotations

from typing import Any

from annotation.marketplace.channels.study_tag import TAG
from annotation.marketplace.core.requester_name import set_display_name
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.hits.eligibility import count_qualified
from annotation.marketplace.invitations import open_channel
from annotation.marketplace.models import Link, Requester
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.qualifications.requirements import normalised


@extension_operation("GetRequester", writes=False)
def get_requester(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return _requester_shape(call.requester)


@extension_operation("UpdateRequester", writes=True)
def update_requester(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    set_display_name(call.requester, parameters["DisplayName"])
    return _requester_shape(call.requester)


@extension_operation("CountWorkers", writes=False)
def count_workers(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    accounts, qualified = count_qualified([normalised(row) for row in parameters["QualificationRequirements"]])
    return {"Accounts": accounts, "Qualified": qualified}


@extension_operation("CreateInvitation", writes=True)
def create_invitation(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The link of the study; again, the same one. Raises InvalidParameterError when its channel was closed."""
    study = _tag(parameters)
    link = open_channel.study_link(call.requester, study, title=parameters.get("Title", ""), now=call.now)
    if _closed(link):
        raise InvalidParameterError(f"The invitation to {study} was closed. Open it by a channel of another name.")
    return _invitation_shape(link)


@extension_operation("GetInvitation", writes=False)
def get_invitation(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    link = open_channel.find_study_link(call.requester, _tag(parameters))
    return {} if link is None or _closed(link) else _invitation_shape(link)


def _tag(parameters: dict[str, Any]) -> str:
    tag: str = parameters["Study"].lower()
    if not TAG.fullmatch(tag):
        raise InvalidParameterError("Study must be letters, digits, dots, dashes and underscores.")
    return tag


def _closed(link: Link) -> bool:
    return link.closed_at is not None or link.channel.closed_at is not None


def _requester_shape(requester: Requester) -> dict[str, Any]:
    return {"AccountName": requester.account_name, "DisplayName": requester.display_name}


def _invitation_shape(link: Link) -> dict[str, Any]:
    return {
        "ChannelId": link.channel.channel_id,
        "Channel": link.channel.name,
        "Link": open_channel.address_of_study_link(link.channel),
        "CreationTime": link.created_at,
    }
