"""A study that was loaded from another's report, as its snapshot has it."""

from __future__ import annotations

from dataclasses import replace

from annotation.exceptions import StateError
from annotation.models import ImportedReport, Study
from annotation.reports import report_rows, study_facts
from metrics.report.records import ReportInput
from metrics.report.snapshot import read_data

BEFORE_SNAPSHOTS = (
    "An earlier version of Assay imported the study {study} from a report. Import its report.json or snapshot.json "
    "again, under another name, to make reports of it."
)


def loaded_report(study: Study) -> ReportInput | None:
    """What the study's reports are made from, by this software; None where the study has rows of its own.

    Raises StateError where an earlier version of Assay stored the report.
    """
    loaded = ImportedReport.objects.filter(study=study).select_related("content").first()
    if loaded is None:
        return None
    if loaded.content is None:
        raise StateError(BEFORE_SNAPSHOTS.format(study=study))
    return replace(read_data(loaded.content.bytes), versions=study_facts.versions(), commit=report_rows.commit())
