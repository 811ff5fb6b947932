"""Invite people one by one: a link for each, shown once. Names and addresses are stored at the marketplace alone."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study
from annotation.mturk import channels
from annotation.mturk.channels import NAMED, GuestRecord, InvitedPeople, MailReport
from annotation.mturk.client import Market
from annotation.recruiting.queries import channel_of
from annotation.recruiting.study_tag import require_recruitable

COLUMNS = ("email", "id", "name")
MAX_PEOPLE = 10_000


def invite_people(
    study: Study, channel_id: str, guests: Sequence[GuestRecord], *, market: Market, actor: str, now: datetime
) -> InvitedPeople:
    """A link for each guest who is new to the channel: all or none. Those invited before keep their links.

    Raises StateError, naming the field `people` and the row that is at fault, and MarketError.
    """
    require_recruitable(study)
    channel = channel_of(study, channel_id, market)
    if channel.kind not in NAMED:
        raise StateError("People are invited one by one in a list or a team: open a channel of that kind.")
    if channel.closed_at is not None:
        raise StateError("This channel is closed: reopen it, then invite people.")
    if not guests:
        raise StateError("The list is empty: name at least one person.").at("people")
    invited = channels.invite_people(market, channel_id, guests)
    AuditEvent.objects.record(
        study,
        "invite_people",
        actor=actor,
        now=now,
        channel=channel_id,
        invited=len(invited.new),
        invited_before=invited.before,
    )
    return invited


def renew_link(study: Study, channel_id: str, participant_id: str, *, market: Market, actor: str, now: datetime) -> str:
    """One more link for an invited person, shown this once; earlier ones go on working."""
    channel_of(study, channel_id, market)
    link = channels.create_participant_link(market, channel_id, participant_id)
    facts = {"channel": channel_id, "participant": participant_id}
    AuditEvent.objects.record(study, "renew_link", actor=actor, now=now, **facts)
    return link


def mail_people(
    study: Study, channel_id: str, *, remind: bool, market: Market, actor: str, now: datetime
) -> MailReport:
    """Mail their links to those with an address; `remind`: once more to those who have not begun."""
    channel_of(study, channel_id, market)
    mailed = channels.mail_people(market, channel_id, remind=remind)
    AuditEvent.objects.record(
        study, "mail_people", actor=actor, now=now, channel=channel_id, sent=mailed.sent, remind=remind
    )
    return mailed


def read_guests(lines: Iterable[str]) -> list[GuestRecord]:
    """The guests of a CSV with the columns email or id, and perhaps name; other columns are left alone.

    Cells end at commas, semicolons or tabs, whichever the heading has most of. Raises StateError at `people` that
    names row (the first below the heading is 2), field and rule.
    """
    rest = iter(lines)
    heading = next(rest, "").removeprefix("\ufeff")
    reader = csv.DictReader(chain([heading], rest), strict=True, delimiter=max(",;\t", key=heading.count))
    try:
        names = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
        if not {"email", "id"} & set(names):
            raise StateError("Row 1: a column named email or id is missing.").at("people")
        guests = [_guest(reader.line_num, {key: row.get(names.get(key, "")) for key in COLUMNS}) for row in reader]
    except csv.Error as error:
        raise StateError(f"Row {reader.line_num}: {error}.").at("people") from None
    guests = [guest for guest in guests if guest.email or guest.external_id or guest.name]
    if not 1 <= len(guests) <= MAX_PEOPLE:
        raise StateError(f"A list names 1 to {MAX_PEOPLE} people, not {len(guests)}.").at("people")
    _refuse_twins(guests)
    return guests


def _guest(row: int, cells: dict[str, str | None]) -> GuestRecord:
    email, external_id, name = ((cells[key] or "").strip() for key in COLUMNS)
    if name and not (email or external_id):
        raise StateError(f"Row {row}, email: an address or an id is needed.").at("people")
    return GuestRecord(email.lower(), external_id, name, row)


def _refuse_twins(guests: Iterable[GuestRecord]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for guest in guests:
        for column, value in (("email", guest.email), ("id", guest.external_id)):
            if value and (before := seen.setdefault((column, value), guest.row)) != guest.row:
                raise StateError(f"Row {guest.row}, {column}: the same as in row {before}.").at("people")
