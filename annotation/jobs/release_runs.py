"""The job that writes a public release: its folder, and the same as a zip."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

from annotation.exceptions import StateError
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Study
from annotation.reports.public_release import ReleaseWish, comment_keys, release
from metrics.report.formats.ro_crate import BEGINNING

Tell = Callable[[str, int, int], None]


def create_release(job: Job, tell: Tell, now: datetime) -> tuple[dict[str, Any], Study | None]:
    """Begun again after its process died, it writes the folder anew."""
    if job.study is None:
        raise StateError("This job is of no study.")
    tell("Computing the report twice", 0, 0)
    wish = ReleaseWish(job.settings["licence"], job.settings["consent"], comment_keys(job.settings.get("comments", [])))
    folder = folder_of(job) / "release"
    shutil.rmtree(folder, ignore_errors=True)
    actor = job.asked_by.get_username() if job.asked_by else "assay"
    row, bundle = release(job.study, wish, folder, actor=actor, now=now)
    name = f"release-{row.number}.zip"
    with zipfile.ZipFile(folder_of(job) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), BEGINNING)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                packed.writestr(entry, path.read_bytes())
    return {
        "files": [name],
        "number": row.number,
        "raters": row.raters,
        "withheld": row.withheld,
        "comments": row.comments,
        "differing": len(bundle.differing),
    }, None
