"""Deletes what is not needed any more: delivered notifications, unread messages, used request tokens."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation.marketplace.core import request_tokens
from annotation.marketplace.models import AssignmentDevice, Document, QueueMessage, RequestToken
from annotation.marketplace.sqs import messages

BATCH = 500


def forget(*, now: datetime, market: datetime) -> int:
    """Delete what is older than it is kept for; returns the number of rows.

    Documents that were delivered or given up (with their events) MARKETPLACE_NOTICES_DAYS after they were made,
    messages in queues after 4 days, codes of devices after DEVICE_CODE_DAYS, all by the real time `now`; request tokens
    after 24 hours of `market` time.
    """
    done = Document.objects.filter(next_attempt_at=None)
    return (
        _forgotten(done, "created_at", now - timedelta(days=settings.MARKETPLACE_NOTICES_DAYS))
        + _forgotten(QueueMessage.objects.all(), "sent_at", now - messages.RETENTION)
        + _forgotten(
            AssignmentDevice.objects.all(),
            "noted_at",
            now - timedelta(days=settings.DEVICE_CODE_DAYS),
            order="noted_at",
        )
        + _forgotten(RequestToken.objects.all(), "used_at", market - request_tokens.REMEMBERED, order="used_at")
    )


def _forgotten(rows: QuerySet[Any], moment: str, until: datetime, *, order: str = "pk") -> int:
    """Delete the oldest rows up to `until`, batch by batch in an indexed order: no long statements."""
    deleted = 0
    while True:
        oldest = rows.order_by(order).values_list("pk", moment)[:BATCH]
        keys = [key for key, at in oldest if at <= until]
        if not keys:
            return deleted
        rows.filter(pk__in=keys).delete()
        deleted += len(keys)
