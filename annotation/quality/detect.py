"""The verb that has a detector of machine-written text score a study's explanations (F21).

The scores raise flags when the study's work is measured. A flag of a detector excludes no work alone: detectors
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
from annotation.quality import detectors
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
    declared: detectors.Declared,
    *,
    score: detectors.Score,
    actor: str,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Detected:
    """Store the scores of the explanations that have none, and make this the study's detector.

    score: gives scores by explanation (primary key); what it omits stays without one. Each part is stored as it
    comes: a run that breaks off goes on where it was. Raises StateError for a nameless detector, a threshold that is no
    number, or a study without explanations.
    """
    _check(study, declared)
    detector = _declare(study, declared, actor=actor, now=now)
    mine = Detection.objects.filter(detector=detector)
    scored_before = mine.count()
    todo = list(detectors.remarks_of(study).exclude(detections__detector=detector).only("pk", "body"))
    for start in range(0, len(todo), CHUNK):
        _keep(detector, todo[start : start + CHUNK], score)
        if progress:
            progress(min(start + CHUNK, len(todo)), len(todo))
    return Detected(str(detector), mine.count() - scored_before, scored_before, mine.filter(score=None).count())


def _check(study: Study, declared: detectors.Declared) -> None:
    if not declared.name.strip() or not declared.version.strip():
        raise StateError("A detector needs a name and a version.")
    if declared.beyond not in Detector.Side.values:
        raise StateError("A detector calls texts machine-written above or below its threshold.")
    if not math.isfinite(declared.threshold):
        raise StateError("A detector's threshold is a finite number.")
    if not detectors.remarks_of(study).exists():
        raise StateError(f"{study} has no explanations for a detector to score.")


def _declare(study: Study, declared: detectors.Declared, *, actor: str, now: datetime) -> Detector:
    """Return the detector with this threshold; declare it again where another came after it."""
    same: dict[str, Any] = {"name": declared.name.strip(), "version": declared.version.strip()}
    same |= {"beyond": declared.beyond, "threshold": declared.threshold}
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        last = detectors.detector_of(study)
        if last is not None and all(getattr(last, field) == value for field, value in same.items()):
            return last
        blind = blinding.seen_at(study) is None
        AuditEvent.objects.record(study, "detect", actor=actor, now=now, **same, blind=blind)
        return Detector.objects.create(study=study, **same, blind=blind, actor=actor, declared_at=now)


def _keep(detector: Detector, remarks: list[Remark], score: detectors.Score) -> None:
    scores = score(remarks)
    rows = [
        Detection(detector=detector, remark=remark, score=scores[remark.pk])
        for remark in remarks
        if remark.pk in scores
    ]
    # Another run may have scored the same meanwhile; work may have been withdrawn.
    Detection.objects.bulk_create(rows, ignore_conflicts=True)
