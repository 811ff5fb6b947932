"""The verbs that keep numbers computed elsewhere with a study, for every later report, and take them away again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, ScoreFile, Study
from annotation.readers.score_files import read_scores
from annotation.reports import report_rows
from annotation.studies.rows import require_rows
from annotation.texts import queries
from metrics.errors import BadInput
from metrics.report.row_records import Attached
from metrics.report.sections.machine_scores import check_file

MAX_SCORE_FILES = 20


def attach(
    study: Study,
    path: Path,
    *,
    model: str = "",
    version: str = "",
    columns: Sequence[str] = (),
    actor: str,
    now: datetime,
) -> ScoreFile:
    """Keep the file's numbers under its name, or nothing of it.

    model, version: what made them; a table must say, a file of `python -m metrics` says so itself. columns: of a CSV,
    those to take; none: all but `id`. Raises DesignError naming row, column and rule, StateError.
    """
    require_rows(study)
    texts = [report_rows.text_row(text) for text in queries.texts(study)]
    try:
        read = read_scores(path, [text.id for text in texts], columns)
        origin = (model.strip() or read.model, version.strip() or read.version)
        check_file(Attached(read.kind, path.name, read.sha256, read.document), texts)
    except BadInput as error:
        raise DesignError(f"Nothing was attached: {error}").at("file") from None
    for field, value in (("model", origin[0]), ("version", origin[1])):
        if (read.kind == "scores" and not value) or len(value) > 200:
            raise StateError(f"Say which {field} made these scores, in at most 200 characters.").at(field)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        _check_new(study, read.sha256)
        score_file = ScoreFile.objects.create(
            study=study,
            kind=read.kind,
            name=path.name[-200:],
            sha256=read.sha256,
            document=json.dumps(read.document, ensure_ascii=False),
            model=origin[0],
            version=origin[1],
            actor=actor,
            attached_at=now,
        )
        AuditEvent.objects.record(study, "attach", actor=actor, now=now, file=score_file.name, sha256=score_file.sha256)
    return score_file


def _check_new(study: Study, sha256: str) -> None:
    held = study.score_files.filter(sha256=sha256).first()
    if held:
        raise StateError(f"The study {study} has this file already, as {held.name}.").at("file")
    if study.score_files.count() >= MAX_SCORE_FILES:
        raise StateError(f"A study holds {MAX_SCORE_FILES} files of scores at most; take one away first.").at("file")


def detach(score_file: ScoreFile, *, actor: str, now: datetime) -> None:
    """Take a file away from its study; the log keeps its name and digest."""
    with transaction.atomic():
        details = {"file": score_file.name, "sha256": score_file.sha256}
        AuditEvent.objects.record(score_file.study, "detach", actor=actor, now=now, **details)
        score_file.delete()
