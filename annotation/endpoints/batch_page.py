"""Pages of a batch before it is published, from the host of HIT frames: requesters' HTML, confined as in a task."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.hits.batches.preview import preview_at

CONFINED = "sandbox allow-scripts allow-forms allow-modals"


@require_safe
def batch_page(request: HttpRequest, token: str, show: Callable[[str], str]) -> HttpResponse:
    """show: what a marketplace does with the HTML of a task before it shows it as a preview."""
    page = preview_at(token)
    if page is None or urlsplit(f"//{request.get_host()}").hostname != urlsplit(settings.HIT_ORIGIN).hostname:
        raise Http404
    response = HttpResponse(show(page))
    response.headers["Content-Security-Policy"] = f"{CONFINED}; frame-ancestors {settings.CONSOLE_ORIGIN}"
    response.headers["Referrer-Policy"] = "no-referrer"
    del response.headers["X-Frame-Options"]
    response.xframe_options_exempt = True
    return response
