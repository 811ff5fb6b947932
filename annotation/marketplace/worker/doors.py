"""Coming in and going out, and what every page of a worker passes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.marketplace import clock
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.sweep import catch_up
from annotation.marketplace.worker import sessions
from annotation.marketplace.worker.hosts import answers_on

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Visit:
    """The signed-in worker of a request and the market time it runs at."""

    worker: WorkerAccount
    now: datetime


def on_worker_host(view: View) -> View:
    """Answer on WORKER_ORIGIN's host only: other hosts are sent there, or get nothing for a POST."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not answers_on(request, settings.WORKER_ORIGIN):
            if request.method not in {"GET", "HEAD"}:
                raise Http404
            return HttpResponseRedirect(settings.WORKER_ORIGIN + request.get_full_path())
        return view(request, *args, **kwargs)

    return guarded


def worker_page(view: View) -> View:
    """A page for a signed-in worker: the view gets a Visit, everything that was due by now has happened."""

    @on_worker_host
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        worker = sessions.worker_of(request, now=timezone.now())
        if worker is None:
            return redirect("hits:sign-in")
        now = clock.now()
        catch_up(now)
        response = view(request, Visit(worker, now), *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return guarded


def note(request: HttpRequest, *, reason: str, title: str, text: str, status: int = 200) -> HttpResponse:
    """A page that says one thing; `reason` is the word that programs key on."""
    context = {"reason": reason, "title": title, "text": text}
    return render(request, "marketplace/note.html", context, status=status)


@require_safe
@on_worker_host
def sign_in(request: HttpRequest) -> HttpResponse:
    return note(
        request,
        reason="sign-in",
        title=_("Please sign in"),
        text=_("Open the sign-in link that you were given. Each link works once; ask for a new one if yours is used."),
        status=401,
    )


@on_worker_host
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Spend a one-time link. HEAD, which link checkers send, does not spend it."""
    session = sessions.use_link(token, now=timezone.now()) if request.method == "GET" else None
    if session is None:
        return note(
            request,
            reason="link",
            title=_("This link cannot be used"),
            text=_("Sign-in links work once and for a few days only. Please ask for a new one."),
            status=403,
        )
    response = redirect("hits:list")
    sessions.remember(response, session)
    return response


@require_POST
@on_worker_host
def sign_out(request: HttpRequest) -> HttpResponse:
    response = redirect("hits:sign-in")
    sessions.forget(request, response)
    return response
