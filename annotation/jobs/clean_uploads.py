"""Tidy up: uploads that nobody went on with are deleted after a while."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.db.models import Q

from annotation.jobs import shared_files
from annotation.models import Job


def tidy(folder: Path, *, now: datetime, keep: timedelta) -> int:
    """Delete what lies in `folder` for longer than `keep`, unless a job that waits or runs reads it; how many went.

    Every upload has a folder of its own there. One whose file was checked and never confirmed holds texts that somebody
    may have thought better of.
    """
    uploads = [folder / name for name in shared_files.folder_names(folder)]
    old = [upload for upload in uploads if shared_files.changed_at(upload) <= now - keep]
    read = _being_read() if old else set()
    expired = [upload for upload in old if upload.name not in read]
    for upload in expired:
        shared_files.remove(upload)
    return len(expired)


# Jobs whose files go with the uploads where they belong to no study, and always where they failed.
MEASURES = (Job.Kind.NND_TESTS, Job.Kind.NND_RUN, Job.Kind.H_SCORE)


def tidy_measures(folder: Path, *, now: datetime, keep: timedelta) -> int:
    """Delete from `folder` the files of measures without a crowd that ended longer than `keep` ago; how many went.

    What is of a study stays with it, but for what a failed job left; tests that an open run reads stay, too.
    """
    ended = Job.objects.filter(kind__in=MEASURES, finished_at__lte=now - keep)
    passing = ended.filter(Q(study=None) | Q(state=Job.State.FAILED))
    open_runs = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING], kind=Job.Kind.NND_RUN)
    read = {settings.get("tests") for settings in open_runs.values_list("settings", flat=True)}
    names = {str(name) for name in passing.values_list("uuid", flat=True)} - read
    expired = [folder / name for name in shared_files.folder_names(folder) if name in names]
    for path in expired:
        shared_files.remove(path)
    return len(expired)


def _being_read() -> set[str]:
    """Names of the folders that open jobs read."""
    settings = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING]).values_list("settings", flat=True)
    return {
        Path(path).parent.name
        for request in settings
        for name in shared_files.UPLOADS
        if isinstance(request.get(name), str | list)
        for path in ([request[name]] if isinstance(request[name], str) else request[name])
    }
