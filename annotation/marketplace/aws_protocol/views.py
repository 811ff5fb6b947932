"""The one address of the Requester API."""

from __future__ import annotations

import logging
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import http_date
from django.views.decorators.csrf import csrf_exempt

from annotation.marketplace import operations
from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.aws_protocol import parse_request, signature
from annotation.marketplace.aws_protocol.callers import Caller
from annotation.marketplace.aws_protocol.encode_response import encoded
from annotation.marketplace.aws_protocol.errors import WireError, service_fault, unknown_operation
from annotation.marketplace.aws_protocol.fault_responses import (
    AnswerDroppedError,
    drop_on_demand,
    no_answer,
    refuse_on_demand,
)
from annotation.marketplace.aws_protocol.parse_request import declared_length
from annotation.marketplace.aws_protocol.service_model import (
    EXTENSION_OPERATIONS,
    EXTENSION_PREFIX,
    OPERATIONS,
    TARGET_PREFIX,
)
from annotation.marketplace.core import clock
from annotation.marketplace.errors import PREFIX, InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Requester

# The largest Question is 64 kB, at most six bytes of JSON for each; a test and its answer key may come with it.
MAX_BODY_BYTES = 2 * 1024 * 1024

FEES = "x-assay-fees"

log = logging.getLogger(__name__)


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponseBase:
    """Answer one call. A refused or failed call has changed nothing."""
    request_id = str(uuid.uuid4())
    try:
        caller = _identified(request)
        now, (status, result) = caller.moment.now, _answered(request, caller, request_id)
    except AnswerDroppedError:
        return no_answer()
    except WireError as error:
        now, status, result = clock.now(), error.status, error.body()
    except DatabaseError:
        log.exception("Request %s failed in the database", request_id)
        now, status, result = timezone.now(), 500, service_fault().body()
    response = HttpResponse(encoded(result), status=status, content_type="application/x-amz-json-1.1")
    response["x-amzn-RequestId"] = request_id
    response["Date"] = http_date(now.timestamp())
    # No other marketplace says so: by it a requester's software knows whether it expects the right fees.
    response[FEES] = settings.MARKETPLACE_FEES
    return response


def _identified(request: HttpRequest) -> Caller:
    """Who signed the request. Raises WireError."""
    if request.method != "POST":
        raise WireError("UnknownOperationException", "The Requester API is called by POST.", status=405)
    if declared_length(request) > MAX_BODY_BYTES:
        raise WireError("RequestEntityTooLargeException", f"A request has at most {MAX_BODY_BYTES} bytes.", status=413)
    return signature.verified(request, request.body)


def _answered(request: HttpRequest, caller: Caller, request_id: str) -> tuple[int, dict[str, Any]]:
    """Status and document: the operation's result, or its refusal. Raises WireError, AnswerDroppedError."""
    try:
        return 200, _result(request, caller, request_id)
    except RequestRefusedError as error:
        refusal = WireError("RequestError", _tagged(error.message, caller.moment.now), turk_code=error.code)
    except InvalidParameterError as error:
        refusal = WireError("ParameterValidationError", _tagged(str(error), caller.moment.now), field=error.field)
    return refusal.status, refusal.body()


def _result(request: HttpRequest, caller: Caller, request_id: str) -> dict[str, Any]:
    requester, now = _requester(caller), caller.moment.now
    target = request.headers.get("X-Amz-Target", "")
    if target.startswith(EXTENSION_PREFIX):
        return _extension_result(target, request.body, operations.Call(requester, now, request_id))
    name = target.removeprefix(TARGET_PREFIX)
    if name == target or name not in OPERATIONS:
        raise unknown_operation(target)
    parameters = parse_request.parameters(OPERATIONS[name], parse_request.document(request.body))
    refuse_on_demand()
    if caller.moment.anything_due and catch_up(now):
        requester.refresh_from_db(fields=["balance_cents", "held_cents"])
    result = _carried_out(name, operations.Call(requester, now, request_id), parameters)
    drop_on_demand(committed=operations.TABLE[name].writes)
    return result


def _extension_result(target: str, body: bytes, call: operations.Call) -> dict[str, Any]:
    """The result of an operation that Amazon's API never had."""
    name = target.removeprefix(EXTENSION_PREFIX)
    if name not in EXTENSION_OPERATIONS:
        raise unknown_operation(target)
    return _run(
        operations.EXTENSIONS[name],
        call,
        parse_request.parameters(EXTENSION_OPERATIONS[name], parse_request.document(body)),
    )


def _carried_out(name: str, call: operations.Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return _run(operations.TABLE[name], call, parameters)


def _run(operation: operations.Operation, call: operations.Call, parameters: dict[str, Any]) -> dict[str, Any]:
    if not operation.writes:
        return operation.handler(call, parameters)
    with transaction.atomic():
        return operation.handler(call, parameters)


def _requester(caller: Caller) -> Requester:
    if caller.requester is None:
        raise WireError(
            "RequestError",
            "To use the MTurk API, you will need a requester account. This access key belongs to a user without one.",
            turk_code=PREFIX + "NotAuthorized",
        )
    return caller.requester


def _tagged(message: str, now: datetime) -> str:
    """The message with the epoch-milliseconds tag that Amazon's messages end with."""
    return f"{message} ({int(now.timestamp() * 1000)})"
