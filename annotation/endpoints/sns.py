"""The address to which a marketplace posts events: signed messages, verified before anything is read from them."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

import httpx
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation import settings as conf
from annotation.collecting.receive_events import store_notice
from annotation.exceptions import NoticeError
from annotation.jobs.celery_tasks import wake_for
from annotation.mturk.sns import Notice, verify

log = logging.getLogger(__name__)
# What Amazon's service sent at most.
LARGEST = 256 * 1024


@csrf_exempt
@require_POST
def posted(request: HttpRequest) -> HttpResponse:
    """Receive a message of the topic that the settings name. There is no sign-in: the signature counts.

    A message that comes twice or late is stored once; it only starts a read of the marketplace, which is the truth.
    """
    if not conf.topic():
        raise Http404
    try:
        notice = _believed(request)
        if notice.subscribe_url:
            _confirm(notice.subscribe_url)
        else:
            wake_for(store_notice(notice, now=timezone.now()).hits)
    except NoticeError as error:
        log.warning("Rejected a posted message: %s", error)
        return HttpResponse(str(error), status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


def _believed(request: HttpRequest) -> Notice:
    try:
        if int(request.headers.get("Content-Length") or 0) > LARGEST:
            raise NoticeError("The message is too large.")
        message: Any = json.loads(request.body)
    except ValueError:
        raise NoticeError("The message is not JSON.") from None
    if not isinstance(message, Mapping):
        raise NoticeError("The message is not a JSON object.")
    return verify(message, certificate_host=conf.certificate_host(), topic_arn=conf.topic(), now=timezone.now())


def _confirm(address: str) -> None:
    """Visit the address that the signed request names; `verify` has seen that it is the marketplace's."""
    try:
        answer = httpx.get(address, timeout=5, trust_env=False)
    except httpx.HTTPError as error:
        raise NoticeError(f"The subscription could not be confirmed: {error}") from error
    if answer.status_code != 200:
        raise NoticeError(f"The subscription could not be confirmed: status {answer.status_code}.")
