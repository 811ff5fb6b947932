"""The verb that has a detector of machine-written text score a study's explanations (F21).

The scores raise flags when the study's work is measured. A flag of a detector leaves nobody out alone: detectors
suspect people who write in a second language.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Detection, Detector, Remark, Study
from annotation.quality import detectors as detecting
from annotation.studies import blinding

CHUNK = 64


@dataclass(frozen=True, slots=True)
class Detected:
    """scored: explanations, now. kept: had a score of this detector. unknown: it can say nothing of these, of all."""

    detector: str
    scored: int
    kept: int
    unknown: int


def detect(
    study: Study,
    declared: detecting.Declared,
    *,
    score: detecting.Score,
    actor: str,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Detected:
    """Store the scores of the explanations that have none, and make this the study's detector.

    score: gives scores by explanation (primary key); what it leaves out stays without one. Each part is kept as it
    comes: a run that breaks off goes on where it was. Raises StateError for a nameless detector, a threshold that is no
    number, or a study without explanations.
    """
    _check(study, declared)
    one = _declare(study, declared, actor=actor, now=now)
    mine = Detection.objects.filter(detector=one)
    kept = mine.count()
    todo = list(detecting.remarks_of(study).exclude(detections__detector=one).only("pk", "body"))
    for start in range(0, len(todo), CHUNK):
        _keep(one, todo[start : start + CHUNK], score)
        if progress:
            progress(min(start + CHUNK, len(todo)), len(todo))
    return Detected(str(one), mine.count() - kept, kept, mine.filter(score=None).count())


def _check(study: Study, declared: detecting.Declared) -> None:
    if not declared.name.strip() or not declared.version.strip():
        raise StateError("A detector needs a name and a version.")
    if declared.beyond not in Detector.Side.values:
        raise StateError("A detector calls texts machine-written above or below its threshold.")
    if not math.isfinite(declared.threshold):
        raise StateError("A detector's threshold is a finite number.")
    if not detecting.remarks_of(study).exists():
        raise StateError(f"Nobody has explained an answer in {study}: there is nothing for a detector to look at.")


def _declare(study: Study, declared: detecting.Declared, *, actor: str, now: datetime) -> Detector:
    """The detector with just this threshold; declared anew where another came after it."""
    same: dict[str, Any] = {"name": declared.name.strip(), "version": declared.version.strip()}
    same |= {"beyond": declared.beyond, "threshold": declared.threshold}
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = detecting.detector_of(study)
        if last is not None and all(getattr(last, field) == value for field, value in same.items()):
            return last
        blind = blinding.seen_at(study) is None
        AuditEvent.objects.record(study, "detect", actor=actor, now=now, **same, blind=blind)
        return Detector.objects.create(study=study, **same, blind=blind, actor=actor, declared_at=now)


def _keep(one: Detector, remarks: list[Remark], score: detecting.Score) -> None:
    found = score(remarks)
    rows = [Detection(detector=one, remark=remark, score=found[remark.pk]) for remark in remarks if remark.pk in found]
    # Another run may have scored the same meanwhile; work may have been withdrawn.
    Detection.objects.bulk_create(rows, ignore_conflicts=True)
