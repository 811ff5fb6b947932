"""What waits to be delivered, for whoever watches the whole installation."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min

from annotation.marketplace.models import Document, Event


def undelivered(now: datetime) -> tuple[str, str, int, datetime | None]:
    """Key, name, number and oldest time of the notifications that are to be delivered now."""
    due = Document.objects.filter(next_attempt_at__lte=now)
    waiting = due.count() + Event.objects.filter(document=None).count()
    return "notifications", "Notifications", waiting, due.aggregate(at=Min("next_attempt_at"))["at"]
