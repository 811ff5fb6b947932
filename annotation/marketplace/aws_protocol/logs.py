"""What of the wire is not worth a line in the log."""

from __future__ import annotations

import logging
from functools import cache

from django.urls import reverse


class WireRefusals(logging.Filter):
    """Keeps refused calls of the Requester API (4xx) out of `django.request`: they are answers, not troubles."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        path = getattr(getattr(record, "request", None), "path", "")
        return not (400 <= status < 500 and path == _address())


@cache
def _address() -> str:
    return reverse("wire:endpoint")
