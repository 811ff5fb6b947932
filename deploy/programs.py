"""Calls of programs go straight to their door: sessions, languages, sign-in and policies are for pages."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from annotation.marketplace.aws_protocol.views import endpoint

Answer = Callable[[HttpRequest], HttpResponseBase]


def requester_api_first(answer: Answer) -> Answer:
    """Middleware: the Requester API is answered here, below the redirect to HTTPS and the check of the host only."""
    address = reverse("wire:endpoint")

    def chosen(request: HttpRequest) -> HttpResponseBase:
        if request.path != address:
            return answer(request)
        request.get_host()
        return endpoint(request)

    return chosen
