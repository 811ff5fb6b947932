"""The language of the worker's pages: the browser's wish, unless another has been chosen here."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.i18n import set_language

from annotation.marketplace.site import browser_cookie
from annotation.marketplace.site.host_guards import on_worker_host


@require_http_methods(["GET", "HEAD", "POST"])
@on_worker_host
def language(request: HttpRequest) -> HttpResponse:
    """Choose among the languages that pages are translated to; a cookie remembers it."""
    if request.method == "POST":
        return set_language(request)
    context = {
        "next": request.GET.get("next") or reverse("hits:list"),
        "participant": bool(browser_cookie.participants_of(request)),
    }
    return render(request, "marketplace/language.html", context)
