"""Pages of HITs that are too large for a question: served from the host of HIT frames, without anybody's session."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.hits.mturk_request import hit_at, page_of, wording_of


@require_safe
def hit_page(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a HIT, confined as requesters' HTML is: no origin, no cookie, forms to the worker site only."""
    hit = hit_at(token)
    if hit is None or hit.wording is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    response = HttpResponse(page_of(hit, wording_of(hit)))
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
