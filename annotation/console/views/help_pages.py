"""The help: the documentation site as it was built, shown inside the console."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.static import serve

from annotation.console.permission import console_page

START = "index.html"


@console_page
def start(request: HttpRequest) -> HttpResponse:
    """The start page of the help, or how to build it."""
    if (settings.HELP_FOLDER / START).is_file():
        return HttpResponseRedirect(reverse("console:help-page", args=[START]))
    return render(request, "console/help_absent.html")


@console_page
def page(request: HttpRequest, page: str) -> HttpResponseBase:
    """A file of the site; no path leads out of its folder."""
    if not (settings.HELP_FOLDER / START).is_file():
        return HttpResponseRedirect(reverse("console:help"))
    try:
        return serve(request, page, document_root=str(settings.HELP_FOLDER))
    except SuspiciousFileOperation:
        raise Http404 from None
