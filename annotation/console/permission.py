"""Who may see and do what: roles are looked up in the query that fetches the study, here and nowhere else.

A stranger to a study is told that there is no such page (404); a member with too small a role that it is refused (403).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from annotation.accounts.models import User
from annotation.console.navigation import needs_rows
from annotation.exceptions import AssayError
from annotation.models import Role, Study
from annotation.studies.access import may, studies_of
from annotation.studies.rows import has_rows, without_rows_sentence

View = Callable[..., HttpResponseBase]


def visitor(request: HttpRequest) -> User:
    """Who is signed in: inside a console page somebody is."""
    return cast(User, request.user)


def console_page(view: View) -> View:
    """A page for somebody who is signed in. Errors of the requester side become a page with their sentence."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            response = no_page(request)
        except AssayError as error:
            response = refused(request, str(error), status=409)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return guarded


def study_page(min_role: Role = Role.VIEWER) -> Callable[[View], View]:
    """A page of a study, for members whose role is at least `least`: the view gets the Study (with its `role`)."""

    def with_role(view: View) -> View:
        @console_page
        @wraps(view)
        def guarded(request: HttpRequest, study_id: UUID, **kwargs: Any) -> HttpResponseBase:
            study = studies_of(visitor(request)).filter(uuid=study_id).first()
            if study is None:
                raise Http404
            if not may(study, min_role):
                return refused(request, _("Your role on this study does not let you do this"), status=403)
            if needs_rows(_url_name(request)) and not has_rows(study):
                return _without_rows(request, study)
            return view(request, study, **kwargs)

        guarded.min_role = min_role  # type: ignore[attr-defined]  # what members read about roles is held to this
        return guarded

    return with_role


def _url_name(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.url_name or "") if match else ""


def _without_rows(request: HttpRequest, study: Study) -> HttpResponse:
    """In place of a page that needs texts and answers, of a study that was loaded from a report."""
    status = 200 if request.method in {"GET", "HEAD"} else 409
    context = {"study": study, "sentence": without_rows_sentence(study)}
    return render(request, "console/without_rows.html", context, status=status)


def no_page(request: HttpRequest) -> HttpResponse:
    """Nothing is there, or nothing that the visitor may know of: which of them is not said."""
    text = _(
        "Check the address. The page may have been deleted, or it may belong to a study on which you have no role."
    )
    return refused(request, _("Page not found"), text=text, status=404)


def refused(request: HttpRequest, sentence: str, *, status: int, text: str = "") -> HttpResponse:
    """A page that says why something was not shown or done."""
    return render(request, "console/refused.html", {"sentence": sentence, "text": text}, status=status)


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """After signing in one is where one was; what a form sent meanwhile is not stored, and the page says so."""
    sent = request.method not in {"GET", "HEAD"}
    goal = _page_of_form(request) if sent else request.get_full_path()
    if request.headers.get("HX-Request"):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = reverse("console:sign-in")
        return response
    return redirect_to_login(goal, reverse("console:sign-in") + ("?unsent=1" if sent else ""))


def _page_of_form(request: HttpRequest) -> str:
    """The page of this host on which a form stood, as the browser tells; else the studies."""
    referer = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure()):
        parts = urlsplit(referer)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return reverse("console:studies")
