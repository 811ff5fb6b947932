"""Pages of HITs that are too large for a question: served from the host of HIT frames, without anybody's session."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.hits.mturk_request import hit_at, page_of, wording_of
from annotation.hits.training_preview import preview_at


@require_safe
def hit_page(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a HIT, confined as requesters' HTML is: no origin, no cookie, forms to the worker site only."""
    hit = hit_at(token)
    if hit is None or hit.wording is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(page_of(hit, wording_of(hit)))


@require_safe
def training_page(request: HttpRequest, token: str) -> HttpResponse:
    """A task page with the training of one arm as it is now, before any task exists."""
    page = preview_at(token)
    if page is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(page)


def _confined(page: str) -> HttpResponse:
    response = HttpResponse(page)
    response.headers["Content-Security-Policy"] = (
        "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        f"form-action {settings.WORKER_ORIGIN}; base-uri 'none'; "
        f"frame-ancestors {settings.WORKER_ORIGIN} {settings.CONSOLE_ORIGIN}"
    )
    del response.headers["X-Frame-Options"]
    response.xframe_options_exempt = True
    return response


def _host() -> str | None:
    return urlsplit(settings.HIT_ORIGIN).hostname
