"""Replies of workers to rejections: from the marketplace's event to the reply of the assignment."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from annotation.models import AuditEvent, MarketplaceEvent, Reply, Study, Submission
from annotation.models.marketplace_event import ANSWERED


def store_replies(market_hits: Collection[str], *, now: datetime) -> int:
    """Store the replies of these HITs (market ids) with their assignments; return how many were new.

    What is about work that was not collected yet waits with its event. The same twice is one reply.
    """
    if not market_hits:
        return 0
    waiting = (
        MarketplaceEvent.objects.filter(market_hit__in=market_hits, kind=ANSWERED).exclude(words="").order_by("pk")
    )
    return sum(_store_reply(event, now) for event in waiting)


def _store_reply(event: MarketplaceEvent, now: datetime) -> bool:
    rows = Submission.objects.filter(hit__market_id=event.market_hit, market_id=event.assignment_id)
    submission = rows.exclude(hit__study__mode=Study.Mode.IMPORTED).select_related("hit__study").first()
    if submission is None:
        return False
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=submission.hit.study_id)
        MarketplaceEvent.objects.filter(pk=event.pk).update(words="")
        if Submission.objects.filter(pk=submission.pk, raw_format=Submission.WITHDRAWN).exists():
            return False
        reply = {"body": event.words, "at": event.happened_at}
        _, created = Reply.objects.get_or_create(submission=submission, recorded_by=None, defaults=reply)
        if created:
            AuditEvent.objects.record(
                study, "hear_reply", actor="marketplace", now=now, assignment=submission.market_id
            )
    return created
