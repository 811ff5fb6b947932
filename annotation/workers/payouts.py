"""Payouts of people whom their requester pays outside the marketplace: a file out, marked as sent once.

The marketplace keeps who is owed what. Here only the deed is written down, without a name, an address or an id.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, OuterRef

from annotation import settings
from annotation.exceptions import ChangedError, StateError
from annotation.models import AuditEvent, Hit, Study
from annotation.mturk import payouts as calls
from annotation.mturk.client import Market
from annotation.mturk.payouts import OwedRow, OwedWork, PayoutRecord
from annotation.pricing.currency import plain_amount

COLUMNS = (
    "payment",
    "name",
    "email",
    "panel_id",
    "completion_code",
    "worker_id",
    "paid_by",
    "channel",
    "tasks",
    "amount",
    "currency",
)
# A cell that begins so is run by spreadsheets.
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")


def market_of_payouts() -> Market:
    """The marketplace, asked twice at most: a page does not wait for one that is away."""
    return Market(replace(settings.endpoint(), attempts=2))


def work_of(study: Study) -> OwedWork | None:
    """What of the marketplace's work is the study's; None where nothing of it was published."""
    if study.mode == Study.Mode.IMPORTED or study.status == Study.Status.DRAFT:
        return None
    hit_ids = () if study.channel_tag else study.hits.exclude(market_id=None).values_list("market_id", flat=True)
    if not study.channel_tag and not hit_ids:
        return None
    return OwedWork(str(study.uuid), study.channel_tag, tuple(hit_id for hit_id in hit_ids if hit_id))


def open_to_accounts(studies: Iterable[Study]) -> list[Study]:
    """Those of the studies whose work no tag names: live ones with published tasks. One query."""
    untagged = [study.pk for study in studies if not study.channel_tag and study.mode == Study.Mode.LIVE]
    published = Hit.objects.filter(study=OuterRef("pk")).exclude(market_id=None)
    rows = Study.objects.filter(pk__in=untagged).exclude(status=Study.Status.DRAFT)
    return list(rows.filter(Exists(published)).order_by("name"))


def create_payout_file(
    study: Study, worker_ids: Collection[str], *, with_unpaid: bool, market: Market, actor: str, now: datetime
) -> PayoutRecord:
    """Take out what these people are owed, as a file. Nobody is in two files that are open or sent.

    Raises StateError where nobody is chosen or they are owed different currencies, ChangedError where one of them is
    owed nothing any more.
    """
    work = work_of(study)
    if work is None:
        raise StateError(f"The study {study.name} was not published, so no payouts are due.")
    if not worker_ids:
        raise StateError("Choose at least one participant.").at("chosen")
    chosen = set(worker_ids)
    rows = [row for row in calls.list_owed(market, work, with_unpaid=with_unpaid).rows if row.worker_id in chosen]
    if len({row.worker_id for row in rows}) < len(chosen):
        raise ChangedError(
            "Some of the chosen participants are not owed anything any more. Another file may hold their payouts. "
            "No file was created."
        ).at("chosen")
    if len({row.currency for row in rows}) > 1:
        raise StateError("A file has one currency. Choose participants who are owed the same currency.").at("chosen")
    file = calls.create_file(market, work, rows, actor=actor, with_unpaid=with_unpaid)
    AuditEvent.objects.record(study, "create_payout_file", actor=actor, now=now, **_facts(file))
    return file


def find_file(study: Study, file_id: str, *, market: Market) -> PayoutRecord:
    """The payout file of the study with its rows. Raises StateError where the study has none of that id."""
    if all(file.file_id != file_id for file in calls.list_files(market, str(study.uuid))):
        raise StateError(f"The study {study.name} has no payout file {file_id[:64]}.")
    return calls.get_file(market, file_id)


def mark_payout_sent(
    study: Study, file_id: str, *, people: int, amount_minor: int, market: Market, actor: str, now: datetime
) -> bool:
    """Mark exactly these amounts of a file as sent; False where they were marked before.

    people, amount_minor: what the page showed. Raises ChangedError where the file has others, or was discarded.
    """
    file = find_file(study, file_id, market=market)
    changed = calls.mark_sent(market, file, people=people, amount_minor=amount_minor, actor=actor)
    if changed:
        AuditEvent.objects.record(study, "mark_payout_sent", actor=actor, now=now, **_facts(file))
    return changed


def undo_payout_sent(study: Study, file_id: str, *, market: Market, actor: str, now: datetime) -> None:
    """Undo the mark. Raises ChangedError where it is over a day old."""
    file = find_file(study, file_id, market=market)
    calls.undo_sent(market, file.file_id, actor=actor)
    AuditEvent.objects.record(study, "undo_payout_sent", actor=actor, now=now, **_facts(file))


def discard_payout_file(study: Study, file_id: str, *, market: Market, actor: str, now: datetime) -> None:
    """Let what is in an open file be owed again. Raises ChangedError where it was marked as sent."""
    file = find_file(study, file_id, market=market)
    calls.discard_file(market, file.file_id, actor=actor)
    AuditEvent.objects.record(study, "discard_payout_file", actor=actor, now=now, **_facts(file))


def _facts(file: PayoutRecord) -> dict[str, object]:
    return {
        "file": file.file_id,
        "people": file.people,
        "amount": f"{plain_amount(file.amount_minor, file.currency)} {file.currency}",
    }


def as_csv(file: PayoutRecord) -> str:
    """The file for a payment service. The same file reads the same whenever it is downloaded, but for what was deleted.

    `payment` names each payment for ever: a service that knows it already refuses to pay it twice.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(file, file.rows))
    return out.getvalue()


def _cells(file: PayoutRecord, rows: Iterable[OwedRow]) -> Iterable[list[str]]:
    for number, row in enumerate(rows, 1):
        amount = plain_amount(row.amount_minor, row.currency)
        texts = (row.name, row.email, row.external_id, row.code, row.worker_id, row.pays, row.channel)
        yield [f"{file.file_id}-{number}", *map(disarm, texts), str(row.tasks), amount, row.currency]


def disarm(cell: str) -> str:
    """The cell as a text that no spreadsheet runs."""
    return f"'{cell}" if cell.startswith(RUN_BY_SPREADSHEETS) else cell
