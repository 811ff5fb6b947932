"""The answer to a request that failed: a sentence where the database or the disk is the cause, never a traceback."""

from __future__ import annotations

import sys

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html

from annotation.accounts.database_errors import (
    BUSY,
    CANNOT_CONNECT,
    CANNOT_OPEN,
    CANNOT_WRITE,
    DAMAGED,
    FULL,
    READ_ONLY,
    cause_of,
)
from annotation.api.responses import problem
from annotation.common.upload_limits import SUBMISSION_MIB

CONSOLE, API = ("/console/", "/admin/"), "/api/"
RETRY_SECONDS = 30
AGAIN = "Wait a minute and load the page again. If your last change is not there, send it again."
OPERATOR = "Tell the operator of this installation. If your last change is not there afterwards, send it again."
# What a reader may know of each cause: no path and no address.
SENTENCES = {
    BUSY: ("The database is locked by another process", AGAIN),
    FULL: ("The disk of the server is full", OPERATOR),
    READ_ONLY: ("The disk or the database of the server is read-only", OPERATOR),
    CANNOT_OPEN: ("The database of the server cannot be opened", OPERATOR),
    CANNOT_WRITE: ("The disk of the server reports an error", OPERATOR),
    DAMAGED: ("The database of the server is damaged", OPERATOR),
    CANNOT_CONNECT: ("The database of the server does not answer", AGAIN),
}
UNKNOWN = ("Internal error", "It is in the log of the server. Tell the operator of this installation.")


def answer_failure(request: HttpRequest) -> HttpResponse:
    """Django's handler of exceptions that nothing else handles: status 503 with the cause, else 500."""
    error = sys.exc_info()[1]
    cause = cause_of(error) if error else ""
    title, text = SENTENCES.get(cause, UNKNOWN)
    response = _answer(request, title, text, status=503 if cause else 500, code="unavailable" if cause else "internal")
    if cause:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler of requests that it does not read: status 413 with the limit for one that is too large."""
    if isinstance(exception, RequestDataTooBig):
        title, text = f"What you sent is larger than {SUBMISSION_MIB} MB", "Nothing was stored. Go back, and send less."
        return _answer(request, title, text, status=413, code="input")
    return _answer(request, "The request cannot be read", "Nothing was stored.", status=400, code="input")


def _answer(request: HttpRequest, title: str, text: str, *, status: int, code: str) -> HttpResponse:
    if request.path.startswith(API):
        response = problem(status, f"{title}. {text}", code=code)
    elif request.path.startswith(CONSOLE):
        # Without the request: what it knows of the session and the account may need the database.
        page = render_to_string("console/refused.html", {"sentence": title, "text": text})
        response = HttpResponse(page, status=status)
    else:
        page = format_html("<!doctype html><title>{0}</title><h1>{0}</h1><p>{1}</p>", title, text)
        response = HttpResponse(page, status=status)
    response["Cache-Control"] = "private, no-store"
    return response
