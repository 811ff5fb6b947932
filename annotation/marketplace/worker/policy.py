"""Content-Security-Policy of single responses, by django-csp's own decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_exempt, csp_replace, csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse

# What requester HTML may do in its frame: no origin, no cookies, no navigation of the page around it.
SANDBOX = "allow-scripts allow-forms allow-popups allow-modals allow-downloads"


def may_frame(response: HttpResponse, origin: str) -> HttpResponse:
    """Let the page hold a frame of `origin`; our own host is where the frame's form leads."""
    return _mark(csp_update({"frame-src": [origin, "'self'"]}), response)


def may_be_framed_by_site(response: HttpResponse) -> HttpResponse:
    """Let the worker site show this page of its own inside the frame of a HIT."""
    response.xframe_options_exempt = True
    return _mark(csp_replace({"frame-ancestors": ["'self'"]}), response)


def confine(response: HttpResponse) -> HttpResponse:
    """Requester HTML: sandboxed also when it is opened by itself, framed by the worker site only."""
    response["Content-Security-Policy"] = f"sandbox {SANDBOX}; frame-ancestors {settings.WORKER_ORIGIN}"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    response.xframe_options_exempt = True
    return _mark(csp_exempt(), response)


def _mark(decorator: Callable[..., Callable[..., Any]], response: HttpResponse) -> HttpResponse:
    decorator(lambda _request: response)(HttpRequest())
    return response
