"""The verb that stores a study which was collected elsewhere (a batch-results file, or tidy ratings)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.accounts.models import User
from annotation.importing import store_study
from annotation.models import AuditEvent, Hit, Study, Worker
from annotation.readers.records import CollectedWork, SubmissionRecord
from annotation.texts import store

PART = 20_000  # judgments stored at once


@dataclass(frozen=True, slots=True)
class WorkImported:
    """What was stored. `rejected` counts payment rejections, all of which stay in the analysis."""

    study: Study
    texts: int
    hits: int
    submissions: int
    judgments: int
    workers: int
    rejected: int


def import_work(
    work: CollectedWork, *, name: str, actor: str, now: datetime, owner: User | None = None
) -> WorkImported:
    """Make a study of mode `imported` from a file's records: all or nothing.

    Raises StateError when a study of that name exists, DesignError when the name is malformed or the
    scale's name is taken by another scale.
    """
    with transaction.atomic():
        study = _create_study(work, name)
        store_study.add_owner(study, owner)
        texts = store.store_texts(study, work.texts)
        hits = store_study.stored_hits(study, work, texts)
        stored = _store_submissions(study, work, texts, hits, now=now)
        store_study.count_work(study)
        AuditEvent.objects.record(study, "import_work", actor=actor, now=now, **_audit_facts(work))
    return WorkImported(
        study, len(texts), len(hits), len(work.submissions), stored.judgments, stored.workers, stored.rejected
    )


@dataclass(frozen=True, slots=True)
class _Stored:
    judgments: int
    workers: int
    rejected: int


def _store_submissions(
    study: Study, work: CollectedWork, texts: Mapping[str, int], hits: Mapping[str, Hit], *, now: datetime
) -> _Stored:
    """Write the submissions and all that belongs to them, a part after the other."""
    # Ids that mean nothing outside the file are the study's own: "r1" of two files are two people.
    provider = work.provider or f"import:{study.uuid.hex}"
    labels = store_study.labels_by_criterion(study, work)
    arms = dict(Hit.objects.filter(study=study).values_list("pk", "cell__arm"))
    workers: dict[str, Worker] = {}
    since: store_study.Since = {}
    judgments = rejected = 0
    for records in _parts_of(work.submissions):
        unknown = (record.worker for record in records if record.worker not in workers)
        workers |= Worker.objects.known_all(provider, unknown)
        rows = store_study.stored_submissions(records, hits, workers, raw_format=work.raw_format, now=now)
        judgments += store_study.store_judgments(records, rows, texts, labels, now=now)
        store_study.store_flags(records, rows, now=now)
        rejected += store_study.store_decisions(records, rows, now=now)
        store_study.note_arms(since, rows, arms, now=now)
    store_study.store_participations(study, since)
    return _Stored(judgments, len(workers), rejected)


def _parts_of(submissions: Iterable[SubmissionRecord]) -> Iterator[list[SubmissionRecord]]:
    """Stretches of at least PART judgments, but for the last."""
    part: list[SubmissionRecord] = []
    size = 0
    for record in submissions:
        part.append(record)
        size += 1 + len(record.judgments)
        if size >= PART:
            yield part
            part, size = [], 0
    if part:
        yield part


def _create_study(work: CollectedWork, name: str) -> Study:
    study = store_study.check_study(
        Study(
            name=name,
            mode=Study.Mode.IMPORTED,
            status=Study.Status.CLOSED,
            question=work.question,
            noun=work.noun,
            task=work.task,
            reward_cents=work.reward_cents,
            evaluators_per_cell=work.evaluators_per_cell,
            raters_per_text=max((hit.max_assignments for hit in work.hits), default=1),
            texts_per_hit=max((len(hit.texts) for hit in work.hits), default=1),
        )
    )
    if work.assignment_seconds is not None:
        study.assignment_seconds = work.assignment_seconds
    if work.auto_approval_seconds is not None:
        study.auto_approval_seconds = work.auto_approval_seconds
    study.scale = store_study.stored_scale(work.scale, study_name=name)
    study.save(force_insert=True)
    return study


def _audit_facts(work: CollectedWork) -> dict[str, Any]:
    files = [store_study.provenance_details(origin) for origin in work.provenance]
    created = next((origin.created_at for origin in work.provenance if origin.created_at), None)
    return {"files": files, "created_at": created.isoformat() if created else None, "texts": len(work.texts)}
