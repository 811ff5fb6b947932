"""The backend (Django looks for it in a module of this name)."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from django.db.backends.sqlite3 import base

NOTICEABLE_SECONDS = 0.05
# While nobody of this process gets to write, so many threads wait for the connection's whole limit. Others give up some
# seconds after the first came: health checks (`doctor` waits for one 5 s) and pages that only read need a thread.
PATIENT_THREADS, STUCK_SECONDS = 2, 4.0


@dataclass
class Turn:
    """Whose turn it is to write, of the threads of one process. since: from when threads have waited and none began."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0
    since: float = 0.0

    def arrive(self) -> bool:
        """Count a thread that waits; whether it may wait for its whole limit."""
        with _counting:
            if not self.waiting:
                self.since = time.monotonic()
            self.waiting += 1
            return self.waiting <= PATIENT_THREADS

    def leave(self, *, began: bool) -> None:
        """Count it no longer."""
        with _counting:
            self.waiting -= 1
            if began:
                self.since = time.monotonic()

    def acquire(self, ends: float, *, patient: bool) -> bool:
        """Wait for the turn until `ends`, or, without patience, until nobody has begun for some seconds."""
        while True:
            now = time.monotonic()
            until = ends if patient else min(ends, self.since + STUCK_SECONDS)
            if self.lock.acquire(timeout=max(0.0, until - now)):
                return True
            if now >= until:
                return False


_counting = threading.Lock()
_turns: dict[str, Turn] = {}


def _forget_turns() -> None:
    """A process that was forked: the threads that hold locks exist in its parent alone."""
    global _counting  # noqa: PLW0603
    _counting = threading.Lock()
    _turns.clear()


os.register_at_fork(after_in_child=_forget_turns)


class DatabaseWrapper(base.DatabaseWrapper):
    """Let the threads of one process begin their writing transactions one after the other.

    Who meets a locked database sleeps, up to 100 ms between two tries (SQLite's busy handler), while others take the
    lock: some of a hundred workers waited for two seconds. A thread that waits for a lock of this process goes on at
    once. SQLite's own lock still holds against other processes, and against who has waited for the whole time limit.
    What a thread waits for its turn counts towards that limit.
    """

    _held: threading.Lock | None = None
    turn_seconds: float | None = None  # to wait for this process's other threads; None: the connection's limit

    def _start_transaction_under_autocommit(self) -> None:
        turn = _turns.setdefault(str(self.settings_dict["NAME"]), Turn())
        full = self.settings_dict["OPTIONS"].get("timeout", 5)
        limit = full if self.turn_seconds is None else self.turn_seconds
        came = time.monotonic()
        patient, began = turn.arrive(), False
        try:
            if turn.acquire(came + limit, patient=patient):
                self._held = turn.lock
            waited = time.monotonic() - came
            left = limit - waited if self._held is not None else 0.0
            self._begin(left if waited > NOTICEABLE_SECONDS or self._held is None else None)
            began = True
        except BaseException:
            self._release()
            raise
        finally:
            turn.leave(began=began)

    def _begin(self, left: float | None) -> None:
        """left: seconds of the limit that waiting for the turn has left; None: all, as the connection is set."""
        if left is None:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
            return
        with self.cursor() as cursor:
            before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout = {max(1, round(left * 1000))}")
            try:
                super()._start_transaction_under_autocommit()  # type: ignore[misc]
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {before}")

    def _release(self) -> None:
        lock, self._held = self._held, None
        if lock is not None:
            lock.release()

    def _commit(self) -> Any:
        done = super()._commit()  # type: ignore[misc]
        self._release()
        return done

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._release()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._release()
