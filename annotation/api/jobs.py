"""Long work: how far it is, what came of it, and the files that it wrote."""

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
from annotation.jobs import queue as jobs
from annotation.jobs.celery_tasks import ask
from annotation.jobs.run import folder_of
from annotation.models import Job, Role

router = Router(tags=["Jobs"])
# Drawings of a report's figures: its files hold them, in a better form.
DRAWN = "figures"


class JobOut(Schema):
    """Long work. files: what it wrote, once it is done; outcome: what came of it, by kind."""

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
        return {name: told for name, told in job.outcome.items() if name != DRAWN}


@router.get("/studies/{study}/jobs", response=gives(Paged[JobOut]), summary="The study's long work, newest first")
def list_jobs(request: HttpRequest, study: UUID, page: Query[Page]) -> dict[str, Any]:
    return paged(study_for(request, study).jobs.order_by("-created_at", "-pk"), page)


@router.get("/jobs/{job}", response=gives(JobOut), summary="How far a job is")
def show_job(request: HttpRequest, job: UUID) -> Job:
    return job_for(request, job)


@router.get("/jobs/{job}/files/{name}", response=gives(bytes), summary="A file that a job wrote")
def show_file(request: HttpRequest, job: UUID, name: str) -> FileResponse:
    found = job_for(request, job)
    if found.state != Job.State.DONE or name not in found.outcome.get("files", []):
        raise HttpError(404, "There is no such file.")
    return FileResponse((folder_of(found) / name).open("rb"), as_attachment=True, filename=name)


@router.post("/jobs/{job}/cancel", response=gives(JobOut), summary="Cancel a job that waits or runs")
def cancel_job(request: HttpRequest, job: UUID) -> Job:
    """One that stores as it goes (adding texts, importing, simulated people) can be canceled before it begins only."""
    found = job_for(request, job, Role.EDITOR)
    jobs.cancel(found, actor=caller(request).get_username(), now=timezone.now())
    return found


@router.post("/jobs/{job}/confirm", response=gives(JobOut, 202), summary="Add the texts of a file that was checked")
def confirm_texts(request: HttpRequest, job: UUID) -> Status[Job]:
    """The file is read once more as it is stored; one with problems adds nothing."""
    checked = job_for(request, job, Role.EDITOR)
    if checked.kind != Job.Kind.CHECK_TEXTS or checked.state != Job.State.DONE:
        raise StateError("Only a finished check of texts can be confirmed.")
    made = ask(
        Job.Kind.ADD_TEXTS, by=caller(request), now=timezone.now(), study=checked.study, settings=checked.settings
    )  # fmt: skip
    return Status(202, made)
