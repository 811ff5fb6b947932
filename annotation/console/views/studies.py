"""The list of studies, a study's opening page and its log."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation import overviews
from annotation.console.permission import console_page, studies_of, study_page
from annotation.models import Study

LINES = 50


@console_page
def listing(request: HttpRequest) -> HttpResponse:
    found = Paginator(overviews.with_counts(studies_of(request.user)), LINES)  # type: ignore[arg-type]
    return render(request, "console/studies.html", {"page": found.get_page(request.GET.get("page"))})


@study_page()
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    return render(request, "console/overview.html", {"study": study, "counts": overviews.counts(study)})


@study_page()
def log(request: HttpRequest, study: Study) -> HttpResponse:
    found = Paginator(overviews.deeds(study), LINES)
    return render(request, "console/log.html", {"study": study, "page": found.get_page(request.GET.get("page"))})
