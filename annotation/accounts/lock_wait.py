"""How long a statement waits for a lock that another session of the database holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def limit_lock_wait(seconds: float) -> Iterator[None]:
    """Let statements wait at most so long, then fail with OperationalError; afterwards as long as before.

    On PostgreSQL they are one transaction, to which the limit belongs: connections of a pool that shares them by
    transaction must not keep it.
    """
    milliseconds = round(seconds * 1000)
    if connection.vendor != "sqlite":
        with transaction.atomic():
            _execute(f"SET LOCAL lock_timeout = {milliseconds}")
            yield
        return
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
    _execute(f"PRAGMA busy_timeout = {milliseconds}")
    # Threads of this process wait for their turn before they ask SQLite (deploy/sqlite3).
    setattr(connection, "turn_seconds", seconds)  # noqa: B010 - of our own backend
    try:
        yield
    finally:
        setattr(connection, "turn_seconds", None)  # noqa: B010
        _execute(f"PRAGMA busy_timeout = {before}")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
