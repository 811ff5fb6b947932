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

from annotation.console.form_errors import beside
from annotation.console.forms.comparing import Compare, Share
from annotation.console.permission import console_page, refused, visitor
from annotation.console.views.jobs import job_for
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, ShareLink
from annotation.reports.share import revoke, share
from annotation.reports.share import studies_of as studies_behind
from annotation.studies import blinding
from annotation.studies.access import may, studies_of


@console_page
def compare(request: HttpRequest) -> HttpResponse:
    """Which studies to compare: those whose results somebody has looked at, and on which one may look."""
    every = [one for one in studies_of(visitor(request)).order_by("-pk") if may(one, Role.REVIEWER)]
    seen = blinding.seen_of(every)
    form = Compare(request.POST or None, studies=[one for one in every if one.pk in seen])
    if form.is_valid():
        wanted = {"studies": form.cleaned_data["studies"], "seed": 0}
        job = ask(Job.Kind.COMPARISON, by=visitor(request), now=timezone.now(), settings=wanted)
        return redirect("console:job", job.uuid)
    mine = Job.objects.filter(kind=Job.Kind.COMPARISON, asked_by=visitor(request)).order_by("-created_at")[:20]
    names = {str(one.uuid): one.name for one in every}
    told = [(job, [names.get(uuid, uuid) for uuid in job.settings["studies"]]) for job in mine]
    context = {"form": form, "blind": [one for one in every if one.pk not in seen], "jobs": told}
    return render(request, "console/comparing.html", context, status=422 if form.errors else 200)


@console_page
def links(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The links to a finished report; a new one shows its address once. For editors of every study behind it."""
    found = job_for(visitor(request), job_id)
    if not found.page:
        raise Http404
    if not _may_share(request, found):
        return refused(request, _("Your role on this study does not let you do this"), status=403)
    form, address = Share(request.POST or None), ""
    if form.is_valid():
        with beside(form, ends_at="days"):
            made = share(found, by=visitor(request), now=timezone.now(), ends_at=_end(form.cleaned_data["days"]))
            form, address = Share(), settings.CONSOLE_ORIGIN + reverse("shared-report", args=[made.token])
    context = {"job": found, "study": found.study, "form": form, "address": address, "now": timezone.now()}
    told = {**context, "links": found.links.order_by("-made_at")}
    return render(request, "console/sharing.html", told, status=422 if form.errors else 200)


@require_POST
@console_page
def unlink(request: HttpRequest, job_id: UUID, link: int) -> HttpResponse:
    found = job_for(visitor(request), job_id)
    if not _may_share(request, found):
        return refused(request, _("Your role on this study does not let you do this"), status=403)
    revoke(get_object_or_404(ShareLink, pk=link, job=found), by=visitor(request), now=timezone.now())
    messages.success(request, _("Link revoked."))
    return redirect("console:job-links", found.uuid)


def _may_share(request: HttpRequest, job: Job) -> bool:
    behind = [one.pk for one in studies_behind(job)]
    held = list(studies_of(visitor(request)).filter(pk__in=behind))
    return bool(behind) and len(held) == len(behind) and all(may(one, Role.EDITOR) for one in held)


def _end(days: int | None) -> datetime | None:
    return timezone.now() + timedelta(days=days) if days else None
