"""What tells the worker site from the console and the administration: sessions of its own, and languages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

WORKER_SITE = "/hits/"


class _PassedByWorkers:
    """No page of a worker knows that researchers' sessions exist; leaving them out there also takes less time."""

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
