"""How long requests wait for what another session of PostgreSQL has locked: a web process has few threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# `doctor` and other health checks wait for a thread, which may have to wait for a lock first: doctor 5 s.
FIRST_SECONDS = 3.0
# After a request has waited in vain, others of its process wait this long for a while, or they would take all threads.
NEXT_SECONDS, WHILE_SECONDS = 0.25, 10.0
LOCK_NOT_AVAILABLE = "55P03"

Answer = Callable[[HttpRequest], HttpResponseBase]

_stuck_until = 0.0


def limit_lock_waits(answer: Answer) -> Answer:
    """Middleware: statements of requests to PostgreSQL wait for a lock for some seconds, those of jobs and commands as
    long as the connection is set to."""

    def limited(request: HttpRequest) -> HttpResponseBase:
        if connection.vendor != "postgresql":
            return answer(request)
        # Nothing is sent to the server before the first statement: /health/live must not need it.
        connection.lock_seconds = request_seconds()  # type: ignore[attr-defined]
        with connection.execute_wrapper(_notice):
            return answer(request)

    return limited


def request_seconds() -> float:
    """How long a request that begins now may wait for a lock."""
    return NEXT_SECONDS if time.monotonic() < _stuck_until else FIRST_SECONDS


def _notice(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Only a long wait counts: were short ones to count, a row that many want would keep the limit low for good."""
    global _stuck_until  # noqa: PLW0603 - of this process
    if not connection.in_atomic_block:
        connection.send_lock_seconds()  # type: ignore[attr-defined]
    began = time.monotonic()
    try:
        return execute(sql, params, many, context)
    except DatabaseError as error:
        waited = time.monotonic() - began
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE and waited > 2 * NEXT_SECONDS:
            _stuck_until = time.monotonic() + WHILE_SECONDS
        raise
