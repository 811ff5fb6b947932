"""Coming in and going out, and what every page of a worker passes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.marketplace.assignments.expire_due import arrive
from annotation.marketplace.core.rate_limits import TooOftenError
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.site import browser_cookie
from annotation.marketplace.site.hosts import answers_on
from annotation.marketplace.site.unstored import FAILURES, cannot_store, unstored
from annotation.marketplace.workers import sessions

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class Visit:
    """The signed-in worker of a request and the market time it runs at."""

    worker: WorkerAccount
    now: datetime


def on_worker_host(view: View) -> View:
    """Answer on WORKER_ORIGIN's host only: other hosts are sent there, or get nothing for a POST.

    Where nothing can be stored (a full disk), the page says so, and what was sent is not lost.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not answers_on(request, settings.WORKER_ORIGIN):
            if request.method not in {"GET", "HEAD"}:
                raise Http404
            return HttpResponseRedirect(settings.WORKER_ORIGIN + request.get_full_path())
        try:
            return view(request, *args, **kwargs)
        except FAILURES as error:
            if not cannot_store(error):
                raise
            return unstored(request)

    return guarded


def worker_page(view: View) -> View:
    """A page for a signed-in worker: the view gets a Visit, everything that was due by now has happened."""

    @on_worker_host
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        visitor = sessions.visitor_of(request, now=timezone.now())
        if visitor is None:
            # Who came by a link has no account to sign in to: their browser is known, and goes on by a button.
            known = browser_cookie.participants_of(request)
            return redirect("hits:continue-study") if known else redirect(sign_in_address(request))
        worker, moment = visitor
        response = view(request, Visit(worker, arrive(moment)), *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return guarded


def note(
    request: HttpRequest, *, reason: str, title: str, text: str, status: int = 200, **more: object
) -> HttpResponse:
    """A page that says one thing; `reason` is the word that programs key on."""
    context = {"reason": reason, "title": title, "text": text, **more}
    return render(request, "marketplace/note.html", context, status=status)


def sign_in_address(request: HttpRequest) -> str:
    """Where a stranger signs in, and goes on from there to the page that was asked for."""
    page = request.get_full_path() if request.method in {"GET", "HEAD"} else ""
    query = f"?{urlencode({'next': page})}" if page and page != reverse("hits:list") else ""
    return reverse("hits:sign-in") + query


@on_worker_host
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by a one-time link: by the button of its page, so that programs that follow links in mails spend none."""
    now = timezone.now()
    link = sessions.find_link(token, sessions.Purpose.SIGN_IN, now=now)
    if request.method != "POST" and link is not None:
        return render(request, "marketplace/enter.html", {"account": link.worker})
    session = sessions.use_link(token, now=now) if request.method == "POST" else None
    if session is None:
        return note(
            request,
            reason="link",
            title=_("This link cannot be used"),
            text=_("Sign-in links work once and for a few days only. Please ask for a new one."),
            status=403,
        )
    return sessions.sign_in(request, redirect("hits:list"), session)


@require_POST
@on_worker_host
def sign_out(request: HttpRequest) -> HttpResponse:
    response = redirect("hits:sign-in")
    sessions.forget(request, response)
    return response


def form_page(request: HttpRequest, template: str, form: Form, *, status: int = 200, **context: Any) -> HttpResponse:
    """A page with a form; one with errors says so with status 422 unless another is given."""
    failed = status == 200 and form.is_bound and bool(form.errors)
    response = render(request, template, {"form": form, **context}, status=422 if failed else status)
    patch_cache_control(response, private=True, no_store=True)
    return response


def too_often(request: HttpRequest, refusal: TooOftenError, *, participant: bool = False) -> HttpResponse:
    """The answer to a try too many: how long to wait."""
    text = ngettext(
        "For safety, please wait %(count)d minute and try again.",
        "For safety, please wait %(count)d minutes and try again.",
        refusal.minutes,
    ) % {"count": refusal.minutes}
    response = note(
        request, reason="too-often", title=_("Too many attempts"), text=text, status=429, participant=participant
    )
    response["Retry-After"] = str(60 * refusal.minutes)
    return response


def not_mailed(request: HttpRequest) -> HttpResponse:
    return note(
        request,
        reason="mail",
        title=_("No mail could be sent"),
        text=_("This is our fault, and nothing was changed. Please try again later."),
        status=503,
    )
