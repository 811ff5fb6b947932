"""Write a report to disk and remember what was reported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Result, Study
from metrics.report.result import Report
from metrics.report.write import write


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written, the SHA-256 of the data among them (the CSV files), and the stored result."""

    paths: tuple[Path, ...]
    data_sha256: str
    result: Result


def export(report: Report, out_dir: Path, *, study: Study, actor: str, now: datetime) -> Exported:
    """Write the report's files into `out_dir`, and a Result and an audit row beside them.

    Raises StateError when the files cannot be written; then nothing is stored.
    """
    try:
        paths = write(report, out_dir, now=now)
    except OSError as error:
        raise StateError(f"The report cannot be written to {out_dir}: {error.strerror}.") from None
    digest = sha256_of([path for path in paths if path.suffix == ".csv"])
    numbers = json.loads(next(path for path in paths if path.name == "report.json").read_text(encoding="utf-8"))
    with transaction.atomic():
        result = Result.objects.create(study=study, made_at=now, data_sha256=digest, numbers=numbers)
        AuditEvent.objects.record(study, "export", actor=actor, now=now, result=result.pk, data_sha256=digest)
    return Exported(tuple(paths), digest, result)


def sha256_of(paths: Sequence[Path]) -> str:
    """One SHA-256 over the names and bytes of the files, in order of name."""
    told = hashlib.sha256()
    for path in sorted(paths, key=lambda one: one.name):
        told.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return told.hexdigest()
