"""Parse stored submissions again: the raw answers are unchanged, so a corrected parser corrects the study."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F

from annotation.models import (
    AuditEvent,
    CheckAnswer,
    Flag,
    Hit,
    Judgment,
    Parse,
    PracticeAnswer,
    Presentation,
    SharingAnswer,
    Study,
    Submission,
)


@dataclass(frozen=True, slots=True)
class Unread:
    """Submissions to be parsed again, and judgments that were deleted for it."""

    submissions: int
    judgments: int


def reparse(study: Study, *, everything: bool, actor: str, now: datetime) -> Unread:
    """Delete what was parsed of unreadable submissions (or of all), so that `read` parses them again.

    Raw answers, decisions and payments stay as they are. What was judged before is in the audit's count.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        read = Parse.objects.filter(submission__hit__study=study, submission__raw_format="mturk-xml")
        parses = read if everything else read.exclude(problem="")
        submissions = list(parses.order_by("pk").values_list("submission", flat=True))
        judgments = _delete_parsed(submissions)
        if submissions:
            AuditEvent.objects.record(
                study, "reparse", actor=actor, now=now, submissions=len(submissions), judgments=judgments
            )
    return Unread(len(submissions), judgments)


def _delete_parsed(submissions: list[int]) -> int:
    total = 0
    for start in range(0, len(submissions), 5000):
        some = Submission.objects.filter(pk__in=submissions[start : start + 5000])
        judgments = Judgment.objects.filter(presentation__submission__in=some)
        for hit, number in list(
            judgments.order_by().values_list("presentation__submission__hit").annotate(n=Count("pk"))
        ):
            Hit.objects.filter(pk=hit).update(judged=F("judged") - number)
            total += number
        Flag.objects.filter(submission__in=some, kind="incomplete").delete()
        for model in (Presentation, CheckAnswer, PracticeAnswer, SharingAnswer, Parse):
            model._default_manager.filter(submission__in=some).delete()
    return total
