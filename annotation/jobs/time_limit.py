"""A job ends at its time limit, whatever it is doing: one file must not hold a worker for hours."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


class TimeLimitError(BaseException):
    """The job's time is over. No Exception: code that goes on after errors must not go on after this one."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError within, after so many seconds. Outside a process's main thread, which alone is told of
    alarms, nothing is raised here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise TimeLimitError

    handler, began = signal.getsignal(signal.SIGALRM), time.monotonic()
    signal.signal(signal.SIGALRM, end)
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # an alarm that somebody had set before still comes in its time
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), every)


def drop_broken_connection() -> None:
    """A statement may have been cut off in the middle; the next one takes a new connection."""
    if not connection.in_atomic_block:
        connection.close()
