"""The backend (Django looks for it in a module of this name)."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from django.db.backends.sqlite3 import base

NOTICEABLE_SECONDS = 0.05
_locks: dict[str, threading.Lock] = {}
os.register_at_fork(after_in_child=_locks.clear)  # the thread that holds one exists in the parent alone


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
        lock = _locks.setdefault(str(self.settings_dict["NAME"]), threading.Lock())
        full = self.settings_dict["OPTIONS"].get("timeout", 5)
        limit = full if self.turn_seconds is None else self.turn_seconds
        began = time.monotonic()
        if lock.acquire(timeout=limit):
            self._held = lock
        waited = time.monotonic() - began
        try:
            self._begin(limit - waited if waited > NOTICEABLE_SECONDS else None)
        except BaseException:
            self._release()
            raise

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
