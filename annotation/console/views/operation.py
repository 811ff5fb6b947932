"""The operator's page: what is wrong with this installation, each fault with its cure, and how far work is behind."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.console.permission import console_page, refused, visitor
from annotation.jobs.diagnosis import diagnose_quickly
from annotation.jobs.installation_state import (
    count_jobs,
    measure_disks,
    measure_queues,
    oldest_running_seconds,
    proven_at,
)
from annotation.models import Job

RECENT = 10


@require_safe
@console_page
def operation(request: HttpRequest) -> HttpResponse:
    """For administrators. Hosts, certificates, clock, mail and Chromium are tried by `manage.py doctor` alone."""
    if not visitor(request).is_superuser:
        return refused(request, _("Only an administrator of this installation can see this page"), status=403)
    now = timezone.now()
    symptoms = diagnose_quickly(now=now)
    context = {
        "problems": [symptom for symptom in symptoms if symptom.state != "ok"],
        "notes": [symptom for symptom in symptoms if symptom.state == "ok" and symptom.cure],
        "healthy": [symptom for symptom in symptoms if symptom.state == "ok" and not symptom.cure],
        "queues": measure_queues(now),
        "jobs": count_jobs(),
        "running_seconds": oldest_running_seconds(now),
        "failed": Job.objects.filter(state=Job.State.FAILED).select_related("study").order_by("-finished_at")[:RECENT],
        "proven_at": proven_at(),
        "disks": measure_disks(),
        "measured_at": now,
    }
    return render(request, "console/operation.html", context)
