"""How long a statement waits for a lock that another session of the database holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def limit_lock_wait(seconds: float) -> Iterator[None]:
    """Let statements wait at most so long, then fail with OperationalError; afterwards as long as before."""
    milliseconds = round(seconds * 1000)
    if connection.vendor == "sqlite":
        show, change = "PRAGMA busy_timeout", "PRAGMA busy_timeout = {}"
    else:
        show, change = "SHOW lock_timeout", "SET lock_timeout = '{}'"
    with connection.cursor() as cursor:
        cursor.execute(show)
        before = cursor.fetchone()[0]
        cursor.execute(change.format(milliseconds))
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(change.format(before))
