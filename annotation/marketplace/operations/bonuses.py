"""SendBonus, ListBonusPayments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from annotation.marketplace.core import request_tokens
from annotation.marketplace.core.paging import Listing, page
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Assignment, BonusPayment
from annotation.marketplace.money import ledger
from annotation.marketplace.money.fees import bonus_fee
from annotation.marketplace.operations.amounts import amount_of
from annotation.marketplace.operations.finding import load_assignment, load_hit_key
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.operations.shapes import bonus_shape


@operation("SendBonus", writes=True)
def send_bonus(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Pay a worker for handed-in work, above the reward. Without a token the same call pays again."""
    if not Decimal(parameters["BonusAmount"]) or not parameters["Reason"].strip():
        raise InvalidParameterError("SendBonus needs a BonusAmount of at least 0.01 and a Reason.")
    payer = lock_requester(call.requester.pk)
    assignment = load_assignment(call, parameters["AssignmentId"])
    currency = assignment.hit.hit_type.currency
    amount = amount_of(parameters["BonusAmount"], currency, member="BonusAmount")
    if assignment.state not in Assignment.SUBMITTED_STATES:
        raise RequestRefusedError("AssignmentDoesNotExist", f"Assignment {parameters['AssignmentId']} does not exist.")
    if assignment.worker.worker_id != parameters["WorkerId"]:
        raise RequestRefusedError(
            "InvalidParameterValue",
            f"Assignment {parameters['AssignmentId']} is not one of worker {parameters['WorkerId']}.",
        )
    token = parameters.get("UniqueRequestToken")
    request_tokens.claim(call.requester, scope="SendBonus", token=token, now=call.now, result=call.request_id)
    cost = ledger.Cost(amount, bonus_fee(amount, rules=assignment.hit.fees))
    ledger.pay(assignment, cost, purpose=ledger.Purpose.BONUS, payer=payer, now=call.now, currency=currency)
    BonusPayment.objects.create(
        requester=call.requester,
        assignment=assignment,
        amount_cents=amount,
        fee_cents=cost.fee,
        reason=parameters["Reason"],
        granted_at=call.now,
    )
    return {}


def _paid() -> QuerySet[BonusPayment]:
    return BonusPayment.objects.select_related("assignment__worker", "assignment__hit__hit_type").only(
        "amount_cents",
        "reason",
        "granted_at",
        "assignment__assignment_id",
        "assignment__worker__worker_id",
        "assignment__hit__hit_type__currency",
    )


_OF_HIT = Listing(lambda hit: _paid().filter(assignment__hit=hit), int, keys=["id"])
_OF_WORK = Listing(lambda assignment: _paid().filter(assignment=assignment), int, keys=["id"])


@operation("ListBonusPayments", writes=False)
def list_bonus_payments(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Bonuses for an assignment, or for all work of a HIT; both given, the assignment must be the HIT's."""
    assignment_id, hit_id = parameters.get("AssignmentId"), parameters.get("HITId")
    if not (assignment_id or hit_id):
        raise InvalidParameterError("ListBonusPayments needs a HITId or an AssignmentId.")
    assignment = load_assignment(call, assignment_id) if assignment_id else None
    hit = load_hit_key(call, hit_id) if hit_id else None
    listed = _OF_WORK.of(assignment.pk) if assignment else _OF_HIT.of(hit or 0)
    return page(
        listed.rows().filter(assignment__hit=hit) if assignment and hit else listed,
        parameters,
        keys=["id"],
        scope=["ListBonusPayments", call.requester.pk, assignment_id, hit_id],
        member="BonusPayments",
        shape=bonus_shape,
    )
