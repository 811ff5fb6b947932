"""Retention: when all studies of a worker are past their retention date, the worker ID is deleted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import AuditEvent, Device, DrawRecord, Participation, Study, WorkerIdentity


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Workers whose ids were deleted from the vault (or would be), and the studies past their date they are of."""

    workers: int
    studies: tuple[str, ...]


def forget_devices(*, now: datetime, days: int) -> int:
    """Delete the device codes that are at least `days` old; return how many."""
    return Device.objects.filter(noted_at__lte=now - timedelta(days=days)).delete()[0]


def forget(*, now: datetime, dry_run: bool) -> Forgotten:
    """Delete the identities of workers all of whose studies are past their retention date.

    Pseudonyms, ratings and the audit chain stay as they are. A worker of a study without a date is kept.
    """
    with transaction.atomic():
        due = list(_due(now).values_list("pk", "worker"))
        workers = [worker for _, worker in due]
        past = Study.objects.filter(retain_until__lte=now, participations__worker__in=workers).distinct()
        studies = list(past.order_by("pk"))
        if not dry_run:
            for study in studies:
                number = study.participations.filter(worker__in=workers).count()
                AuditEvent.objects.record(study, "forget", actor="assay", now=now, workers=number)
            WorkerIdentity.objects.filter(pk__in=[pk for pk, _ in due]).delete()
            _forget_draws_past(now)
    return Forgotten(len(workers), tuple(study.name for study in studies))


def forget_draws(rows: QuerySet[DrawRecord]) -> None:
    """Name the people of these lines anew, at random: a hash of an id would know who comes back under it.

    The lines of one person in one study keep one name, so that what was drawn stays what it was.
    """
    for study, person in rows.order_by().values_list("study", "person").distinct():
        DrawRecord.objects.filter(study=study, person=person).update(person=secrets.token_hex(8))


def _draws_past(now: datetime) -> QuerySet[DrawRecord]:
    """Of studies whose date came after the last time; a random name is as good as another, so once is enough."""
    renamed = AuditEvent.objects.filter(study=OuterRef("study"), verb="forget_draws")
    return DrawRecord.objects.filter(study__retain_until__lte=now).exclude(Exists(renamed))


def _forget_draws_past(now: datetime) -> None:
    for study in Study.objects.filter(pk__in=_draws_past(now).values("study")).order_by("pk"):
        forget_draws(study.draws.all())
        AuditEvent.objects.record(study, "forget_draws", actor="assay", now=now)


def _due(now: datetime) -> QuerySet[WorkerIdentity]:
    unexpired = Participation.objects.filter(worker=OuterRef("worker"))
    unexpired = unexpired.filter(Q(study__retain_until=None) | Q(study__retain_until__gt=now))
    past = Participation.objects.filter(worker=OuterRef("worker"), study__retain_until__lte=now)
    return WorkerIdentity.objects.filter(Exists(past)).exclude(Exists(unexpired)).order_by("pk")
