"""Jobs: their progress, their outcome, and the files that they wrote."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import FileResponse, HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema, Status
from ninja.errors import HttpError

from annotation.api.auth import caller, job_for, study_for
from annotation.api.responses import Page, Paged, gives, paged
from annotation.exceptions import StateError
from annotation.jobs import queue, shared_files
from annotation.jobs.celery_tasks import ask
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Role

router = Router(tags=["Jobs"])
# Drawings of a report's figures: its files hold them, in a better form.
DRAWN = "figures"


class JobOut(Schema):
    """Long background work. files: what it wrote, once it is finished; outcome: by kind of job."""

    uuid: UUID
    kind: str
    state: str
    step: str
    done: int
    of: int
    problem: str
    created_at: datetime
    finished_at: datetime | None
    files: list[str]
    outcome: dict[str, Any]

    @staticmethod
    def resolve_files(job: Job) -> list[str]:
        return list(job.outcome.get("files", []))

    @staticmethod
    def resolve_outcome(job: Job) -> dict[str, Any]:
        return {name: value for name, value in job.outcome.items() if name != DRAWN}


@router.get("/studies/{study}/jobs", response=gives(Paged[JobOut]), summary="Jobs of the study, newest first")
def list_jobs(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(study_for(request, study).jobs.order_by("-created_at", "-pk"), page)


@router.get("/jobs/{job}", response=gives(JobOut), summary="Progress of a job")
def show_job(request: HttpRequest, job: UUID) -> Job:
    return job_for(request, job)


@router.get("/jobs/{job}/files/{name}", response=gives(bytes), summary="A file that a job wrote")
def show_file(request: HttpRequest, job: UUID, name: str) -> FileResponse:
    job_row = job_for(request, job)
    if job_row.state != Job.State.DONE or name not in job_row.outcome.get("files", []):
        raise HttpError(404, "There is no such file.")
    content = shared_files.open_file(folder_of(job_row) / name)
    if content is None:
        raise HttpError(404, "This file is not stored any more. Start the job again.")
    return FileResponse(content, as_attachment=True, filename=name)


@router.post("/jobs/{job}/cancel", response=gives(JobOut), summary="Cancel a job that waits or runs")
def cancel_job(request: HttpRequest, job: UUID) -> Job:
    """Jobs that store while they run (importing, simulated raters) can be canceled before they begin."""
    job_row = job_for(request, job, Role.EDITOR)
    queue.cancel(job_row, actor=caller(request).get_username(), now=timezone.now())
    return job_row


@router.post("/jobs/{job}/confirm", response=gives(JobOut, 202), summary="Add the texts of a file that was checked")
def confirm_texts(request: HttpRequest, job: UUID) -> Status[Job]:
    """The file is read again while it is stored. A file with problems adds nothing."""
    checked = job_for(request, job, Role.EDITOR)
    if checked.kind != Job.Kind.CHECK_TEXTS or checked.state != Job.State.DONE:
        raise StateError("Only a finished check of texts can be confirmed.")
    adding = ask(
        Job.Kind.ADD_TEXTS, by=caller(request), now=timezone.now(), study=checked.study, settings=checked.settings
    )  # fmt: skip
    return Status(202, adding)
