"""The verb that loads another's report as a study: its snapshot stands in place of rows."""

from __future__ import annotations

import zlib
from datetime import datetime

from django.db import transaction

from annotation.accounts.models import User
from annotation.design.kinds import BUILT_IN, DEFAULT
from annotation.importing import store_study
from annotation.models import AuditEvent, ImportedReport, SnapshotContent, Study
from annotation.pricing.currency import DEFAULT_CURRENCY, is_currency
from annotation.readers.records import LabelRecord, ScaleRecord
from annotation.readers.report_file import ReportFile
from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import TYPICAL
from metrics.report.formats.data_columns import format_decimal
from metrics.report.records import ReportInput
from metrics.report.snapshot import header_bytes, sha256_of


def import_report(file: ReportFile, *, name: str, actor: str, now: datetime, owner: User | None = None) -> Study:
    """Make a study of mode `imported` whose reports are those of the file's snapshot: all or nothing.

    It has no texts, tasks or submissions. Raises StateError when a study of that name exists, DesignError when the name
    is malformed or a label's number is not a decimal.
    """
    digest, header = sha256_of(file.content), header_bytes(file.header).decode() if file.header else ""
    with transaction.atomic():
        study = _create_study(file.report_input, name)
        store_study.add_owner(study, owner)
        content = SnapshotContent.objects.create(study=study, sha256=digest, compressed=zlib.compress(file.content, 1))
        ImportedReport.objects.create(study=study, content=content, header=header, made_at=now)
        facts = {"files": [store_study.provenance_details(file.origin)], "content_sha256": digest}
        AuditEvent.objects.record(study, "import_report", actor=actor, now=now, **facts)
    return study


def _create_study(report: ReportInput, name: str) -> Study:
    currency = report.money.currency if is_currency(report.money.currency) else DEFAULT_CURRENCY
    study = store_study.check_study(
        Study(
            name=name,
            mode=Study.Mode.IMPORTED,
            status=Study.Status.CLOSED,
            question="" if report.study.question == "not recorded" else report.study.question,
            noun=report.study.noun,
            task=task_of(report),
            reward_cents=report.money.reward_cents or 0,
            currency=currency,
            arm_assignment=report.study.arm_assignment or "",
        )
    )
    study.scale = store_study.stored_scale(scale_of(report), study_name=name)
    study.save(force_insert=True)
    return study


def scale_of(report: ReportInput) -> ScaleRecord:
    """The study's scale, without a name."""
    return ScaleRecord(
        "", tuple(LabelRecord(label.name, format_decimal(label.code), label.gloss) for label in report.study.scale)
    )


def task_of(report: ReportInput) -> str:
    """As the settings have it; else by what was asked."""
    task = str(dict(report.settings).get("task", ""))
    criteria = {rating.criterion for rating in report.ratings}
    if task or TYPICAL in criteria or not criteria:
        return task or DEFAULT.name
    if any(rating.partner for rating in report.ratings):
        return next(kind.name for kind in BUILT_IN if kind.answer is AnswerType.PREFERENCE)
    if criteria == report.criteria_of(AnswerType.TWO_SIDED):
        return next(kind.name for kind in BUILT_IN if kind.answer is AnswerType.TWO_SIDED)
    return next(kind.name for kind in BUILT_IN if kind.answer is AnswerType.ORDINAL and kind.more_criteria)
