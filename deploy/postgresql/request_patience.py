"""How long requests wait for what another session of PostgreSQL has locked: a web process has few threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Health checks wait for a thread, which may have to wait for a lock first.
FIRST_SECONDS = 4.0
# After a request has waited in vain, others of its process wait this long for a while, or they would take all threads.
NEXT_SECONDS, WHILE_SECONDS = 0.25, 10.0
LOCK_NOT_AVAILABLE = "55P03"

Answer = Callable[[HttpRequest], HttpResponseBase]


@dataclass
class Waits:
    """What requests of this process have met, in seconds of the monotonic clock.

    stuck_until: until when a lock that one waited for in vain counts as held. went_on: when a statement that writes or
    locks, and that took longer than `NEXT_SECONDS`, last ended well: many people want one row, and each gets it.
    """

    stuck_until: float = float("-inf")
    went_on: float = float("-inf")

    def limit(self) -> float | None:
        """How long a request that begins now may wait for a lock; None: as long as the connection is set to."""
        now = time.monotonic()
        if now < self.stuck_until:
            return NEXT_SECONDS
        return None if now < self.went_on + WHILE_SECONDS else FIRST_SECONDS

    def note_success(self, sql: str, seconds: float) -> None:
        """A crowd at one row is no lock that somebody forgot. Reading is slow for other reasons."""
        if seconds > NEXT_SECONDS and (not sql.startswith("SELECT") or "FOR UPDATE" in sql):
            self.went_on = time.monotonic()

    def note_failure(self, seconds: float) -> None:
        """Only a long wait counts: were short ones to count, a row that many want would keep the limit low for good."""
        now = time.monotonic()
        if seconds > 2 * NEXT_SECONDS and now > self.went_on + FIRST_SECONDS:
            self.stuck_until = now + WHILE_SECONDS


waits = Waits()


def limit_lock_waits(answer: Answer) -> Answer:
    """Middleware: statements of requests to PostgreSQL wait for a lock for some seconds, those of jobs and commands as
    long as the connection is set to."""

    def limited(request: HttpRequest) -> HttpResponseBase:
        if connection.vendor != "postgresql":
            return answer(request)
        # Nothing is sent to the server before the first statement: /health/live must not need it.
        connection.lock_seconds = waits.limit()  # type: ignore[attr-defined]
        try:
            with connection.execute_wrapper(_notice):
                return answer(request)
        finally:
            connection.lock_seconds = None  # type: ignore[attr-defined]

    return limited


def _notice(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    began = time.monotonic()
    try:
        result = execute(sql, params, many, context)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            waits.note_failure(time.monotonic() - began)
        raise
    waits.note_success(sql, time.monotonic() - began)
    return result
