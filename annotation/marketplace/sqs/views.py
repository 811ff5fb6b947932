"""The wire of the queues: JSON 1.0 over POST, signed by SigV4, as clients of Amazon SQS speak it."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from annotation.marketplace.aws_protocol import parse_request, signature
from annotation.marketplace.aws_protocol.errors import WireError, unknown_operation
from annotation.marketplace.sqs.errors import QueueError, unsupported
from annotation.marketplace.sqs.operations import TABLE

TARGET_PREFIX = "AmazonSQS."
SIGNING_NAME = "sqs"
MAX_BODY_BYTES = 64 * 1024
JSON = "application/x-amz-json-1.0"

log = logging.getLogger(__name__)


@csrf_exempt
def endpoint(request: HttpRequest, account: str = "", name: str = "") -> HttpResponse:
    """Answer one call; clients may post to the endpoint's address or to the queue's own."""
    request_id = str(uuid.uuid4())
    try:
        response = JsonResponse(_answered(request), content_type=JSON)
    except QueueError as error:
        body = {"__type": f"com.amazonaws.sqs#{error.kind}", "message": error.message}
        response = JsonResponse(body, status=400, content_type=JSON)
        response["x-amzn-query-error"] = f"{error.code};Sender"
    except WireError as error:
        body = {"__type": f"com.amazon.coral.service#{error.kind}", "message": error.message}
        response = JsonResponse(body, status=error.status, content_type=JSON)
    except DatabaseError:
        log.exception("Request %s failed in the database", request_id)
        body = {"__type": "com.amazon.coral.service#InternalFailure", "message": "Try again."}
        response = JsonResponse(body, status=500, content_type=JSON)
    response["x-amzn-RequestId"] = request_id
    return response


def _answered(request: HttpRequest) -> dict[str, Any]:
    if request.method != "POST":
        raise WireError("UnknownOperationException", "Queues are called by POST.", status=405)
    if parse_request.declared_length(request) > MAX_BODY_BYTES:
        raise WireError("RequestEntityTooLargeException", f"A request has at most {MAX_BODY_BYTES} bytes.", status=413)
    body = request.body
    caller = signature.verified(request, body, service=SIGNING_NAME)
    target = request.headers.get("X-Amz-Target", "")
    if not target.startswith(TARGET_PREFIX):
        raise unknown_operation(target)
    name = target.removeprefix(TARGET_PREFIX)
    if name not in TABLE:
        raise unsupported(name[:60])
    parameters = parse_request.document(body)
    if caller.requester is None:
        raise WireError("AccessDeniedException", "This access key belongs to a user without a requester account.")
    return TABLE[name](caller.requester, parameters)
