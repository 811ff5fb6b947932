"""A second session of the test database that keeps every other one from writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def lock_out_writers(table: str) -> Iterator[None]:
    """Hold the write lock of SQLite, or of PostgreSQL the lock of a table that writing it needs."""
    holder = connection.copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "BEGIN")
            if connection.vendor != "sqlite":
                cursor.execute(f'LOCK TABLE "{table}" IN EXCLUSIVE MODE')
            yield
            cursor.execute("ROLLBACK")
    finally:
        holder.close()
