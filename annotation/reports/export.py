"""Write a report to disk and remember what was reported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Result, Study
from annotation.reports.measures import choose_headline, measures_of
from metrics.errors import BadInput
from metrics.figures.images import NoBrowser
from metrics.report.formats.json import numbers
from metrics.report.formats.write import (
    USUAL,
    Format,
    Written,
    write_files,
    write_with_fallback,
    write_with_hashes,
)
from metrics.report.result import Report
from metrics.report.snapshot import Snapshot

SNAPSHOT = "snapshot.json"


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written, the SHA-256 of the data (the CSV files), and the stored result.

    left_out: a sentence where a browser was missing or failed, so that PDF was not made.
    """

    paths: tuple[Path, ...]
    data_sha256: str
    result: Result
    left_out: str


def export(
    report: Report,
    out_dir: Path,
    *,
    study: Study,
    actor: str,
    now: datetime,
    formats: Sequence[Format] = USUAL,
    chromium: Path | None = None,
    sandbox: bool = True,
    snapshot: Snapshot | None = None,
) -> Exported:
    """Write the report's files into `out_dir`, with the snapshot that it is of, and store a Result and an audit row.

    Without a browser all but PDF is written. Raises StateError when files cannot be written, or nothing can be made;
    then nothing is stored.
    """

    def make(names: Sequence[Format], browser: Path | None) -> Written:
        return write_with_hashes(report, out_dir, now=now, formats=names, chromium=browser, sandbox=sandbox)

    try:
        written, left_out = write_with_fallback(make, formats, chromium)
        paths = list(written.paths)
        if snapshot is not None:
            paths += write_files(out_dir, {SNAPSHOT: snapshot.document()})
    except OSError as error:
        raise StateError(f"The report cannot be written to {out_dir}: {error.strerror}.") from None
    except (NoBrowser, BadInput) as error:
        raise StateError(str(error)) from None
    digest = sha256_of({name: sha256 for name, sha256 in written.data_hashes.items() if name.endswith(".csv")})
    stored = json.loads(json.dumps(numbers(report, now=now)))
    result = Result(study=study, made_at=now, data_sha256=digest, numbers=stored)
    headline = choose_headline(measures_of(result))
    result.headline = asdict(headline) if headline else None
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        result.save()
        AuditEvent.objects.record(study, "export", actor=actor, now=now, result=result.pk, data_sha256=digest)
    return Exported(tuple(paths), digest, result, left_out)


def sha256_of(hashes: Mapping[str, str]) -> str:
    """One SHA-256 over names and the SHA-256 of each file, in order of name."""
    return hashlib.sha256("".join(f"{name}\0{hashes[name]}\n" for name in sorted(hashes)).encode()).hexdigest()
