"""The one address of the Requester API."""

from __future__ import annotations

import logging
import uuid
from datetime import datetime
from typing import Any, cast

from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import http_date
from django.views.decorators.csrf import csrf_exempt

from annotation.accounts.models import AccessKey
from annotation.marketplace import clock, operations
from annotation.marketplace.errors import PREFIX, InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Requester
from annotation.marketplace.sweep import catch_up
from annotation.marketplace.wire import reading, signature
from annotation.marketplace.wire.dropping import AnswerDroppedError, drop_on_demand, no_answer, refuse_on_demand
from annotation.marketplace.wire.errors import WireError, service_fault, unknown_operation
from annotation.marketplace.wire.model import OPERATIONS, TARGET_PREFIX
from annotation.marketplace.wire.writing import encoded

# The largest Question is 64 kB, at most six bytes of JSON for each; a test and its answer key may come with it.
MOST_BYTES = 2 * 1024 * 1024

log = logging.getLogger(__name__)


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponseBase:
    """Answer one call. A refused or failed call has changed nothing."""
    request_id, now = str(uuid.uuid4()), clock.now()
    try:
        status, body = 200, encoded(_answered(request, request_id, now))
    except RequestRefusedError as error:
        refusal = WireError("RequestError", _tagged(error.message, now), turk_code=error.code)
        status, body = refusal.status, encoded(refusal.body())
    except InvalidParameterError as error:
        status, body = 400, encoded(WireError("ParameterValidationError", _tagged(str(error), now)).body())
    except WireError as error:
        status, body = error.status, encoded(error.body())
    except AnswerDroppedError:
        return no_answer()
    except DatabaseError:
        log.exception("Request %s failed in the database", request_id)
        status, body = 500, encoded(service_fault().body())
    response = HttpResponse(body, status=status, content_type="application/x-amz-json-1.1")
    response["x-amzn-RequestId"] = request_id
    response["Date"] = http_date(now.timestamp())
    return response


def _answered(request: HttpRequest, request_id: str, now: datetime) -> dict[str, Any]:
    if request.method != "POST":
        raise WireError("UnknownOperationException", "The Requester API is called by POST.", status=405)
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise WireError("RequestEntityTooLargeException", f"A request has at most {MOST_BYTES} bytes.", status=413)
    body = request.body
    requester = _requester(signature.verified(request, body))
    target = request.headers.get("X-Amz-Target", "")
    name = target.removeprefix(TARGET_PREFIX)
    if name == target or name not in OPERATIONS:
        raise unknown_operation(target)
    given = reading.parameters(OPERATIONS[name], reading.document(body))
    refuse_on_demand()
    if catch_up(now):
        requester.refresh_from_db(fields=["balance_cents", "held_cents"])
    result = _carried_out(name, operations.Call(requester, now, request_id), given)
    drop_on_demand(committed=operations.TABLE[name].writes)
    return result


def _carried_out(name: str, call: operations.Call, given: dict[str, Any]) -> dict[str, Any]:
    operation = operations.TABLE[name]
    if not operation.writes:
        return operation.handler(call, given)
    with transaction.atomic():
        return operation.handler(call, given)


def _requester(key: AccessKey) -> Requester:
    try:
        return cast(Any, key.user).requester
    except Requester.DoesNotExist:
        raise WireError(
            "RequestError",
            "To use the MTurk API, you will need a requester account. This access key belongs to a user without one.",
            turk_code=PREFIX + "NotAuthorized",
        ) from None


def _tagged(message: str, now: datetime) -> str:
    """The message with the epoch-milliseconds tag that Amazon's messages end with."""
    return f"{message} ({int(now.timestamp() * 1000)})"
