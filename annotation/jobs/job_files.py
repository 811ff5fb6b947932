"""Where the files lie that a job wrote."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from annotation.models import Job


def jobs_folder() -> Path:
    """Where every job has a folder; it may not be there yet."""
    return Path(settings.VAR) / "jobs"


def folder_of(job: Job) -> Path:
    """The job's own folder; it may not be there yet."""
    return jobs_folder() / str(job.uuid)
