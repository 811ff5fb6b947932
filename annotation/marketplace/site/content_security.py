"""Content-Security-Policy of single responses, by django-csp's own decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_exempt, csp_replace, csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation.marketplace.models import Hit
from annotation.marketplace.questions.question_types import Question
from annotation.marketplace.site.hosts import canonical_host

# What requester HTML may do in its frame: no origin, no cookies, no navigation of the page around it.
SANDBOX = "allow-scripts allow-forms allow-popups allow-modals allow-downloads"
# What a form of ours needs: the nonce's script and style, and pictures and sounds from wherever they are.
_NO_REQUEST = HttpRequest()  # the decorators do not look at it
FORM = "default-src 'none'; img-src https: http: data:; media-src https: http:; base-uri 'none'"


def sandbox_of(question: Question) -> str:
    """The sandbox of a HIT's frame. An outside page keeps its own origin, unless that could be one of ours."""
    origins = {settings.WORKER_ORIGIN, settings.HIT_ORIGIN, settings.CONSOLE_ORIGIN}
    outside = question.kind == Hit.Kind.EXTERNAL and canonical_host(question.content.strip()) not in {
        canonical_host(origin) for origin in origins
    }
    return f"{SANDBOX} allow-same-origin" if outside else SANDBOX


def may_frame(response: HttpResponse, origin: str) -> HttpResponse:
    """Let the page hold a frame of `origin`; our own host is where the frame's form leads."""
    return _mark(csp_update({"frame-src": [origin, "'self'"]}), response)


def may_be_framed_by_site(response: HttpResponse) -> HttpResponse:
    """Let the worker site show this page of its own inside the frame of a HIT."""
    response.xframe_options_exempt = True
    return _mark(csp_replace({"frame-ancestors": ["'self'"]}), response)


def confine(response: HttpResponse, rules: str = "") -> HttpResponse:
    """Requester HTML: sandboxed also when it is opened by itself, framed by the worker site only."""
    policy = [f"sandbox {SANDBOX}", rules, f"frame-ancestors {settings.WORKER_ORIGIN}"]
    response["Content-Security-Policy"] = "; ".join(filter(None, policy))
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    response.xframe_options_exempt = True
    return _mark(csp_exempt(), response)


def confine_form(response: HttpResponse, nonce: str) -> HttpResponse:
    """A form of ours with contents of a requester: confined, and without any script but ours."""
    submits = f"form-action {settings.WORKER_ORIGIN}"
    return confine(response, f"{FORM}; {submits}; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'")


def _mark(decorator: Callable[..., Callable[..., Any]], response: HttpResponse) -> HttpResponse:
    decorator(lambda _request: response)(_NO_REQUEST)
    return response
