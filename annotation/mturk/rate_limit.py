"""How fast a marketplace is called: marketplaces throttle accounts that call too often."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from annotation.models import Turn
from annotation.mturk.records import Endpoint


def _now() -> datetime:
    return datetime.now(UTC)


class Pace:
    """Lets the endpoint's `calls_a_second` through, evenly; 0: all of them.

    Shared by every process that calls as the same account through the same database (machines whose clocks differ
    come apart by as much).
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Callable[[], datetime] = _now,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        rate = endpoint.calls_a_second
        self._gap = timedelta(seconds=1 / rate) if rate > 0 else None
        self._account = hashlib.sha256(f"{endpoint.url} {endpoint.access_key}".encode()).hexdigest()
        self._clock, self._sleep = clock, sleep

    def wait(self) -> None:
        """Return when the next call may be made."""
        if self._gap is None:
            return
        now = self._clock()
        mine = Turn.objects.take(self._account, gap=self._gap, now=now)
        if mine > now:
            self._sleep((mine - now).total_seconds())
