"""Measure every submission by every filter; store it, raise the flags. Nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import transaction

from annotation.models import Evidence, Flag, PersonEvidence, Study, Submission
from annotation.quality.check_counts import store_counts
from annotation.quality.filters import BY_KIND, FILTERS, NOTED
from annotation.quality.load_work import StudyWork, study_work
from annotation.quality.measure import Assessment, measure_work
from annotation.quality.people import habits, log_odds_of, people_evidence, person_details
from annotation.quality.work_table import Measured
from annotation.workers import participation
from metrics.worker_models.people import KINDS

BATCH = 2000
# Raised by the reader of answers, which knows which text has none.
READ = "incomplete"


@dataclass(frozen=True, slots=True)
class Assessed:
    """Submissions measured, and flags raised."""

    submissions: int
    flags: int


def assess(study: Study, *, now: datetime, on_store: Callable[[Assessed], None] = lambda assessed: None) -> Assessed:
    """Measure the study's work again: evidence and flags of the checks are replaced.

    on_store: called with what is returned, in the transaction that stores it. Where it raises, nothing is replaced.
    """
    read = study_work(study)
    assessment = measure_work(read.work)
    flags = [
        Flag(
            submission_id=read.submissions[i],
            kind=check.kind,
            sentence=check.finding_sentence(
                float(assessment.measured[check.kind].value[i]), int(assessment.measured[check.kind].n[i])
            ),
            value=float(assessment.measured[check.kind].value[i]),
            threshold=check.threshold,
            raised_at=now,
        )
        for check in FILTERS
        if check.flags
        for i in np.flatnonzero(assessment.raised[check.kind]).tolist()
    ]
    flags += [Flag(submission_id=pk, kind="held", sentence=NOTED["held"], raised_at=now) for pk in _held(study)]
    findings_of = _findings(assessment, len(read.submissions))
    people = _people(study, read, assessment, now=now)
    kinds = [kind for kind in (*BY_KIND, *NOTED) if kind != READ]
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        Flag.objects.filter(submission__hit__study=study, kind__in=kinds).delete()
        Evidence.objects.filter(submission__hit__study=study).delete()
        PersonEvidence.objects.filter(study=study).delete()
        store_counts(study, assessment, now=now)
        PersonEvidence.objects.bulk_create(people, batch_size=BATCH)
        Flag.objects.bulk_create(flags, batch_size=BATCH, ignore_conflicts=True)
        Evidence.objects.bulk_create(
            (
                Evidence(submission_id=pk, suspicion=suspicion, findings=findings, measured_at=now)
                for pk, suspicion, findings in zip(
                    read.submissions, assessment.suspicion.tolist(), findings_of, strict=True
                )
            ),
            batch_size=BATCH,
        )
        assessed = Assessed(len(read.submissions), len(flags))
        on_store(assessed)
    return assessed


def _people(study: Study, read: StudyWork, assessment: Assessment, *, now: datetime) -> list[PersonEvidence]:
    """What the model of people shows of each worker; suspicion: the highest of their submissions."""
    evidence = people_evidence(read.work)
    suspicion, typical = np.zeros(len(read.workers)), habits(read.work)
    names = {"label_names": read.label_names}
    np.maximum.at(suspicion, read.work.worker, assessment.suspicion)
    return [
        PersonEvidence(
            study=study,
            worker_id=worker,
            chance=float(np.clip(evidence.bad[i], 0, 1)),
            suspicion=float(suspicion[i]),
            kind=KINDS[evidence.likeliest[i]],
            log_odds=log_odds_of(evidence, i),
            details=person_details(evidence, i, read.workers) | typical[i] | names,
            measured_at=now,
        )
        for i, worker in enumerate(read.workers)
    ]


def _held(study: Study) -> list[int]:
    """Return submissions of people who were on hold when the study was created."""
    held = participation.holds_at_creation(study)
    mine = Submission.objects.filter(hit__study=study, worker__in=held.values("worker"))
    return list(mine.exclude(raw_format=Submission.WITHDRAWN).order_by("pk").values_list("pk", flat=True))


def _findings(assessment: Assessment, size: int) -> list[dict[str, list[float | int | None]]]:
    """Return, by submission, value, low, high and n of each check that had something to measure."""
    rows: list[dict[str, list[float | int | None]]] = [{} for _ in range(size)]
    for kind, measured in assessment.measured.items():
        for i in np.flatnonzero((measured.n > 0) & ~np.isnan(measured.value)).tolist():
            rows[i][kind] = [_number(measured, part, i) for part in ("value", "low", "high")] + [int(measured.n[i])]
    return rows


def _number(measured: Measured, part: str, i: int) -> float | None:
    value = float(getattr(measured, part)[i])
    return None if np.isnan(value) else round(value, 6)
