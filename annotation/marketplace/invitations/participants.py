"""Invited people: a CSV of them in, links for each of them out, and how far each has come."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.invitations.channel_plan import LinkPlan
from annotation.marketplace.invitations.open_channel import link_for
from annotation.marketplace.models import Assignment, Channel, Participant, ParticipantIdentity
from annotation.marketplace.workers.payouts import escaped

COLUMNS = ("email", "id", "name")
LONGEST = 200
MAX_PEOPLE = 10_000


@dataclass(frozen=True)
class Guest:
    """A person to be invited, known by an address, an id or both."""

    row: int
    email: str
    external_id: str
    name: str


@dataclass(frozen=True)
class Invited:
    """A guest who was new, the participant they are, and their link."""

    guest: Guest
    participant_id: str
    link: str


@dataclass(frozen=True)
class Import:
    """Those who are new, and how many had been invited before (their links stay as they are)."""

    new: tuple[Invited, ...]
    before: int


def read(source: Iterable[str]) -> list[Guest]:
    """The guests of a CSV with the columns email or id, and perhaps name; other columns are left alone.

    Cells end at commas, semicolons or tabs, whichever the heading has most of.

    Raises InvalidParameterError that names row (the first below the heading is 2), field and rule.
    """
    lines = list(source)
    heading = lines[0] if lines else ""
    reader = csv.DictReader(lines, strict=True, delimiter=max(",;\t", key=heading.count))
    try:
        fields = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
        if not {"email", "id"} & set(fields):
            raise InvalidParameterError("Row 1: a column named email or id is missing.")
        guests = [
            _guest(reader.line_num, {key: row.get(fields[key]) if key in fields else "" for key in COLUMNS})
            for row in reader
            if any((cell or "").strip() for cell in row.values() if isinstance(cell, str))
        ]
    except csv.Error as error:
        raise InvalidParameterError(f"Row {reader.line_num}: {error}.") from None
    if len(guests) > MAX_PEOPLE:
        raise InvalidParameterError(f"{MAX_PEOPLE} people can be invited at once, not {len(guests)}.")
    _check_twins(guests)
    return guests


def guests_of(rows: Iterable[tuple[int, dict[str, str | None]]]) -> list[Guest]:
    """The guests of numbered rows with the cells email, id and name. Raises InvalidParameterError as `read` does."""
    guests = [_guest(row, cells) for row, cells in rows]
    if not 1 <= len(guests) <= MAX_PEOPLE:
        raise InvalidParameterError(f"1 to {MAX_PEOPLE} people can be invited at once, not {len(guests)}.")
    _check_twins(guests)
    return guests


def _guest(row: int, cells: dict[str, str | None]) -> Guest:
    values = {name: (cell or "").strip() for name, cell in cells.items()}
    for name, cell in values.items():
        if len(cell) > LONGEST or not cell.isprintable():
            raise InvalidParameterError(f"Row {row}, {name}: at most {LONGEST} printable characters are allowed.")
    if not values["email"] and not values["id"]:
        raise InvalidParameterError(f"Row {row}, email: an address or an id is needed.")
    if values["email"]:
        try:
            validate_email(values["email"])
        except ValidationError:
            raise InvalidParameterError(
                f"Row {row}, email: {values['email']!r} is not a valid email address."
            ) from None
    return Guest(row, values["email"].lower(), values["id"], values["name"])


def _check_twins(guests: Sequence[Guest]) -> None:
    for field, name in (("email", "email"), ("external_id", "id")):
        seen: dict[str, int] = {}
        for guest in guests:
            value = getattr(guest, field)
            if value and value in seen:
                raise InvalidParameterError(f"Row {guest.row}, {name}: the same as in row {seen[value]}.")
            seen[value] = guest.row


@transaction.atomic
def invite(channel: Channel, guests: Sequence[Guest], plan: LinkPlan, *, now: datetime) -> Import:
    """Create a participant and a personal link for each guest who is not invited yet: all or none."""
    locked = Channel.objects.select_for_update(no_key=True).get(pk=channel.pk)
    known = ParticipantIdentity.objects.filter(channel=locked)
    emails, ids = set(known.values_list("email", flat=True)), set(known.values_list("external_id", flat=True))
    new = [
        guest
        for guest in guests
        if not (guest.email and guest.email in emails) and not (guest.external_id and guest.external_id in ids)
    ]
    people = Participant.objects.bulk_create(Participant(channel=locked, created_at=now) for _ in new)
    ParticipantIdentity.objects.bulk_create(
        ParticipantIdentity(
            participant=person, channel=locked, email=guest.email, external_id=guest.external_id, name=guest.name
        )
        for person, guest in zip(people, new, strict=True)
    )
    invitations = (
        Invited(guest, person.participant_id, link_for(person, plan, now=now))
        for person, guest in zip(people, new, strict=True)
    )
    return Import(tuple(invitations), len(guests) - len(new))


def write_links(invited: Sequence[Invited], out: IO[str]) -> None:
    """Write the links as CSV, with the file's name of each person. Cells that a spreadsheet would run are disarmed."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*COLUMNS, "link"))
    for invitation in invited:
        cells = (invitation.guest.email, invitation.guest.external_id, invitation.guest.name, invitation.link)
        writer.writerow([escaped(cell) for cell in cells])


@dataclass(frozen=True)
class State:
    """How far one person of a channel has come. `email` and `name` are known of invited people until they decline,
    `external_id` and `panel_ids` of those who came from a panel, until they are deleted."""

    participant: str
    worker: str
    state: str
    mailed_at: datetime | None
    opened_at: datetime | None
    began_at: datetime | None
    finished_at: datetime | None
    handed_in: int
    email: str
    name: str
    external_id: str
    panel_ids: dict[str, str]


def count_without_code(channel: Channel) -> int:
    """How many have finished when the codes that the requester supplied had run out (`Participant.lacks_code`)."""
    if not channel.has_supplied_codes:
        return 0
    rows = Participant.objects.filter(channel=channel, supplied_code=None).exclude(code="")
    if channel.stop_code:
        rows = rows.filter(stopped_at=None)
    return rows.filter(Q(link=None) | Q(link__completion_code="")).count()


def states(channel: Channel) -> list[State]:
    """Everybody of `channel`, in the order in which they were invited or came."""
    rows = Participant.objects.filter(channel=channel).select_related("worker", "identity").order_by("pk")
    submitted_counts: dict[int, int] = {}
    done = Assignment.objects.filter(worker__channel=channel, state__in=Assignment.SUBMITTED_STATES)
    for worker in done.values_list("worker_id", flat=True):
        submitted_counts[worker] = submitted_counts.get(worker, 0) + 1
    return [_state(row, submitted_counts.get(row.worker_id or 0, 0)) for row in rows]


def _state(row: Participant, handed_in: int) -> State:
    known = getattr(row, "identity", None)
    return State(
        participant=row.participant_id,
        worker=row.worker.worker_id if row.worker else "",
        state=state_of(row),
        mailed_at=row.mailed_at,
        opened_at=row.opened_at,
        began_at=row.began_at,
        finished_at=row.finished_at,
        handed_in=handed_in,
        email=known.email if known else "",
        name=known.name if known else "",
        external_id=known.external_id if known else "",
        panel_ids=known.panel_ids if known else {},
    )


def state_of(row: Participant) -> str:
    """The last that happened: withdrawn, finished, began (and agreed), declined, opened, mailed, invited."""
    for word in ("withdrawn", "finished", "began", "declined", "opened", "mailed"):
        if getattr(row, f"{word}_at") is not None:
            return word
    return "invited"
