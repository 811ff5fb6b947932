"""Across all studies of the visitor: workers, results, money."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import ledger
from annotation.console.form_errors import attach_errors
from annotation.console.forms.worker_list import ImportWorkers
from annotation.console.permission import console_page, refused, visitor
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, Study
from annotation.readers.worker_list import read_worker_list
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
def import_workers(request: HttpRequest) -> HttpResponse:
    """Worker IDs of an old list become accounts: for owners of the installation."""
    if not visitor(request).is_superuser:
        return refused(request, _("Only an owner of this installation can import worker IDs"), status=403)
    form = ImportWorkers(request.POST or None, request.FILES or None)
    if form.is_valid():
        with attach_errors(form, above=True):
            path = uploads.keep_checked(form.cleaned_data["file"], read_worker_list)
            job = ask(Job.Kind.IMPORT_WORKERS, by=visitor(request), now=timezone.now(), settings={"path": str(path)})
            return redirect("console:job", job.uuid)
    return render(request, "console/workers_import.html", {"form": form}, status=422 if form.errors else 200)


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
