"""How often a token may call the web API: counted in the database, so that all web processes and machines agree."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from django.db.models import F, Q

from annotation.accounts.models import ApiToken

MINUTE = timedelta(minutes=1)


def count_call(token: ApiToken, *, max_calls: int, now: datetime) -> int:
    """Count a call of the token. Return 0, or the seconds to wait where the minute has had `max_calls` (0: no maximum).

    A minute begins with the first call after the one before has ended. Of calls at one moment none is missed. One that
    ends later than a minute from now was counted by a clock that has been set back since; it is over.
    """
    if not max_calls:
        return 0
    row, lasts = ApiToken.objects.filter(pk=token.pk), Q(minute_ends__gt=now, minute_ends__lte=now + MINUTE)
    # Another call may begin the minute between the first statement and the second; then it is counted in that minute.
    for _attempt in range(2):
        if row.filter(lasts, calls__lt=max_calls).update(calls=F("calls") + 1):
            return 0
        if row.filter(~lasts | Q(minute_ends=None)).update(calls=1, minute_ends=now + MINUTE):
            return 0
    ends = row.values_list("minute_ends", flat=True).first() or now
    return max(1, math.ceil((ends - now).total_seconds()))
