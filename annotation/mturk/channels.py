"""Channels of Assay's marketplace: the ways in to a study, by its extension operations."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from annotation.exceptions import ChangedError, MarketError, StateError
from annotation.mturk.client import Market

LINK, LIST, TEAM, ACCOUNTS, REHEARSAL = "link", "list", "team", "accounts", "rehearsal"
PROLIFIC = "prolific"
# Kinds whose people are named beforehand, each with a link of their own.
NAMED = frozenset({LIST, TEAM})
# From this number of codes on a requester is warned that a list runs out.
FEW_CODES = 5
# Members of a channel that are always there, and times that may be.
TEXTS = (
    "Study",
    "Name",
    "Title",
    "Kind",
    "Pays",
    "PayWords",
    "Consent",
    "ConsentVersion",
    "Debrief",
    "DebriefVersion",
    "ReturnUrl",
    "CompletionCode",
    "StopCode",
    "Contact",
    "Link",
)
TIMES = ("OpensAt", "ClosesAt", "ClosedAt", "RetainUntil", "CreatedAt")
# Of the channel of that kind alone: Prolific pays, and nothing is owed to its people.
PAID_BY_PROLIFIC = "prolific"
LEDGER, VOUCHER, CREDIT, VOLUNTEER, ELSEWHERE = PAYS = ("ledger", "voucher", "credit", "volunteer", "elsewhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """What a channel is to be; None leaves a value as it is (or at its default in a new channel).

    A text that is "" is emptied; times and places are emptied by naming them in `empty`. `codes` are added to those
    that were supplied before.
    """

    title: str | None = None
    pays: str | None = None
    pay_words: str | None = None
    places: int | None = None
    overlap: int | None = None
    max_tasks: int | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    retain_until: datetime | None = None
    consent: str | None = None
    debrief: str | None = None
    return_url: str | None = None
    completion_code: str | None = None
    codes: tuple[str, ...] = ()
    stop_code: str | None = None
    contact: str | None = None
    id_parameters: tuple[str, ...] | None = None
    id_optional: bool | None = None
    empty: tuple[str, ...] = ()

    @property
    def sets_retention(self) -> bool:
        """Whether it sets or removes the date on which names and ids of the people are deleted."""
        return self.retain_until is not None or "retain_until" in self.empty

    def members(self) -> dict[str, Any]:
        """As the operations name them."""
        named = {member_name(row.name): getattr(self, row.name) for row in fields(self)}
        members = {name: value for name, value in named.items() if value is not None and value != ()}
        if self.id_parameters is not None:
            members["IdParameters"] = list(self.id_parameters)
        if self.codes:
            members["Codes"] = list(self.codes)
        if self.empty:
            members["Empty"] = [member_name(name) for name in self.empty]
        return members


@dataclass(frozen=True, slots=True)
class ChannelFunnel:
    """How many people opened, agreed, were refused (by reason), began, finished (`stopped`: of these, before the last
    task), returned a task, and withdrew their answers."""

    opened: int = 0
    consented: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    began: int = 0
    finished: int = 0
    stopped: int = 0
    returned: int = 0
    withdrew: int = 0


@dataclass(frozen=True, slots=True)
class TextVersion:
    """One version of a consent or debrief. `agreed`: people who agreed to it (None: nobody is asked)."""

    purpose: str
    number: int
    version: str
    text: str
    set_at: datetime
    agreed: int | None


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """One way in, as the marketplace has it. `link`: the address for many, "" where each person has their own.

    `overlap`: by how many of a team each text is rated; None: by everybody. `max_tasks`: of each of them.
    `codes_left`: of a list that was supplied. `codes_missing`: people who finished when none of it was left.
    """

    channel_id: str
    study: str
    name: str
    title: str
    kind: str
    version: int
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
    id_parameters: tuple[str, ...]
    id_optional: bool
    invited: int
    funnel: ChannelFunnel
    versions: tuple[TextVersion, ...] = ()

    @property
    def has_few_codes(self) -> bool:
        """Whether the list of codes may not last for the people who are inside, or is nearly used up."""
        inside = self.funnel.began - self.funnel.finished
        if self.codes_left is None or (self.closed_at is not None and not inside):
            return False
        return self.codes_left <= max(inside, FEW_CODES)

    def state(self, now: datetime) -> str:
        """closed (by hand), over (past its time), planned (not open yet), full or open."""
        if self.closed_at is not None:
            return "closed"
        if self.closes_at is not None and self.closes_at <= now:
            return "over"
        if self.opens_at is not None and now < self.opens_at:
            return "planned"
        return "full" if self.places is not None and self.funnel.began >= self.places else "open"


@dataclass(frozen=True, slots=True)
class GuestRecord:
    """A person to be invited, known by an address, an id or both; `row`: of the file that names them."""

    email: str = ""
    external_id: str = ""
    name: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class InvitedGuest:
    """A person who is invited now, and the link that is shown this once."""

    participant_id: str
    email: str
    external_id: str
    name: str
    link: str


@dataclass(frozen=True, slots=True)
class InvitedPeople:
    """Who is new, and how many had been invited before."""

    new: tuple[InvitedGuest, ...]
    before: int


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How far one person has come: invited, mailed, opened, declined, began, finished, withdrawn."""

    participant_id: str
    state: str
    email: str
    name: str
    external_id: str
    submitted: int
    opened_at: datetime | None
    began_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class MailReport:
    """Mails that were sent, and people left over because the mail server failed."""

    sent: int
    left: int


def create_channel(market: Market, tag: str, *, kind: str, name: str, settings: ChannelSettings) -> ChannelRecord:
    """Open a channel to the HITs under `tag`; the same call again returns the same channel. Raises MarketError."""
    members = {"Study": tag, "Kind": kind, "Name": name, **settings.members()}
    token = hashlib.sha256(json.dumps(members, sort_keys=True, default=str).encode()).hexdigest()
    return _channel(call_operation(market, "create_channel", **members, ClientToken=token))


def update_channel(
    market: Market, channel_id: str, settings: ChannelSettings, *, version: int | None = None
) -> ChannelRecord:
    """Set what `settings` names. Raises ChangedError where the settings are of another version by now."""
    seen = {} if version is None else {"Version": version}
    return _channel(call_operation(market, "update_channel", ChannelId=channel_id, **settings.members(), **seen))


def close_channel(market: Market, channel_id: str) -> ChannelRecord:
    return _channel(call_operation(market, "close_channel", ChannelId=channel_id))


def reopen_channel(market: Market, channel_id: str) -> ChannelRecord:
    return _channel(call_operation(market, "reopen_channel", ChannelId=channel_id))


def get_channel(market: Market, channel_id: str) -> ChannelRecord:
    """The channel with every version of its texts."""
    return _channel(call_operation(market, "get_channel", ChannelId=channel_id))


def list_channels(market: Market, tag: str) -> list[ChannelRecord]:
    return [_channel(row) for row in call_operation(market, "list_channels", Study=tag)["Channels"]]


def invite_people(market: Market, channel_id: str, guests: Sequence[GuestRecord]) -> InvitedPeople:
    """A link for each guest who is new: all or none. Who they are goes to the marketplace and is stored there alone."""
    people = [
        {"Row": guest.row or place, "Email": guest.email, "ExternalId": guest.external_id, "Name": guest.name}
        for place, guest in enumerate(guests, start=1)
    ]
    answer = call_operation(market, "invite_people", ChannelId=channel_id, People=people)
    new = (
        InvitedGuest(row["ParticipantId"], row["Email"], row["ExternalId"], row["Name"], row["Link"])
        for row in answer["Invited"]
    )
    return InvitedPeople(tuple(new), answer["AlreadyInvited"])


def list_participants(market: Market, channel_id: str) -> list[PersonProgress]:
    rows = call_operation(market, "list_participants", ChannelId=channel_id)["Participants"]
    return [
        PersonProgress(
            participant_id=row["ParticipantId"],
            state=row["State"],
            email=row["Email"],
            name=row["Name"],
            external_id=row["ExternalId"],
            submitted=row["Submitted"],
            opened_at=_utc(row.get("OpenedAt")),
            began_at=_utc(row.get("BeganAt")),
            finished_at=_utc(row.get("FinishedAt")),
        )
        for row in rows
    ]


def create_participant_link(market: Market, channel_id: str, participant_id: str) -> str:
    """One more link for an invited person; earlier ones go on working."""
    answer = call_operation(market, "create_participant_link", ChannelId=channel_id, ParticipantId=participant_id)
    return str(answer["Link"])


def mail_people(market: Market, channel_id: str, *, remind: bool) -> MailReport:
    answer = call_operation(market, "mail_people", ChannelId=channel_id, Remind=remind)
    return MailReport(answer["Sent"], answer["Left"])


def call_operation(market: Market, operation: str, **members: Any) -> dict[str, Any]:
    """What the marketplace answers. A value that it refuses is a StateError that names the field."""
    if not market.ours:
        raise MarketError(f"{market.url} has no channels: recruit by its own means.")
    try:
        return market.call_extension(operation, **members)
    except MarketError as error:
        if not error.field:
            raise
        sentence = re.sub(r" \(\d+\)$", "", str(error).removeprefix("Marketplace error: "))
        kind = ChangedError if error.field == "Version" else StateError
        raise kind(sentence).at(field_name(error.field)) from error


def _channel(row: Mapping[str, Any]) -> ChannelRecord:
    counts = row["Funnel"]
    return ChannelRecord(
        channel_id=row["ChannelId"],
        **{field_name(name): row[name] for name in TEXTS},
        **{field_name(name): _utc(row.get(name)) for name in TIMES},  # type: ignore[arg-type]
        version=row["Version"],
        places=row.get("Places"),
        overlap=row.get("Overlap"),
        max_tasks=row.get("MaxTasks"),
        codes_left=row.get("CodesLeft"),
        codes_missing=row["CodesMissing"],
        id_parameters=tuple(row["IdParameters"]),
        id_optional=row["IdOptional"],
        invited=row["Invited"],
        funnel=ChannelFunnel(
            opened=counts["Opened"],
            consented=counts["Consented"],
            refused={refused["Reason"]: refused["Count"] for refused in counts["Refused"]},
            began=counts["Began"],
            finished=counts["Finished"],
            stopped=counts["StoppedEarly"],
            returned=counts["Returned"],
            withdrew=counts["Withdrew"],
        ),
        versions=tuple(_versions(row.get("Versions", ()))),
    )


def _versions(rows: Iterable[Mapping[str, Any]]) -> Iterable[TextVersion]:
    for row in rows:
        set_at = row["SetAt"].astimezone(UTC)
        yield TextVersion(row["Purpose"], row["Number"], row["Version"], row["Text"], set_at, row.get("Agreed"))


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None


def member_name(name: str) -> str:
    """return_url as the operations write it: ReturnUrl."""
    return "".join(part.capitalize() for part in name.split("_"))


def field_name(member: str) -> str:
    """ReturnUrl as settings write it: return_url. What names a channel or its people is of no form's field."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", member).lower()
