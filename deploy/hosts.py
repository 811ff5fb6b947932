"""Keeps sessions off the host that shows what requesters wrote."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, HttpResponseRedirect

Answer = Callable[[HttpRequest], HttpResponse]

CONSOLE = ("/admin/", "/console/")


def console_on_separate_host(answer: Answer) -> Answer:
    """Middleware: where HIT_ORIGIN has a host of its own, pages that people sign in to do not answer there."""

    def guarded(request: HttpRequest) -> HttpResponse:
        frames, console = (urlsplit(origin).hostname for origin in (settings.HIT_ORIGIN, settings.CONSOLE_ORIGIN))
        host = urlsplit(f"//{request.get_host()}").hostname
        if not request.path.startswith(CONSOLE) or host != frames or frames == console:
            return answer(request)
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotFound()
        return HttpResponseRedirect(settings.CONSOLE_ORIGIN + request.get_full_path())

    return guarded
