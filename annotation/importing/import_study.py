"""The verb that stores a study which was collected elsewhere (a batch-results file, or tidy ratings)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.accounts.models import User
from annotation.importing import store_study
from annotation.models import AuditEvent, Study, Worker
from annotation.readers.records import CollectedWork
from annotation.texts import store


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
        # Ids that mean nothing outside the file are the study's own: "r1" of two files are two people.
        provider = work.provider or f"import:{study.uuid.hex}"
        workers = Worker.objects.known_all(provider, (submission.worker for submission in work.submissions))
        submissions = store_study.stored_submissions(work, hits, workers, now=now)
        judgments = store_study.store_judgments(study, work, submissions, texts, now=now)
        store_study.store_flags(work, submissions, now=now)
        rejected = store_study.store_decisions(work, submissions, now=now)
        store_study.store_participations(study, submissions, now=now)
        store_study.count_work(study)
        AuditEvent.objects.record(study, "import_work", actor=actor, now=now, **_audit_facts(work))
    return WorkImported(study, len(texts), len(hits), len(submissions), judgments, len(workers), rejected)


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
