"""Studies beside each other: picked on a page, computed by a job. And links by which a finished report is shared."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.comparing import Compare, Share
from annotation.console.permission import console_page, refused, visitor
from annotation.console.views.jobs import job_for
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, ShareLink, Submission
from annotation.reports.share import revoke, share
from annotation.reports.share import studies_of as studies_behind
from annotation.studies import blinding
from annotation.studies.access import may, studies_of


@console_page
def compare(request: HttpRequest) -> HttpResponse:
    """Which studies to compare: those whose results somebody has looked at, and on which one may look."""
    every = [study for study in studies_of(visitor(request)).order_by("-pk") if may(study, Role.REVIEWER)]
    seen = blinding.seen_of(every)
    form = Compare(request.POST or None, studies=[study for study in every if study.pk in seen])
    if form.is_valid():
        options = {"studies": form.cleaned_data["studies"], "seed": 0}
        job = ask(Job.Kind.COMPARISON, by=visitor(request), now=timezone.now(), settings=options)
        return redirect("console:job", job.uuid)
    mine = Job.objects.filter(kind=Job.Kind.COMPARISON, asked_by=visitor(request)).order_by("-created_at")[:20]
    names = {str(study.uuid): study.name for study in every}
    jobs = [(job, [names.get(uuid, uuid) for uuid in job.settings["studies"]]) for job in mine]
    unseen = [study for study in every if study.pk not in seen]
    rated = set(Submission.objects.filter(hit__study__in=unseen).values_list("hit__study", flat=True).distinct())
    context = {
        "form": form,
        "blind": [study for study in unseen if study.pk in rated],
        "without_ratings": [study for study in unseen if study.pk not in rated],
        "jobs": jobs,
    }
    return render(request, "console/comparing.html", context, status=422 if form.errors else 200)


@console_page
def links(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The links to a finished report; a new one shows its address once. For editors of every study behind it."""
    job = job_for(visitor(request), job_id)
    if not job.page:
        raise Http404
    if not _may_share(request, job):
        return refused(request, _("Your role on this study does not let you do this"), status=403)
    form, address = Share(request.POST or None), ""
    if form.is_valid():
        with attach_errors(form, ends_at="days"):
            link = share(job, by=visitor(request), now=timezone.now(), ends_at=_end(form.cleaned_data["days"]))
            form, address = Share(), settings.CONSOLE_ORIGIN + reverse("shared-report", args=[link.token])
    context = {"job": job, "study": job.study, "form": form, "address": address, "now": timezone.now()}
    full_context = {**context, "links": job.links.order_by("-made_at")}
    return render(request, "console/sharing.html", full_context, status=422 if form.errors else 200)


@require_POST
@console_page
def unlink(request: HttpRequest, job_id: UUID, link: int) -> HttpResponse:
    job = job_for(visitor(request), job_id)
    if not _may_share(request, job):
        return refused(request, _("Your role on this study does not let you do this"), status=403)
    revoke(get_object_or_404(ShareLink, pk=link, job=job), by=visitor(request), now=timezone.now())
    messages.success(request, _("Link revoked."))
    return redirect("console:job-links", job.uuid)


def _may_share(request: HttpRequest, job: Job) -> bool:
    behind = [study.pk for study in studies_behind(job)]
    held = list(studies_of(visitor(request)).filter(pk__in=behind))
    return bool(behind) and len(held) == len(behind) and all(may(study, Role.EDITOR) for study in held)


def _end(days: int | None) -> datetime | None:
    return timezone.now() + timedelta(days=days) if days else None
