"""Whether a submission could be written now: tried on the database itself, and measured on the disk below SQLite."""

from __future__ import annotations

import base64
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.accounts.database_errors import BUSY, FULL, READ_ONLY, cause_of
from annotation.accounts.lock_wait import limit_lock_wait
from annotation.marketplace.models import Submission

# A probe is good for so long, in each process: whoever asks more often is answered from it.
EVERY = 10.0  # seconds
# Text that no database can make smaller, and more than lies free in pages that are already there.
WRITTEN = 16 * 1024
# The largest form is 4 MiB (`worker.submits`), and stands in the database twice: as it came, and as XML.
MIN_FREE_BYTES = 32 * 1024 * 1024
NO_ASSIGNMENT_ID = -1

# How long a check waits for what another session has locked: who asks gives up after some seconds.
LOCK_SECONDS = 2.0
REASONS = {BUSY: "locked", FULL: "full", READ_ONLY: "read-only"}

log = logging.getLogger(__name__)
_probed: dict[str, tuple[float, str]] = {}


def storage() -> str:
    """Say ok, full (too little is free for the largest submission), or why a trial was refused (`reason_of`)."""
    name = str(connection.settings_dict["NAME"])
    at, outcome = _probed.get(name, (-EVERY, ""))
    if time.monotonic() - at >= EVERY:
        outcome = _probe(name)
        _probed[name] = (time.monotonic(), outcome)
    return outcome


def reason_of(error: BaseException) -> str:
    """Return locked, full or read-only where the error says so of the database, else failing."""
    return REASONS.get(cause_of(error), "failing")


def _probe(name: str) -> str:
    try:
        with limit_lock_wait(LOCK_SECONDS):
            _write_and_undo()
        return _disk(Path(name)) if connection.vendor == "sqlite" else "ok"
    except (DatabaseError, OSError) as error:
        log.warning("A submission could not be written: %s", error)
        return reason_of(error)


def _write_and_undo() -> None:
    """Write a submission of nobody's and take it back: whether there is its assignment is asked at a commit only."""
    words = base64.b64encode(os.urandom(WRITTEN)).decode()
    with transaction.atomic():
        Submission.objects.create(assignment_id=NO_ASSIGNMENT_ID, raw="[]", answer=words, received_at=timezone.now())
        transaction.set_rollback(True)


def _disk(database: Path) -> str:
    """SQLite writes what is undone into its memory only: here the disk that its file lies on is written to."""
    if not database.is_file():
        return "ok"  # in memory
    with tempfile.TemporaryFile(dir=database.parent) as file:
        file.write(bytes(WRITTEN))
        file.flush()
    return "ok" if shutil.disk_usage(database.parent).free >= MIN_FREE_BYTES else "full"
