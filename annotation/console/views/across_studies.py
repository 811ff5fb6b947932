"""Across all studies of the visitor: workers, results, money."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation import ledger
from annotation.console.permission import console_page, visitor
from annotation.models import Role, Study
from annotation.reports import latest, measures
from annotation.review import workers as review_workers
from annotation.studies.access import RANKS, studies_of

LINES = 50


def _reviewed_by(request: HttpRequest) -> QuerySet[Study]:
    """The studies whose workers the visitor may see."""
    enough = [role for role, rank in RANKS.items() if rank >= RANKS[Role.REVIEWER]]
    return studies_of(visitor(request)).filter(role__in=enough)  # type: ignore[misc]


@console_page
def workers(request: HttpRequest) -> HttpResponse:
    paginator = Paginator(review_workers.workers_across(_reviewed_by(request)), LINES)
    return render(request, "console/everybody.html", {"page": paginator.get_page(request.GET.get("page"))})


@console_page
def results(request: HttpRequest) -> HttpResponse:
    paginator = Paginator(latest.results(studies_of(visitor(request))), LINES)
    page = paginator.get_page(request.GET.get("page"))
    reports = [latest.reported(study) for study in page.object_list]
    targets = measures.interval_targets(measure for report in reports for measure in report.measures)
    shown = {"page": page, "reports": reports, "targets": targets}
    return render(request, "console/findings.html", shown)


@console_page
def money(request: HttpRequest) -> HttpResponse:
    studies = studies_of(visitor(request))
    paginator = Paginator(ledger.costly(studies), LINES)
    purses = ledger.purses(studies)
    several = len({purse.currency for purse in purses}) > 1
    context = {"purses": purses, "several": several, "page": paginator.get_page(request.GET.get("page"))}
    return render(request, "console/money.html", context)
