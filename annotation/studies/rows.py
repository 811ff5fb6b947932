"""Whether a study has rows of its own, or was loaded from another's report."""

from __future__ import annotations

import json
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.exceptions import StateError
from annotation.models import ImportedReport, Study


def has_rows(study: Study) -> bool:
    """Whether the database holds the study's texts and answers; False where its report was loaded."""
    is_imported = study.mode == Study.Mode.IMPORTED
    return not (is_imported and ImportedReport.objects.filter(study=study).exists())


def without_rows_sentence(study: Study) -> str:
    """Why something cannot be shown or done."""
    return _(
        "The study %(study)s was loaded from a report. It has that report, comparisons and exports; its texts, tasks "
        "and answers are not in this installation, so they cannot be shown or changed here."
    ) % {"study": study}


def require_rows(study: Study) -> None:
    """Raise StateError where the study was loaded from a report."""
    if not has_rows(study):
        raise StateError(without_rows_sentence(study))


def describe_loaded(study: Study) -> str:
    """Which report a study was loaded from, in a sentence."""
    loaded = ImportedReport.objects.select_related("content").get(study=study)
    if loaded.content is None:
        return _("An earlier version of Assay imported this report. Import its file again, under another name.")
    if not loaded.header:
        return _("Loaded from a report.json; the SHA-256 of its snapshot is %s.") % loaded.content.sha256
    return _("Loaded from snapshot %(number)s of the study %(study)s, taken at %(at)s; its SHA-256 is %(sha256)s.") % {
        **json.loads(loaded.header),
        "at": f"{datetime.fromisoformat(json.loads(loaded.header)['created_at']):%Y-%m-%d %H:%M} UTC",
        "sha256": loaded.content.sha256,
    }
