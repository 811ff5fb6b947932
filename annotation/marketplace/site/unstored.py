"""The page for a worker whose step cannot be stored: what was written stays in it, to be sent again."""

from __future__ import annotations

import errno
import logging

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.marketplace.site.content_security import may_be_framed_by_site

# A database that is full, read-only, locked or gone; a disk that takes nothing more.
FAILURES = (OperationalError, InterfaceError, InternalError, OSError)
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
_SECONDS = 30

log = logging.getLogger(__name__)


def cannot_store(error: BaseException) -> bool:
    """Whether `error`, one of FAILURES, is about storing at all."""
    return not isinstance(error, OSError) or error.errno in _DISK


def unstored(request: HttpRequest) -> HttpResponse:
    """Say that nothing can be stored, with status 503: to the page around a task in JSON, to a worker in words."""
    log.exception("A step of a worker could not be stored.")
    again = _again(request)
    title = _("The site cannot store anything at the moment")
    text = (
        _("What you have sent is kept in this page. Leave the page open and send it again in a few minutes.")
        if again
        else _("This is not your fault. Please try again in a few minutes.")
    )
    context = {"reason": "unstored", "title": title, "text": text}
    response: HttpResponse
    if request.headers.get("Accept", "").startswith("application/json"):
        response = JsonResponse({**context, "same": False, "faults": {}}, status=503)
    else:
        page = render(request, "marketplace/frame_note.html", {**context, "again": again}, status=503)
        response = may_be_framed_by_site(page)
    response["Retry-After"] = str(_SECONDS)
    response["Cache-Control"] = "private, no-store"
    return response


def _again(request: HttpRequest) -> list[tuple[str, str]]:
    """The fields of the form that was sent; none of one with a password, which no page repeats."""
    if request.method != "POST" or any("password" in name for name in request.POST):
        return []
    return [(name, str(value)) for name, values in request.POST.lists() for value in values]
