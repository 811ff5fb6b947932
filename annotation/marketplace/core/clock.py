"""The marketplace's clock: the life of HITs and assignments runs by it.

It can be moved in development. Signatures, sessions and sign-in links use the real time (`django.utils.timezone`).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import ClockOffset

# Dates stay inside what databases and the wire can say.
FURTHEST_SECONDS = 100 * 366 * 24 * 3600


def now() -> datetime:
    """The marketplace's time, aware UTC; the real time unless moved (development only)."""
    return moved_by(offset())


def moved_by(seconds: int) -> datetime:
    """The marketplace's time when the stored offset is `seconds`, for who has read it; without effect in production."""
    return timezone.now() + timedelta(seconds=seconds if settings.MARKETPLACE_DEVELOPMENT else 0)


def offset() -> int:
    """Seconds by which the clock has been moved; always 0 outside development."""
    if not settings.MARKETPLACE_DEVELOPMENT:
        return 0
    # Every page asks: the ORM would take longer to write this than the database to answer it.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT seconds FROM {ClockOffset._meta.db_table} WHERE id = 1")  # noqa: S608 - a constant
        row = cursor.fetchone()
    return row[0] if row else 0


@transaction.atomic
def move(seconds: int) -> int:
    """Move the clock by `seconds` more, or back to real time by 0; returns the offset that holds now."""
    if not settings.MARKETPLACE_DEVELOPMENT:
        raise InvalidParameterError("The marketplace's clock can be moved in development only.")
    row, _ = ClockOffset.objects.select_for_update().get_or_create(pk=1)
    row.seconds = row.seconds + seconds if seconds else 0
    if abs(row.seconds) > FURTHEST_SECONDS:
        raise InvalidParameterError("The marketplace's clock cannot be moved by more than a hundred years.")
    row.save(update_fields=["seconds"])
    return row.seconds
