"""Withdraw answers: the raw answers and the judgments are deleted, the submission and its payment stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import CASCADE, Count, F

from annotation.models import AuditEvent, CheckCounts, Hit, Judgment, Parse, PersonEvidence, Study, Submission
from annotation.mturk.answer_xml import is_withdrawn
from annotation.mturk.client import Market


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Submissions erased now, and judgments that went with them; `unknown`: ids that are no submission here."""

    submissions: int
    judgments: int
    unknown: int


def withdrawn_on(study: Study, *, market: Market) -> tuple[str, ...]:
    """The assignments of the study whose answers the marketplace has erased and we have not.

    One call for each HIT with submissions that are not erased here; the Requester API has no event of this kind.
    """
    stored = Submission.objects.filter(hit__study=study, raw_format="mturk-xml")
    hits = study.hits.exclude(market_id=None).filter(pk__in=stored.values("hit")).order_by("slot")
    known = set(stored.values_list("market_id", flat=True))
    return tuple(
        work.assignment_id
        for hit in hits
        for work in market.submitted(str(hit.market_id))
        if work.assignment_id in known and is_withdrawn(work.answer)
    )


def withdraw(study: Study, assignment_ids: Iterable[str], *, actor: str, now: datetime) -> Withdrawal:
    """Erase what the named submissions of the study say, all or none; again, it changes nothing.

    Gone are the raw answer, presentations, judgments, flags and all else that was made of it; what remains is that
    a pseudonym worked, when, and was paid. The audit log notes how many, to explain different numbers before and
    after.
    """
    requested = sorted(set(assignment_ids))
    if not requested:
        return Withdrawal(0, 0, 0)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        mine = Submission.objects.filter(hit__study=study, market_id__in=requested)
        rows = list(mine.values_list("pk", "raw_format"))
        due = [pk for pk, written in rows if written != Submission.WITHDRAWN]
        # Rows about the worker are made of all their answers; the next run of the checks writes them again.
        PersonEvidence.objects.filter(study=study, worker__submissions__in=due).delete()
        if due:
            CheckCounts.objects.filter(study=study).delete()
        judgments = _erase_answers(due)
        if due:
            # Number, hash and reason of each snapshot remain.
            deleted, _ = study.snapshot_contents.all().delete()
            facts = {"snapshot_contents": deleted} if deleted else {}
            AuditEvent.objects.record(
                study, "withdraw", actor=actor, now=now, submissions=len(due), judgments=judgments, **facts
            )
    return Withdrawal(len(due), judgments, len(requested) - len(rows))


def _erase_answers(submissions: Sequence[int]) -> int:
    """Number of judgments erased. Whatever hangs on a submission goes with it, but for the note that it was read."""
    judgments = Judgment.objects.filter(presentation__submission__in=submissions)
    by_hit = list(judgments.order_by().values_list("presentation__submission__hit").annotate(n=Count("pk")))
    for hit, number in by_hit:
        Hit.objects.filter(pk=hit).update(judged=F("judged") - number)
    for relation in Submission._meta.related_objects:
        if relation.on_delete is CASCADE and relation.related_model is not Parse:
            relation.related_model._default_manager.filter(**{f"{relation.field.name}__in": submissions}).delete()
    Parse.objects.filter(submission__in=submissions).update(active_ms=None)
    Submission.objects.filter(pk__in=submissions).update(raw="", raw_format=Submission.WITHDRAWN)
    return sum(number for _, number in by_hit)
