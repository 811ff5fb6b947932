"""Lists of workers from elsewhere."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from ninja import File, Router, Status, UploadedFile
from ninja.errors import HttpError

from annotation.api.auth import caller
from annotation.api.jobs import JobOut
from annotation.api.responses import gives
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job
from annotation.readers.worker_list import read_worker_list

router = Router(tags=["Workers"])


@router.post("/workers", response=gives(JobOut, 202), summary="Import worker IDs with qualifications and blocks")
def import_workers(request: HttpRequest, file: File[UploadedFile]) -> Status[Job]:
    """A CSV as in docs/migrating.md; for owners of the installation. Where a row breaks a rule, none is imported."""
    if not caller(request).is_superuser:
        raise HttpError(403, "Only an owner of this installation can import worker IDs.")
    path = uploads.keep_checked(file, read_worker_list)
    return Status(
        202, ask(Job.Kind.IMPORT_WORKERS, by=caller(request), now=timezone.now(), settings={"path": str(path)})
    )
