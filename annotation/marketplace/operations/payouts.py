"""What Amazon's API never had: who is owed what by a requester who pays elsewhere, and files of such payouts.

Names, addresses and panel ids leave the vault here, signed for by the requester whose participants they are, and are
read live: after the retention date the same calls answer without them.
"""

from __future__ import annotations

from typing import Any

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import PayoutFile
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.workers import settlements
from annotation.marketplace.workers.settlements import KnownPerson, Person, Scope


@extension_operation("ListOwed", writes=False)
def list_owed(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    scope = _scope(call, parameters)
    people = settlements.list_owed(scope, with_unpaid=parameters.get("WithUnpaid", False))
    unpayable = settlements.list_without_payee(scope)
    known = settlements.known_of(person.worker_key for person in (*people, *unpayable))
    site = settlements.paid_by_site(scope)
    return {
        "People": [_person_shape(person, known.get(person.worker_key, KnownPerson())) for person in people],
        "PaidHere": [{"Currency": row.currency, "People": row.people, "AmountMinor": row.amount_minor} for row in site],
        "WithoutPayee": [_person_shape(person, known.get(person.worker_key, KnownPerson())) for person in unpayable],
    }


@extension_operation("SumOwed", writes=False)
def sum_owed(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    sums = settlements.sum_owed(call.requester)
    return {
        "Studies": [
            {
                "Study": row.study,
                "Pays": row.pays,
                "Currency": row.currency,
                "People": row.people,
                "AmountMinor": row.amount_minor,
            }
            for row in sums
        ]
    }


@extension_operation("CreatePayoutFile", writes=True)
def create_payout_file(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    file = settlements.create_file(
        _scope(call, parameters),
        parameters["Key"],
        currency=parameters["Currency"],
        people=parameters["People"],
        amount_minor=parameters["AmountMinor"],
        by=parameters["Actor"],
        now=call.now,
        worker_ids=parameters.get("WorkerIds", ()),
        with_unpaid=parameters.get("WithUnpaid", False),
    )
    return _file_shape(file)


@extension_operation("ListPayoutFiles", writes=False)
def list_payout_files(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    files = settlements.files_of(call.requester, parameters.get("Key", ""))
    return {"Files": [_file_shape(file) for file in files]}


@extension_operation("GetPayoutFile", writes=False)
def get_payout_file(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    file = _file(call, parameters)
    rows = list(file.settlements.select_related("worker__channel").order_by("pk"))
    known = settlements.known_of(row.worker_id for row in rows)
    people = [
        Person(
            row.worker_id,
            row.worker.worker_id,
            row.pays,
            file.currency,
            channel.name if channel else "",
            channel.purged_at if channel else None,
            row.tasks,
            row.amount_minor,
        )
        for row in rows
        for channel in [row.worker.channel]
    ]
    return {
        **_file_shape(file),
        "Rows": [_person_shape(person, known.get(person.worker_key, KnownPerson())) for person in people],
    }


@extension_operation("MarkPayoutSent", writes=True)
def mark_payout_sent(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    file = _file(call, parameters)
    changed = settlements.mark_sent(
        file, people=parameters["People"], amount_minor=parameters["AmountMinor"], by=parameters["Actor"], now=call.now
    )
    return {"Changed": changed}


@extension_operation("UndoPayoutSent", writes=True)
def undo_payout_sent(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    settlements.undo_sent(_file(call, parameters), now=call.now)
    return {"Changed": True}


@extension_operation("DiscardPayoutFile", writes=True)
def discard_payout_file(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    settlements.discard_file(_file(call, parameters), by=parameters["Actor"], now=call.now)
    return {"Changed": True}


def _scope(call: Call, parameters: dict[str, Any]) -> Scope:
    """A scope that names neither a study nor a HIT is empty: it does not mean all work of the requester."""
    return Scope(call.requester, parameters.get("Study", "").lower(), parameters.get("HITIds", ()) or ("none",))


def _file(call: Call, parameters: dict[str, Any]) -> PayoutFile:
    file = PayoutFile.objects.filter(requester=call.requester, file_id=parameters["FileId"]).first()
    if file is None:
        raise RequestRefusedError("PayoutFileDoesNotExist", "There is no payout file of this id.")
    return file


def _person_shape(person: Person, known: KnownPerson) -> dict[str, Any]:
    return {
        "WorkerId": person.worker_id,
        "Pays": person.pays,
        "Currency": person.currency,
        "Tasks": person.tasks,
        "AmountMinor": person.amount_minor,
        "Channel": person.channel,
        "Code": known.code,
        "Name": known.name,
        "Email": known.email,
        "ExternalId": known.external_id,
        **({"PurgedAt": person.purged_at} if person.purged_at else {}),
    }


def _file_shape(file: PayoutFile) -> dict[str, Any]:
    return {
        "FileId": file.file_id,
        "Key": file.key,
        "Currency": file.currency,
        "State": file.state,
        "People": file.people,
        "AmountMinor": file.amount_minor,
        "CreatedBy": file.created_by,
        "CreationTime": file.created_at,
        **({"SettledBy": file.settled_by, "SettledTime": file.settled_at} if file.settled_at else {}),
    }
