"""How fast a marketplace is called: marketplaces throttle accounts that call too often."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Lets `calls_a_second` calls through, evenly; 0: all of them. Shared by the threads of a process."""

    def __init__(
        self,
        calls_a_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._gap = 1 / calls_a_second if calls_a_second > 0 else 0.0
        self._clock, self._sleep = clock, sleep
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next call may be made."""
        if not self._gap:
            return
        with self._lock:
            now = self._clock()
            mine = max(now, self._next)
            self._next = mine + self._gap
        if mine > now:
            self._sleep(mine - now)
