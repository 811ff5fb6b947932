"""What differs between the worker site and the console with the administration: sessions and languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.views.csrf import csrf_failure

from annotation.console.permission import no_page, refused

WORKER_SITE = "/hits/"
CONSOLE = "/console/"


class _PassedByWorkers:
    """Skip researchers' sessions on the pages of workers, which do not know them and are faster without."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path.startswith(WORKER_SITE):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Sessions(_PassedByWorkers, SessionMiddleware):
    pass


class Authentication(_PassedByWorkers, AuthenticationMiddleware):
    pass


class Messages(_PassedByWorkers, MessageMiddleware):
    pass


class Languages(LocaleMiddleware):
    """Workers' pages speak the language of their reader; all others the one that they are written in."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(WORKER_SITE):
            super().process_request(request)
        else:
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = translation.get_language()


def dead_ends(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """A bare answer below the console's address becomes a page that leads on."""

    def answered(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not request.path.startswith(CONSOLE):
            return response
        if response.status_code == 404 and request.resolver_match is None:
            return no_page(request)
        if isinstance(response, HttpResponseNotAllowed) and request.method == "GET":
            text = "Nothing was changed. Go back to the page with the form, and send it from there."
            page = refused(request, "This address takes what a form sends", text=text, status=405)
            page["Allow"] = response["Allow"]
            return page
        return response

    return answered


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without the token of its page: sent by another site, or from a page of an earlier session."""
    if not request.path.startswith(CONSOLE):
        return csrf_failure(request, reason=reason)
    text = "Nothing was stored. Reload the page and submit the form again. Cookies of the console must be allowed."
    return refused(request, "This form does not belong to your present session", text=text, status=403)
