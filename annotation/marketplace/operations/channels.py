"""Channels by the signed requester: opened, changed, closed, read; people invited, and how far each has come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count

from annotation.marketplace.channels.kinds import KINDS, LINK, NAMED, PROLIFIC
from annotation.marketplace.channels.study_tag import TAG
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.invitations import funnel, mailing, open_channel, participants
from annotation.marketplace.invitations.channel_plan import LinkPlan, Plan
from annotation.marketplace.models import Channel, ChannelWording, Consent, Link, Participant, SuppliedCode
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.prolific import publish, study_draft
from annotation.marketplace.prolific.publish import Kind

# Members of a request, and the values of a plan that they set.
TEXTS = {
    "Title": "title",
    "Pays": "pays",
    "PayWords": "pay_words",
    "Consent": "consent",
    "Debrief": "debrief",
    "ReturnUrl": "return_url",
    "CompletionCode": "completion_code",
    "StopCode": "stop_code",
    "Contact": "contact",
}
MOMENTS = {"OpensAt": "opens_at", "ClosesAt": "closes_at", "RetainUntil": "retain_until"}
NUMBERS = {"Places": "max_participants", "Overlap": "overlap", "MaxTasks": "max_tasks"}
EMPTIED = {**MOMENTS, **NUMBERS}


@extension_operation("CreateChannel", writes=True)
def create_channel(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """A new channel; with a token that was used before, the channel that it opened."""
    kind = parameters["Kind"]
    if kind == PROLIFIC:
        parameters = study_draft.without_fixed(parameters)
    plan, link_plan = _plan(parameters), _link_plan(parameters)
    if link_plan.id_parameters and kind != LINK:
        raise InvalidParameterError("A person's id is in the address of a link for many only.").at("IdParameters")
    channel = open_channel.open_channel(
        call.requester,
        name=parameters["Name"],
        kind=kind,
        study=_tag(parameters),
        type_ids=(),
        plan=plan,
        now=call.now,
        request_token=parameters.get("ClientToken", ""),
    )
    if channel.kind == LINK and channel.closed_at is None:
        open_channel.main_link(channel, link_plan, now=call.now)
    elif channel.kind == PROLIFIC and channel.closed_at is None:
        study_draft.prepare_channel(channel, now=call.now)
    return _shape(channel)


@extension_operation("UpdateChannel", writes=True)
def update_channel(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set the members that are named; the others stay as they are."""
    channel = load_channel(call, parameters)
    if channel.kind == PROLIFIC:
        parameters = study_draft.without_fixed(parameters, channel)
    if {"IdParameters", "IdOptional"} & set(parameters) and channel.kind != LINK:
        raise InvalidParameterError("A person's id is in the address of a link for many only.").at("IdParameters")
    version = parameters.get("Version")
    return _shape(open_channel.change_channel(channel, _plan(parameters), now=call.now, version=version))


@extension_operation("CloseChannel", writes=True)
def close_channel(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    channel = load_channel(call, parameters)
    open_channel.close(channel, now=call.now)
    publish.follow_door(channel, Kind.PAUSE, now=call.now)
    return _shape(load_channel(call, parameters))


@extension_operation("ReopenChannel", writes=True)
def reopen_channel(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    channel = load_channel(call, parameters)
    open_channel.reopen(channel, now=call.now)
    publish.follow_door(channel, Kind.START, now=call.now)
    return _shape(load_channel(call, parameters))


@extension_operation("GetChannel", writes=False)
def get_channel(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """One channel, with every version of its texts."""
    channel = load_channel(call, parameters)
    return {**_shape(channel), "Versions": _versions(channel)}


@extension_operation("ListChannels", writes=False)
def list_channels(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Every channel of a study, in the order in which they were opened."""
    rows = Channel.objects.filter(requester=call.requester, study=_tag(parameters))
    channels = list(rows.select_related("requester", "consent", "debrief").order_by("pk"))
    counted = funnel.funnels(channels)
    return {"Channels": [_shape(channel, counted[channel.pk]) for channel in channels]}


@extension_operation("InvitePeople", writes=True)
def invite_people(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """One link for each person who is new, shown this once; all or none. Who they are stays at this site."""
    channel = load_channel(call, parameters)
    if channel.kind not in NAMED:
        problem = "People are invited one by one in a channel of the kind list or team."
        raise InvalidParameterError(problem).at("ChannelId")
    try:
        guests = participants.guests_of(_rows(parameters["People"]))
        done = participants.invite(channel, guests, LinkPlan(), now=call.now)
    except InvalidParameterError as error:
        raise error.at("People") from None
    return {
        "Invited": [
            {
                "ParticipantId": invitation.participant_id,
                "Email": invitation.guest.email,
                "ExternalId": invitation.guest.external_id,
                "Name": invitation.guest.name,
                "Link": invitation.link,
            }
            for invitation in done.new
        ],
        "AlreadyInvited": done.before,
    }


@extension_operation("ListParticipants", writes=False)
def list_participants(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """How far each person of a channel has come. Names are those that the requester gave, until they are deleted."""
    channel = load_channel(call, parameters)
    named = channel.kind in NAMED
    return {
        "Participants": [
            {
                "ParticipantId": state.participant,
                "State": state.state,
                "Email": state.email if named else "",
                "Name": state.name if named else "",
                "ExternalId": state.external_id if named else "",
                "Submitted": state.handed_in,
                "OpenedAt": state.opened_at,
                "BeganAt": state.began_at,
                "FinishedAt": state.finished_at,
            }
            for state in participants.states(channel)
        ]
    }


@extension_operation("CreateParticipantLink", writes=True)
def create_participant_link(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """One more link for an invited person, shown this once; earlier ones go on working."""
    channel = load_channel(call, parameters)
    rows = Participant.objects.select_related("channel").filter(channel=channel)
    person = rows.filter(participant_id=parameters["ParticipantId"]).first()
    if person is None or channel.kind not in NAMED:
        raise InvalidParameterError("The channel has invited no such person.").at("ParticipantId")
    if person.declined_at is not None:
        raise InvalidParameterError("This person has declined, so there is no new link.").at("ParticipantId")
    return {"Link": open_channel.link_for(person, LinkPlan(), now=call.now)}


@extension_operation("MailPeople", writes=False)
def mail_people(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Mail a link to everybody with an address who was not mailed yet; Remind: to those who have not begun since.

    Not in one transaction: that a mail has gone out stays noted when a later one fails.
    """
    channel = load_channel(call, parameters)
    if channel.kind not in NAMED:
        raise InvalidParameterError("Only people who were invited one by one can be mailed.").at("ChannelId")
    if not mailing.can_mail():
        raise InvalidParameterError(
            "This site has no mail server, so no mail was sent. Send each person their link yourself."
        ).at("ChannelId")
    done = mailing.send(channel, LinkPlan(), again=parameters.get("Remind", False), now=call.now)
    return {"Sent": done.sent, "Left": done.left}


def load_channel(call: Call, parameters: dict[str, Any]) -> Channel:
    """The caller's channel that the member ChannelId names. Raises InvalidParameterError."""
    rows = Channel.objects.select_related("requester", "consent", "debrief").filter(requester=call.requester)
    channel = rows.filter(channel_id=parameters["ChannelId"]).first()
    if channel is None:
        raise InvalidParameterError("You have no channel of this id.").at("ChannelId")
    return channel


def _tag(parameters: dict[str, Any]) -> str:
    tag: str = parameters["Study"].lower()
    if not TAG.fullmatch(tag):
        raise InvalidParameterError("Study must be letters, digits, dots, dashes and underscores.").at("Study")
    return tag


def _plan(parameters: dict[str, Any]) -> Plan:
    values: dict[str, Any] = {field: parameters[name] for name, field in TEXTS.items() if name in parameters}
    values |= {field: _moment(name, parameters[name]) for name, field in MOMENTS.items() if name in parameters}
    values |= {field: parameters[name] for name, field in NUMBERS.items() if name in parameters}
    names = parameters.get("Empty", ())
    for name in names:
        if name not in EMPTIED:
            raise InvalidParameterError(f"Empty names {', '.join(sorted(EMPTIED))}, not {name!r}.").at("Empty")
    codes = tuple(code.strip() for code in parameters.get("Codes", ()))
    if "IdParameters" in parameters:
        values["id_parameters"] = tuple(parameters["IdParameters"])
    values["id_optional"] = parameters.get("IdOptional")
    return Plan(**values, codes=codes, empty=frozenset(EMPTIED[name] for name in names))


def _link_plan(parameters: dict[str, Any]) -> LinkPlan:
    return LinkPlan(tuple(parameters.get("IdParameters", ())), parameters.get("IdOptional", False))


def _moment(name: str, value: Any) -> datetime:
    try:
        if isinstance(value, datetime):
            return value
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
            return read if read.tzinfo else read.replace(tzinfo=UTC)
        return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidParameterError(f"{name} is not a time that can be read: {value!r:.60}.").at(name) from None


def _rows(people: Sequence[dict[str, Any]]) -> Iterable[tuple[int, dict[str, str | None]]]:
    for place, person in enumerate(people, start=1):
        cells = {"email": person.get("Email"), "id": person.get("ExternalId"), "name": person.get("Name")}
        yield person.get("Row", place), cells


def _shape(channel: Channel, counted: funnel.Funnel | None = None) -> dict[str, Any]:
    if counted is None:
        counted = funnel.funnels([channel])[channel.pk]
    link = open_channel.find_main_link(channel)
    free = (
        SuppliedCode.objects.filter(channel=channel, participant=None).count() if channel.has_supplied_codes else None
    )
    consent, debrief = channel.consent, channel.debrief
    return {
        "ChannelId": channel.channel_id,
        "Study": channel.study,
        "Name": channel.name,
        "Title": channel.title,
        "Kind": channel.kind,
        "Version": channel.version,
        "Pays": channel.pays or channel.requester.pays,
        "PayWords": channel.pay_words,
        "Places": channel.most_people,
        "Overlap": channel.overlap,
        "MaxTasks": channel.max_tasks,
        "OpensAt": channel.opens_at,
        "ClosesAt": channel.closes_at,
        "ClosedAt": channel.closed_at,
        "RetainUntil": channel.retain_until,
        "CreatedAt": channel.created_at,
        "Consent": consent.text if consent else "",
        "ConsentVersion": consent.version if consent else "",
        "Debrief": debrief.text if debrief else "",
        "DebriefVersion": debrief.version if debrief else "",
        "ReturnUrl": channel.return_url,
        "CompletionCode": channel.completion_code,
        "CodesLeft": free,
        "CodesMissing": participants.count_without_code(channel),
        "StopCode": channel.stop_code,
        "Contact": channel.contact,
        "Link": open_channel.address_of_study_link(channel) if link else "",
        "IdParameters": link.id_parameters if link else [],
        "IdOptional": bool(link and link.id_optional),
        "Invited": _count_invited(channel),
        "Funnel": {
            "Opened": counted.opened,
            "Consented": counted.consented,
            "Refused": [{"Reason": word, "Count": number} for word, number in counted.refused.items()],
            "Began": counted.began,
            "Finished": counted.finished,
            "StoppedEarly": counted.stopped,
            "Returned": counted.returned,
            "Withdrew": counted.withdrew,
        },
    }


def _count_invited(channel: Channel) -> int:
    if channel.kind not in NAMED or not KINDS[channel.kind].by_link:
        return 0
    return Link.objects.filter(channel=channel).aggregate(people=Count("participant", distinct=True))["people"]


def _versions(channel: Channel) -> list[dict[str, Any]]:
    agreed = dict(
        Consent.objects.filter(channel=channel)
        .order_by("wording")
        .values_list("wording")
        .annotate(people=Count("worker", distinct=True))
    )
    rows = ChannelWording.objects.filter(channel=channel).select_related("wording").order_by("purpose", "number")
    return [
        {
            "Purpose": row.purpose,
            "Number": row.number,
            "Version": row.wording.version if row.wording else "",
            "Text": row.wording.text if row.wording else "",
            "SetAt": row.set_at,
            "Agreed": agreed.get(row.wording_id, 0) if row.purpose == ChannelWording.Purpose.CONSENT else None,
        }
        for row in rows
    ]
