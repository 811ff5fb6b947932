"""The backend (Django looks for it in a module of this name)."""

from __future__ import annotations

import select
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Count a connection as usable while nothing has arrived on its socket: a server that ends one says so.

    Django's own check, a statement and its answer before every request, costs as much as a small read.

    lock_seconds: how long statements wait for a lock; None: as the connection is set. It reaches the server with the
    next statement outside of transactions, or before the next transaction.
    """

    lock_seconds: float | None = None
    _lock_seconds_set: float | None = None  # of the open connection, where they differ from its own

    def is_usable(self) -> bool:
        """Whether the connection can be used; asked once per request, when CONN_HEALTH_CHECKS is set."""
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
        return not waiting.poll(0) or super().is_usable()

    def get_connection_params(self) -> dict[str, Any]:
        """A new connection knows its own limit alone."""
        self._lock_seconds_set = None
        return dict(super().get_connection_params())

    def send_lock_seconds(self) -> None:
        """Tell the server of the limit where it knows another one. Called outside of transactions, whose end would
        take it back; not behind a pool that shares connections by transaction, where others would get it."""
        if self.lock_seconds == self._lock_seconds_set or self.connection is None or self._is_pooled():
            return
        limit = "DEFAULT" if self.lock_seconds is None else str(round(self.lock_seconds * 1000))
        with self.wrap_database_errors:
            self.connection.execute(f"SET lock_timeout TO {limit}")
        self._lock_seconds_set = self.lock_seconds

    def _cursor(self, name: str | None = None) -> Any:
        self.ensure_connection()
        if self.autocommit:
            self.send_lock_seconds()
        return super()._cursor(name)  # type: ignore[misc]

    def _set_autocommit(self, autocommit: bool) -> None:
        if not autocommit:
            self.send_lock_seconds()
        super()._set_autocommit(autocommit)  # type: ignore[misc]

    def _is_pooled(self) -> bool:
        return self.settings_dict["OPTIONS"].get("prepare_threshold") is None
