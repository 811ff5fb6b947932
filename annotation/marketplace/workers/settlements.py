"""What people are owed whom their requester pays elsewhere: listed, taken out in a file, marked as sent once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, QuerySet, Sum, Value
from django.db.models.functions import Coalesce, NullIf

from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import (
    LedgerEntry,
    Participant,
    PayoutFile,
    Requester,
    SettledEntry,
    Settlement,
)

State = PayoutFile.State
Purpose = LedgerEntry.Purpose
VOLUNTEER = "volunteer"
# How long a mark can be undone: a click on the wrong file is seen within a day.
UNDO = timedelta(hours=24)
BATCH = 2000


@dataclass(frozen=True)
class Scope:
    """Which work it is about: of a study tag, or of these HITs where the study has none."""

    requester: Requester
    study: str = ""
    hit_ids: Sequence[str] = ()


@dataclass
class Person:
    """One person and what they are owed by one requester for one study in one currency."""

    worker_key: int
    worker_id: str
    pays: str
    currency: str
    channel: str
    purged_at: datetime | None
    tasks: int = 0
    amount_minor: int = 0
    entries: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class KnownPerson:
    """What is known of a person and still kept; empty strings for the rest."""

    code: str = ""
    name: str = ""
    email: str = ""
    external_id: str = ""


def entries_of(scope: Scope) -> QuerySet[LedgerEntry]:
    """Rewards and bonuses of the scope that were paid or are owed, whichever way."""
    rows = LedgerEntry.objects.filter(
        purpose__in=(Purpose.REWARD, Purpose.BONUS), assignment__hit__requester=scope.requester
    )
    if scope.study:
        return rows.filter(assignment__hit__hit_type__study=scope.study)
    return rows.filter(assignment__hit__hit_id__in=scope.hit_ids) if scope.hit_ids else rows


def owed_entries(scope: Scope) -> QuerySet[LedgerEntry]:
    """What the requester pays elsewhere and is in no file yet: rejected work has no entry, withdrawn answers do."""
    rows = entries_of(scope).filter(account=LedgerEntry.Account.OUTSIDE, settled=None)
    # Prolific pays its people itself.
    return rows.exclude(assignment__worker__channel__pays=Requester.Pays.PROLIFIC)


def _with_ways(rows: QuerySet[LedgerEntry]) -> QuerySet[Any]:
    """Each with how its worker is paid, and the currency of its row in the ledger."""
    way = Coalesce(NullIf("assignment__worker__channel__pays", Value("")), "assignment__hit__requester__pays")
    return rows.annotate(way=way, money=F("currency"))


def list_owed(scope: Scope, *, with_unpaid: bool = False) -> list[Person]:
    """Everybody who is owed something, in the order in which they came. Volunteers only `with_unpaid`, and with 0."""
    return _people(owed_entries(scope), with_unpaid=with_unpaid)


def list_without_payee(scope: Scope) -> list[Person]:
    """Who earned something that this marketplace pays itself and left no payment details, with what they earned.

    People who came by a link cannot leave any: they have no account page.
    """
    rows = entries_of(scope).filter(account=LedgerEntry.Account.WORKER, assignment__worker__payee="")
    return _people(rows, with_unpaid=False)


def _people(entries: QuerySet[LedgerEntry], *, with_unpaid: bool) -> list[Person]:
    columns = (
        "pk",
        "purpose",
        "amount_cents",
        "way",
        "money",
        "assignment__worker",
        "assignment__worker__worker_id",
        "assignment__worker__channel__name",
        "assignment__worker__channel__purged_at",
    )
    people: dict[tuple[int, str], Person] = {}
    rows = _with_ways(entries).order_by("assignment__worker", "pk").values_list(*columns)
    for pk, purpose, amount, way, money, worker, worker_id, channel, purged_at in rows:
        if way == VOLUNTEER and not with_unpaid:
            continue
        new = Person(worker, worker_id, way, money, channel or "", purged_at)
        person = people.setdefault((worker, money), new)
        person.entries.append(pk)
        person.tasks += purpose == Purpose.REWARD
        person.amount_minor += 0 if way == VOLUNTEER else amount
    return list(people.values())


@dataclass(frozen=True)
class PaidBySite:
    """People whom this marketplace pays by its own payouts, and what they earned in all in one currency."""

    currency: str
    people: int
    amount_minor: int


def paid_by_site(scope: Scope) -> list[PaidBySite]:
    """What earners of the scope get by payouts of this marketplace."""
    rows = _with_ways(entries_of(scope).filter(account=LedgerEntry.Account.WORKER)).values("money")
    sums = rows.annotate(people=Count("worker", distinct=True), amount=Sum("amount_cents")).order_by("money")
    return [PaidBySite(row["money"], row["people"], row["amount"]) for row in sums if row["people"]]


@dataclass(frozen=True)
class StudySum:
    """What is owed in all for one study tag, by one way, in one currency."""

    study: str
    pays: str
    currency: str
    people: int
    amount_minor: int


def sum_owed(requester: Requester) -> list[StudySum]:
    """What is owed by study; volunteers are owed nothing."""
    rows = _with_ways(owed_entries(Scope(requester))).exclude(way=VOLUNTEER)
    groups = rows.values("assignment__hit__hit_type__study", "way", "money").annotate(
        people=Count("assignment__worker", distinct=True), amount=Sum("amount_cents")
    )
    return [
        StudySum(row["assignment__hit__hit_type__study"], row["way"], row["money"], row["people"], row["amount"])
        for row in groups.order_by("assignment__hit__hit_type__study", "way", "money")
    ]


def known_of(workers: Iterable[int]) -> dict[int, KnownPerson]:
    """What is known of the people of channels behind these workers. Accounts are known by their worker id only."""
    rows = Participant.objects.filter(worker__in=list(workers)).select_related("identity", "link", "channel")
    known = {}
    for row in rows:
        identity = getattr(row, "identity", None)
        names = (identity.name, identity.email, identity.external_id) if identity else ("", "", "")
        known[row.worker_id or 0] = KnownPerson(row.shown_code, *names)
    return known


@transaction.atomic
def create_file(
    scope: Scope,
    key: str,
    *,
    currency: str,
    people: int,
    amount_minor: int,
    by: str,
    now: datetime,
    worker_ids: Sequence[str] = (),
    with_unpaid: bool = False,
) -> PayoutFile:
    """Take out what is owed in `currency` (to these workers, or to everybody) as a new file.

    people, amount_minor: what was shown. Raises RequestRefusedError (PayoutChanged) where it is not so any more: other
    work was approved, or another file took it.
    """
    lock_requester(scope.requester.pk)
    chosen = set(worker_ids)
    owed = [
        person
        for person in list_owed(scope, with_unpaid=with_unpaid)
        if person.currency == currency and (not chosen or person.worker_id in chosen)
    ]
    total = sum(person.amount_minor for person in owed)
    if not owed or (len(owed), total) != (people, amount_minor):
        raise RequestRefusedError("PayoutChanged", "What is owed is not what was shown. No file was made.")
    file = PayoutFile.objects.create(
        requester=scope.requester,
        key=key,
        currency=currency,
        people=len(owed),
        amount_minor=total,
        created_by=by,
        created_at=now,
    )
    settlements = Settlement.objects.bulk_create(
        (
            Settlement(
                file=file,
                worker_id=person.worker_key,
                pays=person.pays,
                tasks=person.tasks,
                amount_minor=person.amount_minor,
            )
            for person in owed
        ),
        batch_size=BATCH,
    )
    SettledEntry.objects.bulk_create(
        (
            SettledEntry(entry_id=entry, settlement=settlement)
            for person, settlement in zip(owed, settlements, strict=True)
            for entry in person.entries
        ),
        batch_size=BATCH,
    )
    return file


def files_of(requester: Requester, key: str) -> QuerySet[PayoutFile]:
    """Return the files of a study, newest first; of every study where `key` is empty."""
    rows = PayoutFile.objects.filter(requester=requester).order_by("-pk")
    return rows.filter(key=key) if key else rows


@transaction.atomic
def mark_sent(file: PayoutFile, *, people: int, amount_minor: int, by: str, now: datetime) -> bool:
    """Mark the file's amounts as sent; False where they were marked before.

    Raises RequestRefusedError (PayoutChanged) for other amounts than the file's, and for a discarded file.
    """
    if (file.people, file.amount_minor) != (people, amount_minor):
        raise RequestRefusedError("PayoutChanged", "These are not the amounts of this file. Nothing was marked.")
    open_rows = PayoutFile.objects.filter(pk=file.pk, state=State.OPEN)
    if open_rows.update(state=State.SENT, settled_by=by, settled_at=now):
        return True
    if PayoutFile.objects.get(pk=file.pk).state == State.DISCARDED:
        raise RequestRefusedError("PayoutChanged", "This file was discarded. Its amounts are owed again.")
    return False


@transaction.atomic
def undo_sent(file: PayoutFile, *, now: datetime) -> None:
    """Open the file again. Raises RequestRefusedError a day after it was marked, or where it is not marked."""
    rows = PayoutFile.objects.filter(pk=file.pk, state=State.SENT, settled_at__gt=now - UNDO)
    if not rows.update(state=State.OPEN, settled_by="", settled_at=None):
        raise RequestRefusedError("PayoutChanged", "This file is not marked as sent, or was marked over a day ago.")


@transaction.atomic
def discard_file(file: PayoutFile, *, by: str, now: datetime) -> None:
    """Let what is in an open file be owed again. Raises RequestRefusedError where it was marked as sent."""
    rows = PayoutFile.objects.filter(pk=file.pk, state=State.OPEN)
    if not rows.update(state=State.DISCARDED, settled_by=by, settled_at=now):
        raise RequestRefusedError("PayoutChanged", "Only a file that is not marked as sent can be discarded.")
    SettledEntry.objects.filter(settlement__file=file).delete()
