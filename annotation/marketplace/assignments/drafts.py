"""Drafts: what a worker has typed so far, kept for a reload or another device while the assignment is held."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from annotation.marketplace.core.row_locks import lock_assignment
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Draft

MAX_BYTES = 64 * 1024
_FORGET = f"DELETE FROM {Draft._meta.db_table} WHERE assignment_id = %s"  # noqa: S608 - a constant


@transaction.atomic
def keep(assignment: Assignment, content: bytes, *, now: datetime) -> None:
    """Keep `content` (JSON) in place of an earlier draft. Raises WorkRefusedError: size, form (no JSON), over."""
    if len(content) > MAX_BYTES:
        raise WorkRefusedError("size")
    try:
        text = json.dumps(json.loads(content))
    except (ValueError, RecursionError):
        raise WorkRefusedError("form") from None
    held = lock_assignment(assignment.pk)
    if held.state != Assignment.State.ACCEPTED:
        raise WorkRefusedError("over")
    Draft.objects.update_or_create(assignment=held, defaults={"content": text, "saved_at": now})


def load_draft(assignment: Assignment) -> Any:
    """What was kept, or None."""
    content = Draft.objects.filter(assignment=assignment).values_list("content", flat=True).first()
    return json.loads(content) if content is not None else None


def forget(assignment: Assignment) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, [assignment.pk])
