"""Whether a call or a message is to fail, or what is new to stay hidden for a while: asked here, decided elsewhere.

Nothing fails unless an application installs a source. `annotation.marketplace.fault_injection` does; the settings of
development install it, those of production do not.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol, TypeVar

from django.db.models import Model, Q, QuerySet

from annotation.marketplace.errors import RequestRefusedError

Row = TypeVar("Row", bound=Model)


class Fault(StrEnum):
    """What can go wrong; the value is the field of the plan that says how often."""

    THROTTLE = "throttle_every"
    FAIL = "fail_every"
    DROP = "drop_after_commit_every"
    LOSE = "lose_notifications_every"
    DOUBLE = "double_notifications_every"


class FaultSource(Protocol):
    """Who decides which call or message fails."""

    def strikes(self, fault: Fault) -> bool:
        """Count one occasion for `fault`; return whether it fails."""

    def lag_seconds(self) -> float:
        """Return for how long new rows stay out of lists, in seconds."""


class NoFaults:
    """The source where none is installed."""

    def strikes(self, fault: Fault) -> bool:
        return False

    def lag_seconds(self) -> float:
        return 0.0


_source: FaultSource = NoFaults()


def install(source: FaultSource) -> FaultSource:
    """Let `source` decide from now on; return the one before."""
    global _source
    before, _source = _source, source
    return before


def strikes(fault: Fault) -> bool:
    """Count one occasion for `fault`; return whether it fails."""
    return _source.strikes(fault)


def is_lagging() -> bool:
    """Return whether new rows are hidden for a while."""
    return _source.lag_seconds() > 0


def visible(rows: QuerySet[Row], moment: str, now: datetime) -> QuerySet[Row]:
    """Return `rows` without those whose time in the field `moment` is so near that the lag still hides them."""
    lag = _source.lag_seconds()
    return rows.filter(Q(**{f"{moment}__lte": now - timedelta(seconds=lag)})) if lag else rows


def check_arrived(moment: datetime | None, now: datetime) -> None:
    """Raise RequestRefusedError (InvalidAssignmentState) while the lag hides what happened at `moment`."""
    lag = _source.lag_seconds()
    if lag and moment is not None and moment + timedelta(seconds=lag) > now:
        raise RequestRefusedError("InvalidAssignmentState", "This operation can be called with a status of: null")
