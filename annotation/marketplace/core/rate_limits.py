"""Rate limits by the real clock, shared by all web processes: a maximum number of tries in a window of time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.crypto import salted_hmac

from annotation.marketplace.models import Throttle

# Rows that have run out are removed as others are written, so many at a time.
PURGED = 20


class TooOftenError(Exception):
    """Refused until `wait` has passed."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"wait {wait}")
        self.wait = wait

    @property
    def minutes(self) -> int:
        """The wait in whole minutes, rounded up."""
        return max(1, math.ceil(self.wait.total_seconds() / 60))


@dataclass(frozen=True)
class Limit:
    """At most `max_tries` tries `within` a window that begins with the first."""

    name: str
    max_tries: int
    within: timedelta


def take(limit: Limit, subject: str, *, now: datetime) -> None:
    """Count a try of `subject`. Raises TooOftenError beyond the limit; of tries at one moment none is missed."""
    with transaction.atomic():
        row, created = Throttle.objects.select_for_update().get_or_create(
            key=_key(limit, subject), defaults={"until": now + limit.within}
        )
        # One that ends later than a new one was begun by a clock that has been set back since.
        if not now < row.until <= now + limit.within:
            row.count, row.until = 0, now + limit.within
        row.count = min(row.count, limit.max_tries) + 1
        row.save(update_fields=["count", "until"])
    if created:
        _purge(now)
    if row.count > limit.max_tries:
        raise TooOftenError(row.until - now)


def pardon(limit: Limit, subject: str) -> None:
    """Subtract one counted try: it was an honest one."""
    Throttle.objects.filter(key=_key(limit, subject), count__gt=0).update(count=F("count") - 1)


def forget(limit: Limit, subject: str) -> None:
    """Reset the count of `subject`."""
    Throttle.objects.filter(key=_key(limit, subject)).delete()


def _key(limit: Limit, subject: str) -> str:
    """Addresses and accounts are not stored, only what they hash to under this installation's secret."""
    return salted_hmac("marketplace.throttle", f"{limit.name}:{subject}", algorithm="sha256").hexdigest()


@transaction.atomic
def _purge(now: datetime) -> None:
    over = Throttle.objects.select_for_update(skip_locked=True).filter(until__lte=now).order_by("pk")
    Throttle.objects.filter(pk__in=[row.pk for row in over[:PURGED]]).delete()
