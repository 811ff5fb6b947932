"""Decide on payment: the decision and the intent to tell the marketplace, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation.accounts.models import User
from annotation.models import AuditEvent, Decision, Intent, Study, Submission


@dataclass(frozen=True, slots=True)
class Review:
    """Submissions decided now; `already`: decided before and left as they were."""

    decided: int
    already: int


def approve(study: Study, submissions: QuerySet[Submission], *, actor: User | None, now: datetime) -> Review:
    """Approve payment for those of `submissions` (of this study) that nobody has decided on."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = submissions.filter(hit__study=study)
        undecided = list(mine.exclude(decisions__matter=Decision.Matter.PAYMENT).order_by("pk"))
        Decision.objects.bulk_create(
            Decision(submission=submission, matter="payment", verdict="approve", actor=actor, at=now)
            for submission in undecided
        )
        Intent.objects.bulk_create(
            Intent.of(study, Intent.Kind.APPROVE, submission.pk, slot=submission.market_id) for submission in undecided
        )
        if undecided:
            name = actor.get_username() if actor else "assay"
            AuditEvent.objects.record(study, "approve", actor=name, now=now, submissions=len(undecided))
        return Review(len(undecided), mine.count() - len(undecided))
