"""Answer addresses with a NUL by 404: no database stores such a text, and PostgreSQL fails on one."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse

WORKER_SITE = "/hits/"
Answer = Callable[[HttpRequest], HttpResponse]


def without_nul(answer: Answer) -> Answer:
    """Middleware: an address with a NUL in its path or its query is not found. The worker site, whose people mistype
    codes and words to search for, has sentences of its own."""

    def guarded(request: HttpRequest) -> HttpResponse:
        odd = "\x00" in request.path_info or "%00" in request.META.get("QUERY_STRING", "")
        if odd and not request.path_info.startswith(WORKER_SITE):
            raise Http404
        return answer(request)

    return guarded
