"""Write a comparison of studies to disk, and note on each study that it was compared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study
from metrics.errors import BadInput
from metrics.figures.images import NoBrowser
from metrics.report.comparison.compare import StudyComparison
from metrics.report.formats.write import USUAL, Format, write_with_fallback
from metrics.report.formats.write_comparison import data_hashes, write_comparison


def export_comparison(
    compared: StudyComparison,
    out_dir: Path,
    *,
    studies: Sequence[Study],
    actor: str,
    now: datetime,
    formats: Sequence[Format] = USUAL,
    chromium: Path | None = None,
    sandbox: bool = True,
) -> tuple[tuple[Path, ...], str]:
    """Write the comparison's files into `out_dir`; each study's log gets the hash of what it gave, not the others.

    Without a browser all but PDF is written, and a sentence says so. Raises StateError when files cannot be written, or
    nothing can be made; then nothing is noted.
    """

    def make(names: Sequence[Format], browser: Path | None) -> list[Path]:
        return write_comparison(compared, out_dir, now=now, formats=names, chromium=browser, sandbox=sandbox)

    try:
        paths, left_out = write_with_fallback(make, formats, chromium)
    except OSError as error:
        raise StateError(f"The comparison cannot be written to {out_dir}: {error.strerror}.") from None
    except (NoBrowser, BadInput) as error:
        raise StateError(str(error)) from None
    hashes = dict(data_hashes(compared))
    with transaction.atomic():
        for study in sorted(studies, key=lambda study: study.pk):
            facts = {"studies": len(studies), "data_sha256": hashes[study.name]}
            AuditEvent.objects.record(study, "export_comparison", actor=actor, now=now, **facts)
    return tuple(paths), left_out
