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
from annotation.marketplace.qualifications import once_pass
from annotation.marketplace.qualifications.requirements import SYSTEM_NAMES
from annotation.marketplace.questions import form_parser
from annotation.marketplace.questions.answer_keys import read_key
from annotation.marketplace.questions.question_types import check_size

USUAL_VALUE = 1


@operation("CreateQualificationType", writes=True)
def create_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    test = _test(parameters, auto_granted=parameters.get("AutoGranted", False))
    try:
        with transaction.atomic():
            qualification_type = QualificationType.objects.create(
                requester=call.requester,
                name=parameters["Name"],
                description=parameters["Description"],
                keywords=parameters.get("Keywords", ""),
                status=parameters["QualificationTypeStatus"],
                retry_delay_seconds=parameters.get("RetryDelayInSeconds"),
                auto_granted=parameters.get("AutoGranted", False),
                auto_granted_value=parameters.get("AutoGrantedValue", USUAL_VALUE),
                once=once_pass.is_requested(parameters.get("Keywords", "")),
                created_at=call.now,
                **test,
            )
    except IntegrityError:
        raise RequestRefusedError(
            "QualificationTypeAlreadyExists", "You have already created a QualificationType with this name."
        ) from None
    return {"QualificationType": type_shape(qualification_type, call)}


@operation("GetQualificationType", writes=False)
def get_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    type_id = parameters["QualificationTypeId"]
    if type_id in SYSTEM_NAMES:
        return {"QualificationType": _system_shape(type_id)}
    return {"QualificationType": type_shape(known_type(type_id), call)}


@operation("ListQualificationTypes", writes=False)
def list_types(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Active types, and the caller's own inactive ones; `Query` is looked for in name, keywords and description."""
    rows = QualificationType.objects.filter(deleted_at=None)
    if parameters["MustBeRequestable"]:
        rows = rows.filter(once=False)
    owned, query = parameters.get("MustBeOwnedByCaller", False), parameters.get("Query", "")
    mine = Q(requester=call.requester)
    rows = rows.filter(mine if owned else mine | Q(status=QualificationType.Status.ACTIVE))
    for word in query.split():
        rows = rows.filter(Q(name__icontains=word) | Q(keywords__icontains=word) | Q(description__icontains=word))
    return page(
        visible(rows, "created_at", call.now),
        parameters,
        keys=["id"],
        scope=["ListQualificationTypes", call.requester.pk, owned, parameters["MustBeRequestable"], query],
        member="QualificationTypes",
        shape=lambda qualification_type: type_shape(qualification_type, call),
    )


@operation("UpdateQualificationType", writes=True)
def update_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    qualification_type = load_qualification_type(call, parameters["QualificationTypeId"])
    if qualification_type.test and parameters.get("AutoGranted"):
        raise InvalidParameterError("A QualificationType that has a Test cannot be AutoGranted.")
    test = _test(parameters, auto_granted=parameters.get("AutoGranted", qualification_type.auto_granted))
    for name, value in test.items():
        setattr(qualification_type, name, value)
    qualification_type.description = parameters.get("Description", qualification_type.description)
    qualification_type.status = parameters.get("QualificationTypeStatus", qualification_type.status)
    qualification_type.retry_delay_seconds = parameters.get(
        "RetryDelayInSeconds", qualification_type.retry_delay_seconds
    )
    qualification_type.auto_granted = parameters.get("AutoGranted", qualification_type.auto_granted)
    qualification_type.auto_granted_value = parameters.get("AutoGrantedValue", qualification_type.auto_granted_value)
    fields = ["description", "status", "retry_delay_seconds", "auto_granted", "auto_granted_value", *test]
    qualification_type.save(update_fields=fields)
    return {"QualificationType": type_shape(qualification_type, call)}


@operation("DeleteQualificationType", writes=True)
def delete_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Nobody holds the type any more; its name is free at once."""
    qualification_type = load_qualification_type(call, parameters["QualificationTypeId"])
    qualification_type.deleted_at = call.now
    qualification_type.save(update_fields=["deleted_at"])
    qualification_type.grants.all().delete()
    return {}


@operation("ListHITsForQualificationType", writes=False)
def list_hits_for_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    type_id = parameters["QualificationTypeId"]
    if type_id not in SYSTEM_NAMES:
        known_type(type_id)
    types = HitType.objects.filter(requester=call.requester).values_list("pk", "requirements")
    asking = [pk for pk, rows in types if any(row["QualificationTypeId"] == type_id for row in rows)]
    rows = Hit.objects.filter(requester=call.requester, hit_type__in=asking).exclude(status=Hit.Status.DISPOSED)
    return page(
        visible(rows, "created_at", call.now).select_related("hit_type"),
        parameters,
        keys=["id"],
        scope=["ListHITsForQualificationType", call.requester.pk, type_id],
        member="HITs",
        shape=lambda hit: hit_shape(hit, call.now),
    )


def known_type(type_id: str) -> QualificationType:
    """Raises RequestRefusedError (QualificationTypeDoesNotExist)."""
    qualification_type = QualificationType.objects.filter(type_id=type_id, deleted_at=None).first()
    if qualification_type is None:
        raise RequestRefusedError("QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist.")
    return qualification_type


def load_qualification_type(call: Call, type_id: str) -> QualificationType:
    """Raises RequestRefusedError: QualificationTypeDoesNotExist, PermissionDeniedException."""
    qualification_type = known_type(type_id)
    if qualification_type.requester_id != call.requester.pk:
        raise denied(f"QualificationType {type_id}")
    return qualification_type


def type_shape(qualification_type: QualificationType, call: Call) -> dict[str, Any]:
    """The structure QualificationType; the test and its key are for the type's owner only."""
    is_owner = qualification_type.requester_id == call.requester.pk
    return {
        "QualificationTypeId": qualification_type.type_id,
        "CreationTime": qualification_type.created_at,
        "Name": qualification_type.name,
        "Description": qualification_type.description,
        "Keywords": qualification_type.keywords or None,
        "QualificationTypeStatus": qualification_type.status,
        "RetryDelayInSeconds": qualification_type.retry_delay_seconds,
        "IsRequestable": not qualification_type.once,
        "AutoGranted": qualification_type.auto_granted,
        "AutoGrantedValue": qualification_type.auto_granted_value if qualification_type.auto_granted else None,
        "Test": (is_owner and qualification_type.test) or None,
        "TestDurationInSeconds": qualification_type.test_seconds,
        "AnswerKey": (is_owner and qualification_type.answer_key) or None,
    }


def _system_shape(type_id: str) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Name": SYSTEM_NAMES[type_id],
        "QualificationTypeStatus": QualificationType.Status.ACTIVE,
        "IsRequestable": False,
        "AutoGranted": False,
    }


def _test(parameters: dict[str, Any], *, auto_granted: bool) -> dict[str, Any]:
    """The columns that Test, TestDurationInSeconds and AnswerKey set, together; none without a Test.

    Raises InvalidParameterError naming the rule that is broken.
    """
    if "Test" not in parameters:
        for member in ("TestDurationInSeconds", "AnswerKey"):
            if member in parameters:
                raise InvalidParameterError(f"{member} must be given together with Test.")
        return {}
    if auto_granted:
        raise InvalidParameterError("Test must not be given when AutoGranted is true.")
    if "TestDurationInSeconds" not in parameters:
        raise InvalidParameterError("TestDurationInSeconds must be given together with Test.")
    check_size(parameters["Test"], "Test")
    form = form_parser.read(parameters["Test"])
    if "AnswerKey" in parameters:
        check_size(parameters["AnswerKey"], "AnswerKey")
        read_key(parameters["AnswerKey"], form)
    return {
        "test": parameters["Test"],
        "test_seconds": parameters["TestDurationInSeconds"],
        "answer_key": parameters.get("AnswerKey", ""),
    }
