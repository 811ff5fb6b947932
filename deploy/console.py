"""Researchers' sign-in, for the console and the administration: the worker site has sessions of its own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest

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
