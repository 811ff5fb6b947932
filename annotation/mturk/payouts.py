"""Payouts and retention of Assay's own marketplace: who is owed what, payout files, and what is stored of people.

Names and addresses are in these answers only. They are shown and written into files; this side stores none of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from annotation.exceptions import ChangedError, MarketError
from annotation.mturk.client import TURK, Market

OPEN, SENT, DISCARDED = "open", "sent", "discarded"


@dataclass(frozen=True, slots=True)
class OwedWork:
    """Which work a call is about: that under a tag, or these HITs where the study has none. `key` names the study."""

    key: str
    tag: str
    hit_ids: tuple[str, ...] = ()

    def parameters(self) -> dict[str, Any]:
        return {"Study": self.tag} if self.tag else {"HITIds": list(self.hit_ids)}


@dataclass(frozen=True, slots=True)
class OwedRow:
    """One person and what they are owed, with what the marketplace still knows of them."""

    worker_id: str = field(repr=False)
    pays: str
    currency: str
    tasks: int
    amount_minor: int
    channel: str
    code: str = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    external_id: str = field(repr=False)
    purged_at: datetime | None


@dataclass(frozen=True, slots=True)
class SiteSum:
    """What people earned in one currency whom the marketplace pays itself."""

    currency: str
    people: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class OwedList:
    """Everybody who is owed something; and how many the marketplace pays itself, with what they earned.

    without_payee: those of the latter who left no payment details, so that the marketplace cannot pay them.
    """

    rows: tuple[OwedRow, ...]
    by_site: tuple[SiteSum, ...] = ()
    without_payee: tuple[OwedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class OwedSum:
    """What is owed for the work under a tag, by one way, in one currency."""

    tag: str
    pays: str
    currency: str
    people: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class PayoutRecord:
    """A payout file as the marketplace keeps it."""

    file_id: str
    key: str
    currency: str
    state: str
    people: int
    amount_minor: int
    created_by: str
    created_at: datetime
    settled_by: str
    settled_at: datetime | None
    rows: tuple[OwedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelRetention:
    """What is stored of the people of one channel, and until when."""

    channel: str
    kind: str
    people: int
    identities: int
    retain_until: datetime | None
    purged_at: datetime | None
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class RetentionState:
    """What is stored of a study's participants; who is still owed something; when the marketplace last deleted."""

    channels: tuple[ChannelRetention, ...]
    owed: int
    in_files: int
    last_purge: datetime | None

    @property
    def identities(self) -> int:
        return sum(channel.identities for channel in self.channels)


def list_owed(market: Market, work: OwedWork, *, with_unpaid: bool = False) -> OwedList:
    """Everybody who is owed something for this work and is paid in another place."""
    answer = market.call_extension("list_owed", WithUnpaid=with_unpaid, **work.parameters())
    by_site = (SiteSum(row["Currency"], row["People"], row["AmountMinor"]) for row in answer["PaidHere"])
    return OwedList(_rows(answer["People"]), tuple(by_site), _rows(answer["WithoutPayee"]))


def sum_owed(market: Market) -> list[OwedSum]:
    """What the account owes by study tag."""
    rows = market.call_extension("sum_owed")["Studies"]
    return [OwedSum(row["Study"], row["Pays"], row["Currency"], row["People"], row["AmountMinor"]) for row in rows]


def create_file(
    market: Market, work: OwedWork, rows: Sequence[OwedRow], *, actor: str, with_unpaid: bool
) -> PayoutRecord:
    """Take out exactly these rows (of one currency). Raises ChangedError where they are not owed so any more."""
    answer = _confirmed(
        market,
        "create_payout_file",
        Key=work.key,
        Currency=rows[0].currency,
        People=len(rows),
        AmountMinor=sum(row.amount_minor for row in rows),
        WorkerIds=[row.worker_id for row in rows],
        WithUnpaid=with_unpaid,
        Actor=actor,
        **work.parameters(),
    )
    return _record(answer)


def list_files(market: Market, key: str = "") -> list[PayoutRecord]:
    """The payout files of a study, or of every study, newest first."""
    answer = market.call_extension("list_payout_files", **({"Key": key} if key else {}))
    return [_record(row) for row in answer["Files"]]


def get_file(market: Market, file_id: str) -> PayoutRecord:
    """A payout file with its rows. Raises MarketError where there is none of that id."""
    return _record(market.call_extension("get_payout_file", FileId=file_id))


def mark_sent(market: Market, file: PayoutRecord, *, people: int, amount_minor: int, actor: str) -> bool:
    """Mark a file's amounts as sent; False where they were before. Raises ChangedError for other amounts."""
    counts = {"People": people, "AmountMinor": amount_minor}
    return bool(_confirmed(market, "mark_payout_sent", FileId=file.file_id, Actor=actor, **counts)["Changed"])


def undo_sent(market: Market, file_id: str, *, actor: str) -> None:
    """Open a file again. Raises ChangedError a day after it was marked."""
    _confirmed(market, "undo_payout_sent", FileId=file_id, Actor=actor)


def discard_file(market: Market, file_id: str, *, actor: str) -> None:
    """Let what is in an open file be owed again. Raises ChangedError for a file that was marked as sent."""
    _confirmed(market, "discard_payout_file", FileId=file_id, Actor=actor)


def get_retention(market: Market, tag: str) -> RetentionState:
    """What the marketplace stores of the people of a study."""
    answer = market.call_extension("get_retention", Study=tag)
    channels = tuple(
        ChannelRetention(
            row["Channel"],
            row["Kind"],
            row["People"],
            row["Identities"],
            _at(row, "RetainUntil"),
            _at(row, "PurgedAt"),
            _at(row, "ClosedAt"),
        )
        for row in answer["Channels"]
    )
    return RetentionState(channels, answer["PeopleOwed"], answer["PeopleInOpenFiles"], _at(answer, "LastPurge"))


def set_retention(market: Market, tag: str, until: datetime | None, *, once_until: datetime | None = None) -> int:
    """Set the date of all channels of a study, and that of their sealed lists; how many channels there are."""
    dates = {"RetainUntil": until, "SealedUntil": once_until}
    present = {name: date for name, date in dates.items() if date}
    return int(market.call_extension("set_retention", Study=tag, **present)["Channels"])


def purge_study(market: Market, tag: str, *, identities: int) -> int:
    """Delete at once who the participants are. Raises ChangedError where others are stored, or somebody is owed."""
    return int(_confirmed(market, "purge_study", Study=tag, Identities=identities)["Identities"])


def _confirmed(market: Market, operation: str, **parameters: Any) -> Mapping[str, Any]:
    """A call that holds only for what was shown."""
    try:
        return market.call_extension(operation, **parameters)
    except MarketError as error:
        if error.code not in {TURK + "PayoutChanged", TURK + "RetentionChanged", TURK + "PayoutsOwed"}:
            raise
        # Without the number by which the marketplace's log finds the call.
        sentence = re.sub(r" \(\d+\)$", "", str(error).removeprefix("Marketplace error: "))
        raise ChangedError(sentence) from error


def _rows(rows: Sequence[Mapping[str, Any]]) -> tuple[OwedRow, ...]:
    return tuple(
        OwedRow(
            row["WorkerId"],
            row["Pays"],
            row["Currency"],
            row["Tasks"],
            row["AmountMinor"],
            row.get("Channel", ""),
            row.get("Code", ""),
            row.get("Name", ""),
            row.get("Email", ""),
            row.get("ExternalId", ""),
            _at(row, "PurgedAt"),
        )
        for row in rows
    )


def _record(row: Mapping[str, Any]) -> PayoutRecord:
    return PayoutRecord(
        row["FileId"],
        row["Key"],
        row["Currency"],
        row["State"],
        row["People"],
        row["AmountMinor"],
        row["CreatedBy"],
        row["CreationTime"].astimezone(UTC),
        row.get("SettledBy", ""),
        _at(row, "SettledTime"),
        _rows(row.get("Rows", ())),
    )


def _at(row: Mapping[str, Any], name: str) -> datetime | None:
    at: datetime | None = row.get(name)
    return at.astimezone(UTC) if at else None
