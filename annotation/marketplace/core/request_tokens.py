"""UniqueRequestTokens: the same request within 24 hours is done once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import Requester, RequestToken

REMEMBERED = timedelta(hours=24)
CREATE_HIT = "CreateHIT"
_INSERT = (
    f"INSERT INTO {RequestToken._meta.db_table} (requester_id, scope, token, used_at, result) "  # noqa: S608 - constants
    "VALUES (%s, %s, %s, %s, %s) ON CONFLICT (requester_id, scope, token) DO NOTHING"
)


def claim(requester: Requester, *, scope: str, token: str | None, now: datetime, result: str) -> None:
    """Mark `token` as used for `result`, inside the transaction that does the work.

    Raises RequestRefusedError when it was used within 24 hours: HitAlreadyExists with the HIT's id in the message
    for scope CREATE_HIT, otherwise DuplicateRequest with the id of the request that did the work. A second request at
    the same moment waits for the first to end.
    """
    if token is None:
        return
    if _noted(requester, scope, token, now, result):
        return
    row = RequestToken.objects.select_for_update().get(requester=requester, scope=scope, token=token)
    if row.used_at + REMEMBERED > now:
        raise _already_used(row)
    row.used_at, row.result = now, result
    row.save(update_fields=["used_at", "result"])


def _noted(requester: Requester, scope: str, token: str, now: datetime, result: str) -> bool:
    """Insert the token; False when it is there. One statement: get_or_create would take four."""
    used_at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [requester.pk, scope, token, used_at, result])
        return cursor.rowcount == 1


def _already_used(row: RequestToken) -> RequestRefusedError:
    if row.scope == CREATE_HIT:
        return RequestRefusedError("HitAlreadyExists", f'The HIT with ID "{row.result}" already exists.')
    return RequestRefusedError(
        "DuplicateRequest",
        f"{row.scope} with the UniqueRequestToken {row.token!r} was already done by the request {row.result}.",
    )
