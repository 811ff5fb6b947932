"""Jobs about lists of workers: check one, import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from annotation import settings as conf
from annotation.exceptions import StateError
from annotation.models import Job, Study
from annotation.mturk.client import Market
from annotation.readers.worker_list import read_worker_list
from annotation.workers.import_workers import import_workers

Tell = Callable[[str, int, int], None]


def import_list(job: Job, tell: Tell, now: datetime) -> tuple[dict[str, Any], Study | None]:
    """All rows are checked first. Begun again, it repeats what changes nothing."""
    if job.asked_by is None or not job.asked_by.is_superuser:
        raise StateError("Only an owner of this installation can import worker IDs.")
    listed = read_worker_list(Path(job.settings["path"]))
    done = import_workers(listed, market=Market(conf.endpoint()), tell=tell)
    return {**asdict(done), "warnings": list(listed.warnings)}, None
