"""Who calls, at what time, and whether anything is due: one statement for all that every call asks first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet

from annotation.accounts import vault
from annotation.accounts.models import AccessKey
from annotation.marketplace.core.due_times import COLUMNS, Moment, columns, moment
from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Requester

# What of a requester a call needs; the rest of the row comes when it is asked for.
REQUESTER_FIELDS = ("id", "user_id", "balance_cents", "held_cents", "pays")


@dataclass(frozen=True)
class Caller:
    """The holder of an active access key: `requester` is None for a user without a requester account."""

    sealed_secret: str
    requester: Requester | None
    moment: Moment

    def secret(self) -> str:
        """The plain secret of the key. Raises UnreadableSecretError."""
        return vault.unseal(self.sealed_secret)


def caller_by(key_id: str) -> Caller | None:
    """The holder of the active access key `key_id`."""
    for sealed_secret, seconds, due_hit, due_work, *requester in _QUERY(key_id):
        account = Requester.from_db(DEFAULT_DB_ALIAS, REQUESTER_FIELDS, requester) if requester[0] else None
        return Caller(sealed_secret, account, moment(seconds, due_hit, due_work))
    return None


def _query(key_id: str) -> QuerySet[AccessKey, Any]:
    return (
        AccessKey.objects.active()
        .filter(key_id=key_id)
        .annotate(**columns())
        .values_list("sealed_secret", *COLUMNS, *(f"user__requester__{name}" for name in REQUESTER_FIELDS))
    )


_QUERY = Prepared(_query, str)
