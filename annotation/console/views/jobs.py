"""A job's page: how far it is, what came of it, and the way on. It can be left and found again."""

from __future__ import annotations

from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.accounts.models import User
from annotation.console.permission import console_page, visitor
from annotation.exceptions import StateError
from annotation.jobs import queue, shared_files
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Role
from annotation.studies.access import may, studies_of


def job_for(user: User, job_id: UUID) -> Job:
    """The job, for members of its study, or for who asked for it while they see all its studies. Raises Http404."""
    job = get_object_or_404(Job.objects.select_related("study", "asked_by"), uuid=job_id)
    if job.study is None:
        if job.asked_by_id != user.pk and not user.is_superuser:
            raise Http404
        behind = job.settings.get("studies", ())
        if studies_of(user).filter(uuid__in=behind).count() < len(behind):
            raise Http404
        return job
    job.study = get_object_or_404(studies_of(user), pk=job.study_id)
    return job


@console_page
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The whole page, or for a page that moves only the part that does."""
    shown_job = job_for(visitor(request), job_id)
    template = "console/job_state.html" if request.headers.get("HX-Request") else "console/job.html"
    context = {"job": shown_job, "study": shown_job.study, "may_cancel": _may_cancel(visitor(request), shown_job)}
    return render(request, template, context)


@require_POST
@console_page
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponse:
    job = job_for(visitor(request), job_id)
    if not _may_cancel(visitor(request), job):
        raise StateError("Who asked for a job can cancel it, and editors of its study.")
    queue.cancel(job, actor=visitor(request).get_username(), now=timezone.now())
    return redirect("console:job", job.uuid)


def _may_cancel(user: User, job: Job) -> bool:
    return job.asked_by_id == user.pk or (job.study is not None and may(job.study, Role.EDITOR))


@console_page
def job_file(request: HttpRequest, job_id: UUID, name: str) -> HttpResponseBase:
    """One of the files that the job wrote: to be saved, or the report to be read without our session's rights."""
    job = job_for(visitor(request), job_id)
    content = shared_files.open_file(folder_of(job) / name) if name in job.outcome.get("files", ()) else None
    if content is None:
        raise Http404
    look = name.endswith(".html") and "look" in request.GET
    response = FileResponse(content, as_attachment=not look, filename=f"{job.study}-{name}" if job.study else name)
    if look:
        response["Content-Security-Policy"] = READ_ALONE
    return response


# A report brings scripts of its own, named by their hashes in its head: it gets no origin, so no session of ours.
READ_ALONE = "sandbox allow-scripts allow-downloads"
