"""The backend (Django looks for it in a module of this name)."""

from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Count a connection as usable while nothing has arrived on its socket: a server that ends one says so.

    Django's own check, a statement and its answer before every request, costs as much as a small read.
    """

    def is_usable(self) -> bool:
        """Whether the connection can be used; asked once per request, when CONN_HEALTH_CHECKS is set."""
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
        return not waiting.poll(0) or super().is_usable()
