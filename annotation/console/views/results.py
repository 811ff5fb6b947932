"""Results: behind a warning until somebody decides to look; computed by a job; exported as files."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import overviews, selectors, standing
from annotation.console.forms.results import Share
from annotation.console.permission import study_page, visitor
from annotation.flows import jobs
from annotation.flows.share import revoke as revoke_link
from annotation.flows.share import share as share_report
from annotation.flows.unblind import unblind
from annotation.models import Job, Role, ShareLink, Study

MOST_SHOWN = 20


@study_page()
def results(request: HttpRequest, study: Study) -> HttpResponse:
    if selectors.seen_at(study) is None:
        return render(request, "console/blind.html", {"study": study, "at": standing.progress(study)})
    reports = study.jobs.filter(kind=Job.Kind.REPORT).order_by("-created_at")
    done = reports.filter(state=Job.State.DONE).first()
    context = {"study": study, "latest": reports.first(), "done": done, "told": overviews.told(done) if done else None}
    return render(request, "console/results.html", context)


@require_POST
@study_page(Role.REVIEWER)
def reveal(request: HttpRequest, study: Study) -> HttpResponse:
    unblind(study, actor=request.user.get_username(), now=timezone.now())
    return redirect("console:results", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def compute(request: HttpRequest, study: Study) -> HttpResponse:
    unblind(study, actor=request.user.get_username(), now=timezone.now())
    job = jobs.ask(Job.Kind.REPORT, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:job", job.uuid)


@study_page()
def exports(request: HttpRequest, study: Study) -> HttpResponse:
    """Every report that was made, with its files; before unblinding there is none to see."""
    seen = selectors.seen_at(study) is not None
    done = _reports(study)[:MOST_SHOWN] if seen else []
    return render(request, "console/exports.html", {"study": study, "done": done, "unblinded": seen})


def _reports(study: Study) -> QuerySet[Job]:
    links = Prefetch("links", ShareLink.objects.select_related("made_by").order_by("pk"))
    done = study.jobs.filter(kind=Job.Kind.REPORT, state=Job.State.DONE)
    return done.order_by("-created_at", "-pk").prefetch_related(links)


@require_POST
@study_page(Role.EDITOR)
def share(request: HttpRequest, study: Study, job_id: UUID) -> HttpResponse:
    """Make a link to a report. Its address is shown this once: only a digest is kept."""
    job = get_object_or_404(_reports(study), uuid=job_id)
    form = Share(request.POST)
    ends_at = form.cleaned_data["ends"] if form.is_valid() else None
    made = share_report(job, by=visitor(request), now=timezone.now(), ends_at=ends_at)
    address = settings.CONSOLE_ORIGIN + reverse("shared-report", args=[made.token])
    context = {"study": study, "done": _reports(study)[:MOST_SHOWN], "unblinded": True, "address": address}
    return render(request, "console/exports.html", context)


@require_POST
@study_page(Role.EDITOR)
def revoke(request: HttpRequest, study: Study, link: int) -> HttpResponse:
    found = get_object_or_404(ShareLink.objects.select_related("job__study"), pk=link, job__study=study)
    revoke_link(found, by=visitor(request), now=timezone.now())
    messages.success(request, _("The link opens nothing any more."))
    return redirect("console:exports", study.uuid)
