"""Qualification types of requesters: create, show, list, update, delete."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotation.marketplace.core.faults import visible
from annotation.marketplace.core.paging import page
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Hit, HitType, QualificationType
from annotation.marketplace.operations.finding import denied
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.operations.shapes import hit_shape
from annotation.marketplace.qualifications import once_pass as once
from annotation.marketplace.qualifications.requirements import SYSTEM_NAMES
from annotation.marketplace.questions import form_parser as reading
from annotation.marketplace.questions.answer_keys import read_key
from annotation.marketplace.questions.question_types import check_size

USUAL_VALUE = 1


@operation("CreateQualificationType", writes=True)
def create_type(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    test = _test(given, auto_granted=given.get("AutoGranted", False))
    try:
        with transaction.atomic():
            made = QualificationType.objects.create(
                requester=call.requester,
                name=given["Name"],
                description=given["Description"],
                keywords=given.get("Keywords", ""),
                status=given["QualificationTypeStatus"],
                retry_delay_seconds=given.get("RetryDelayInSeconds"),
                auto_granted=given.get("AutoGranted", False),
                auto_granted_value=given.get("AutoGrantedValue", USUAL_VALUE),
                once=once.asked_for(given.get("Keywords", "")),
                created_at=call.now,
                **test,
            )
    except IntegrityError:
        raise RequestRefusedError(
            "QualificationTypeAlreadyExists", "You have already created a QualificationType with this name."
        ) from None
    return {"QualificationType": type_shape(made, call)}


@operation("GetQualificationType", writes=False)
def get_type(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    type_id = given["QualificationTypeId"]
    if type_id in SYSTEM_NAMES:
        return {"QualificationType": _system_shape(type_id)}
    return {"QualificationType": type_shape(known_type(type_id), call)}


@operation("ListQualificationTypes", writes=False)
def list_types(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Active types, and the caller's own inactive ones; `Query` is looked for in name, keywords and description."""
    rows = QualificationType.objects.filter(deleted_at=None)
    if given["MustBeRequestable"]:
        rows = rows.filter(once=False)
    owned, query = given.get("MustBeOwnedByCaller", False), given.get("Query", "")
    mine = Q(requester=call.requester)
    rows = rows.filter(mine if owned else mine | Q(status=QualificationType.Status.ACTIVE))
    for word in query.split():
        rows = rows.filter(Q(name__icontains=word) | Q(keywords__icontains=word) | Q(description__icontains=word))
    return page(
        visible(rows, "created_at", call.now),
        given,
        keys=["id"],
        scope=["ListQualificationTypes", call.requester.pk, owned, given["MustBeRequestable"], query],
        member="QualificationTypes",
        shape=lambda found: type_shape(found, call),
    )


@operation("UpdateQualificationType", writes=True)
def update_type(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    found = own_type(call, given["QualificationTypeId"])
    if found.test and given.get("AutoGranted"):
        raise InvalidParameterError("A QualificationType that has a Test cannot be AutoGranted.")
    test = _test(given, auto_granted=given.get("AutoGranted", found.auto_granted))
    for name, value in test.items():
        setattr(found, name, value)
    found.description = given.get("Description", found.description)
    found.status = given.get("QualificationTypeStatus", found.status)
    found.retry_delay_seconds = given.get("RetryDelayInSeconds", found.retry_delay_seconds)
    found.auto_granted = given.get("AutoGranted", found.auto_granted)
    found.auto_granted_value = given.get("AutoGrantedValue", found.auto_granted_value)
    fields = ["description", "status", "retry_delay_seconds", "auto_granted", "auto_granted_value", *test]
    found.save(update_fields=fields)
    return {"QualificationType": type_shape(found, call)}


@operation("DeleteQualificationType", writes=True)
def delete_type(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Nobody holds the type any more; its name is free at once."""
    found = own_type(call, given["QualificationTypeId"])
    found.deleted_at = call.now
    found.save(update_fields=["deleted_at"])
    found.grants.all().delete()
    return {}


@operation("ListHITsForQualificationType", writes=False)
def list_hits_for_type(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    type_id = given["QualificationTypeId"]
    if type_id not in SYSTEM_NAMES:
        known_type(type_id)
    types = HitType.objects.filter(requester=call.requester).values_list("pk", "requirements")
    asking = [pk for pk, rows in types if any(row["QualificationTypeId"] == type_id for row in rows)]
    rows = Hit.objects.filter(requester=call.requester, hit_type__in=asking).exclude(status=Hit.Status.DISPOSED)
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        given,
        keys=["id"],
        scope=["ListHITsForQualificationType", call.requester.pk, type_id],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )


def known_type(type_id: str) -> QualificationType:
    """Raises RequestRefusedError (QualificationTypeDoesNotExist)."""
    found = QualificationType.objects.filter(type_id=type_id, deleted_at=None).first()
    if found is None:
        raise RequestRefusedError("QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist.")
    return found


def own_type(call: Call, type_id: str) -> QualificationType:
    """Raises RequestRefusedError: QualificationTypeDoesNotExist, PermissionDeniedException."""
    found = known_type(type_id)
    if found.requester_id != call.requester.pk:
        raise denied(f"QualificationType {type_id}")
    return found


def type_shape(found: QualificationType, call: Call) -> dict[str, Any]:
    """The structure QualificationType; the test and its key are for the type's owner only."""
    own = found.requester_id == call.requester.pk
    return {
        "QualificationTypeId": found.type_id,
        "CreationTime": found.created_at,
        "Name": found.name,
        "Description": found.description,
        "Keywords": found.keywords or None,
        "QualificationTypeStatus": found.status,
        "RetryDelayInSeconds": found.retry_delay_seconds,
        "IsRequestable": not found.once,
        "AutoGranted": found.auto_granted,
        "AutoGrantedValue": found.auto_granted_value if found.auto_granted else None,
        "Test": (own and found.test) or None,
        "TestDurationInSeconds": found.test_seconds,
        "AnswerKey": (own and found.answer_key) or None,
    }


def _system_shape(type_id: str) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Name": SYSTEM_NAMES[type_id],
        "QualificationTypeStatus": QualificationType.Status.ACTIVE,
        "IsRequestable": False,
        "AutoGranted": False,
    }


def _test(given: dict[str, Any], *, auto_granted: bool) -> dict[str, Any]:
    """The columns that Test, TestDurationInSeconds and AnswerKey set, together; none without a Test.

    Raises InvalidParameterError naming the rule that is broken.
    """
    if "Test" not in given:
        for member in ("TestDurationInSeconds", "AnswerKey"):
            if member in given:
                raise InvalidParameterError(f"{member} must be given together with Test.")
        return {}
    if auto_granted:
        raise InvalidParameterError("Test must not be given when AutoGranted is true.")
    if "TestDurationInSeconds" not in given:
        raise InvalidParameterError("TestDurationInSeconds must be given together with Test.")
    check_size(given["Test"], "Test")
    form = reading.read(given["Test"])
    if "AnswerKey" in given:
        check_size(given["AnswerKey"], "AnswerKey")
        read_key(given["AnswerKey"], form)
    return {
        "test": given["Test"],
        "test_seconds": given["TestDurationInSeconds"],
        "answer_key": given.get("AnswerKey", ""),
    }
