"""When results of a study could first be seen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation.models import AuditEvent, Result, Study

# Deeds after which somebody has seen results of a study.
SEEN = ("export", "export_comparison", "unblind")


def seen_at(study: Study) -> datetime | None:
    """When somebody first could see results: a report, a page of results, or the import of a finished study."""
    if study.mode == Study.Mode.IMPORTED:
        return study.created_at
    reported = Result.objects.filter(study=study).order_by("made_at").values_list("made_at", flat=True).first()
    deed = AuditEvent.objects.filter(study=study, verb__in=SEEN).order_by("number").values_list("at", flat=True).first()
    return min((at for at in (reported, deed) if at), default=None)


def seen_of(studies: Sequence[Study]) -> set[int]:
    """Keys of those of the studies whose results somebody could see already (`seen_at`), in two queries."""
    deeds = AuditEvent.objects.filter(study__in=studies, verb__in=SEEN).values_list("study", flat=True)
    reported = Result.objects.filter(study__in=studies).values_list("study", flat=True)
    return {*deeds, *reported, *(study.pk for study in studies if study.mode == Study.Mode.IMPORTED)}
