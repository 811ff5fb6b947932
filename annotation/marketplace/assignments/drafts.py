"""Drafts: what a worker has typed so far, kept for a reload or another device while the assignment is held."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from annotation.marketplace.core.prepared_sql import RowChange
from annotation.marketplace.core.row_locks import lock_assignment
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Draft

MAX_BYTES = 64 * 1024
_FORGET = f"DELETE FROM {Draft._meta.db_table} WHERE assignment_id = %s"  # noqa: S608 - a constant


@transaction.atomic
def keep(assignment: Assignment, content: bytes, *, now: datetime, page: str = "", version: int | None = None) -> int:
    """Keep `content` (JSON) in place of an earlier draft; the version that it is.

    Args:
        page: a word of the page's own showing, so that a second tab or device is known as another.
        version: the latest version that this page has seen; None replaces whatever is there.

    Raises:
        WorkRefusedError: size, form (no JSON), over; elsewhere (another page has stored a later version).
    """
    if len(content) > MAX_BYTES:
        raise WorkRefusedError("size")
    try:
        text = json.dumps(json.loads(content))
    except (ValueError, RecursionError):
        raise WorkRefusedError("form") from None
    held = lock_assignment(assignment.pk)
    if held.state != Assignment.State.ACCEPTED:
        raise WorkRefusedError("over")
    # The assignment's row is locked, so nobody else stores in between.
    latest = Draft.objects.filter(assignment=held).only("page", "version").first()
    if latest is None:
        Draft.objects.create(assignment=held, content=text, saved_at=now, page=page, version=1)
        return 1
    if version is not None and latest.version > version and latest.page != page:
        raise WorkRefusedError("elsewhere")
    latest.content, latest.saved_at, latest.page, latest.version = text, now, page, latest.version + 1
    latest.save(update_fields=["content", "saved_at", "page", "version"])
    return latest.version


def load_draft(assignment: Assignment) -> tuple[Any, int]:
    """What was kept, or None, and its version."""
    row = Draft.objects.filter(assignment=assignment).values_list("content", "version").first()
    return (json.loads(row[0]), row[1]) if row else (None, 0)


def removal_of(assignment: Assignment) -> RowChange:
    """The statement that deletes what was kept."""
    return RowChange(_FORGET, (assignment.pk,))


def forget(assignment: Assignment) -> None:
    with connection.cursor() as cursor:
        cursor.execute(*removal_of(assignment))
