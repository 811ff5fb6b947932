"""A first look at an upload: at once where the file is small, by the queue where it is not."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from annotation.accounts.models import User
from annotation.jobs import queue
from annotation.jobs.celery_tasks import ask
from annotation.jobs.run import run
from annotation.models import Job, Study

SMALL = 8 * 1024 * 1024  # bytes of a file that is looked at while its owner waits
SMALL_UNPACKED = 64 * 1024 * 1024


def look_now(*, by: User, study: Study | None, settings: Mapping[str, Any], now: datetime) -> Job:
    """A job that looks at the file: done already where the file is small."""
    small = _is_small(Path(settings["path"]))
    job = (queue.ask if small else ask)(Job.Kind.LOOK_AT_FILE, by=by, now=now, study=study, settings=settings)
    if small and (running := queue.take(now=now, only=job)):
        run(running)
        job.refresh_from_db()
    return job


def _is_small(path: Path) -> bool:
    files = [path] if path.is_file() else list(path.iterdir())
    if sum(file.stat().st_size for file in files) > SMALL:
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist()) <= SMALL_UNPACKED
    except (zipfile.BadZipFile, OSError):
        return True
