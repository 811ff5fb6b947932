"""Who calls, at what time, and whether anything is due: one statement for all that every call asks first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import IntegerField, QuerySet, Subquery

from annotation.accounts import vault
from annotation.accounts.models import AccessKey
from annotation.marketplace import clock
from annotation.marketplace.models import Assignment, ClockOffset, Hit, Requester
from annotation.marketplace.prepared import Prepared

# What of a requester a call needs; the rest of the row comes when it is asked for.
REQUESTER_FIELDS = ("id", "user_id", "balance_cents", "held_cents", "pays")


@dataclass(frozen=True)
class Caller:
    """The holder of an active access key: `requester` is None for a user without a requester account.

    `now` is the market's time, `due` the earliest moment at which time alone changes something.
    """

    sealed_secret: str
    requester: Requester | None
    now: datetime
    due: datetime | None

    def secret(self) -> str:
        """The plain secret of the key. Raises UnreadableSecretError."""
        return vault.unseal(self.sealed_secret)


def caller_by(key_id: str) -> Caller | None:
    """The holder of the active access key `key_id`."""
    for sealed_secret, seconds, due_hit, due_work, *requester in _QUERY(key_id):
        account = Requester.from_db(DEFAULT_DB_ALIAS, REQUESTER_FIELDS, requester) if requester[0] else None
        due = min((moment for moment in (due_hit, due_work) if moment), default=None)
        return Caller(sealed_secret, account, clock.moved_by(seconds or 0), due)
    return None


def _query(key_id: str) -> QuerySet[AccessKey, Any]:
    offset = ClockOffset.objects.filter(pk=1).values("seconds")
    return (
        AccessKey.objects.active()
        .filter(key_id=key_id)
        .annotate(
            seconds=Subquery(offset, output_field=IntegerField()),
            due_hit=Subquery(_earliest(Hit)),
            due_work=Subquery(_earliest(Assignment)),
        )
        .values_list(
            "sealed_secret",
            "seconds",
            "due_hit",
            "due_work",
            *(f"user__requester__{name}" for name in REQUESTER_FIELDS),
        )
    )


def _earliest(model: type[Hit] | type[Assignment]) -> QuerySet[Any, Any]:
    """The smallest `due_at`: the first entry of an index that holds those only."""
    return model._default_manager.filter(due_at__isnull=False).order_by("due_at").values("due_at")[:1]


_QUERY = Prepared(_query, str)
