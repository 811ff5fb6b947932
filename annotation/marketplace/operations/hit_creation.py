"""CreateHITType, CreateHIT, CreateHITWithHITType."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

from django.conf import settings

from annotation.marketplace.channels.study_tag import tag_of
from annotation.marketplace.core import request_tokens
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.draws.cell_key import cell_of
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.hits import escrow
from annotation.marketplace.hits.eligibility import check_types_exist
from annotation.marketplace.hits.lifecycle import settle
from annotation.marketplace.ids import public_id
from annotation.marketplace.models import Hit, HitType, StudyDraw
from annotation.marketplace.notifications import events
from annotation.marketplace.operations.amounts import amount_of, currency_of
from annotation.marketplace.operations.finding import load_hit_type
from annotation.marketplace.operations.registry import Call, extension_operation, operation
from annotation.marketplace.operations.shapes import hit_shape
from annotation.marketplace.qualifications.requirements import normalised
from annotation.marketplace.questions import question_types

# Auto-approval comes after 30 days unless the type says otherwise.
USUAL_DELAY = 2_592_000
_LAYOUT = "layouts were made on Amazon's requester site; fill the template yourself and send it as Question"
_POLICY = "review policies are not carried out here; compare the answers in your own code"
UNSUPPORTED = {
    "HITLayoutId": _LAYOUT,
    "HITLayoutParameters": _LAYOUT,
    "AssignmentReviewPolicy": _POLICY,
    "HITReviewPolicy": _POLICY,
}

_TYPE = Prepared(
    lambda requester, digest: HitType.objects.select_related("subscription").filter(requester=requester, digest=digest),
    int,
    str,
)


@operation("CreateHITType", writes=True)
def create_hit_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"HITTypeId": _type_for(call, parameters).type_id}


@operation("CreateHIT", writes=True)
def create_hit(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return _create(call, parameters, _type_for(call, parameters))


@extension_operation("CheckQuestion", writes=False)
def check_question(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refuse a question as CreateHIT would, and create nothing."""
    question_types.checked(parameters["Question"])
    return {}


@operation("CreateHITWithHITType", writes=True)
def create_hit_with_hit_type(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return _create(call, parameters, load_hit_type(call, parameters["HITTypeId"]))


def _type_for(call: Call, parameters: dict[str, Any]) -> HitType:
    """The requester's type with these properties: the same one for equal properties."""
    requirements = [normalised(row) for row in parameters.get("QualificationRequirements", ())]
    currency = currency_of(parameters.get("Keywords", ""))
    check_types_exist(requirements)
    properties = {
        "title": parameters["Title"],
        "description": parameters["Description"],
        "keywords": parameters.get("Keywords", ""),
        "reward_cents": amount_of(parameters["Reward"], currency, member="Reward"),
        "assignment_seconds": parameters["AssignmentDurationInSeconds"],
        "auto_approval_seconds": parameters.get("AutoApprovalDelayInSeconds", USUAL_DELAY),
        "requirements": requirements,
    }
    digest = hashlib.sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()
    for known in _TYPE(call.requester.pk, digest):
        return known
    tag = tag_of(properties["keywords"])
    study, cell = cell_of(properties["keywords"])
    study = tag or study
    _check_study_currency(call, study, currency)
    _prepare_draw(call, study, cell)
    hit_type, _ = HitType.objects.get_or_create(
        requester=call.requester,
        digest=digest,
        defaults={
            **properties,
            "study": study,
            "cell": cell,
            "by_channel": bool(tag),
            "created_at": call.now,
            "currency": currency,
        },
    )
    return hit_type


def _check_study_currency(call: Call, study: str, currency: str) -> None:
    """A study pays in one currency. Raises InvalidParameterError."""
    others = HitType.objects.filter(requester=call.requester, study=study).exclude(currency=currency) if study else ()
    for other in others[:1]:
        raise InvalidParameterError(
            f"Keywords: the study {study} pays in {other.currency}, this HIT type in {currency}. "
            f"A study has one currency: use assay:currency={other.currency}, or name another study."
        )


def _prepare_draw(call: Call, study: str, cell: str) -> None:
    """A study that names a cell is drawn from then on, and each of its HIT types names one."""
    if cell:
        StudyDraw.objects.get_or_create(requester=call.requester, study=study, defaults={"created_at": call.now})
    elif study and StudyDraw.objects.filter(requester=call.requester, study=study).exists():
        raise InvalidParameterError(
            f"Keywords: people of the study {study} are assigned to cells. Name the cell of these HITs by assay:cell=."
        )


def _create(call: Call, parameters: dict[str, Any], hit_type: HitType) -> dict[str, Any]:
    for member, reason in UNSUPPORTED.items():
        if member in parameters:
            raise InvalidParameterError(f"{member} is not supported: {reason}.")
    if "Question" not in parameters:
        raise InvalidParameterError("Question must be given.")
    question = question_types.checked(parameters["Question"])
    hit = Hit(
        hit_id=public_id(),
        requester=call.requester,
        hit_type=hit_type,
        kind=question.kind,
        question=parameters["Question"],
        annotation=parameters.get("RequesterAnnotation", ""),
        max_assignments=parameters.get("MaxAssignments", 1),
        fees=settings.MARKETPLACE_FEES,
        created_at=call.now,
        expiration=call.now + timedelta(seconds=parameters["LifetimeInSeconds"]),
    )
    token = parameters.get("UniqueRequestToken")
    request_tokens.claim(call.requester, scope=request_tokens.CREATE_HIT, token=token, now=call.now, result=hit.hit_id)
    settle(hit, call.now)
    escrow.publish(hit, now=call.now)
    events.emit(events.CREATED, hit, at=call.now)
    return {"HIT": hit_shape(hit, call.now)}
