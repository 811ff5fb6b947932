"""Faults on demand, for rehearsals and tests: throttling, failures, dropped answers, lag, lost or doubled messages.

Development only: elsewhere no plan is stored, and one that is in the database already has no effect. The plan is read
at most once a second, and each process counts its own calls.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from django.conf import settings
from django.db.models import Model, Q, QuerySet

from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import FaultPlan

REFRESH_SECONDS = 1.0

Row = TypeVar("Row", bound=Model)


class Fault(StrEnum):
    """What can go wrong; the value is the field of the plan that says how often."""

    THROTTLE = "throttle_every"
    FAIL = "fail_every"
    DROP = "drop_after_commit_every"
    LOSE = "lose_notifications_every"
    DOUBLE = "double_notifications_every"


@dataclass(frozen=True)
class Plan:
    """Every Nth call or message suffers the fault (0: never); what is new shows after `lag_seconds`."""

    throttle_every: int = 0
    fail_every: int = 0
    drop_after_commit_every: int = 0
    lose_notifications_every: int = 0
    double_notifications_every: int = 0
    lag_seconds: float = 0.0


NONE = Plan()


class _Memory:
    """What this process knows of the plan, and how often each fault could have struck since it was set."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.plan = NONE
        self.fresh_until = 0.0
        self.counts: Counter[Fault] = Counter()


_memory = _Memory()


def plan() -> Plan:
    """The plan in force; outside development always the empty one."""
    if not settings.MARKETPLACE_DEVELOPMENT:
        return NONE
    with _memory.lock:
        if time.monotonic() >= _memory.fresh_until:
            row = FaultPlan.objects.filter(pk=1).values(*(field.name for field in fields(Plan))).first()
            found = Plan(**row) if row else NONE
            if found != _memory.plan:
                _memory.counts.clear()
            _memory.plan, _memory.fresh_until = found, time.monotonic() + REFRESH_SECONDS
        return _memory.plan


def forget() -> None:
    """Read the plan anew at the next need, and count from one."""
    with _memory.lock:
        _memory.plan, _memory.fresh_until = NONE, 0.0
        _memory.counts.clear()


def set_plan(wanted: Plan) -> None:
    """Put `wanted` in force, for every process within a second. Raises InvalidParameterError outside development."""
    if not settings.MARKETPLACE_DEVELOPMENT:
        raise InvalidParameterError("Faults can be set in development only.")
    values = {field.name: getattr(wanted, field.name) for field in fields(Plan)}
    if any(value < 0 for value in values.values()):
        raise InvalidParameterError("A fault strikes every Nth time, N from 1 on, or 0 for never; a lag is 0 or more.")
    FaultPlan.objects.update_or_create(pk=1, defaults=values)
    forget()


def strikes(fault: Fault) -> bool:
    """Count one occasion for `fault`; whether it is the Nth."""
    every = getattr(plan(), fault.value)
    if not every:
        return False
    with _memory.lock:
        _memory.counts[fault] += 1
        return bool(_memory.counts[fault] % every == 0)


def lagging() -> bool:
    """Whether what is new is hidden for a while."""
    return plan().lag_seconds > 0


def visible(rows: QuerySet[Row], moment: str, now: datetime) -> QuerySet[Row]:
    """`rows` without those whose time in the field `moment` is so near that the lag still hides them."""
    lag = plan().lag_seconds
    return rows.filter(Q(**{f"{moment}__lte": now - timedelta(seconds=lag)})) if lag else rows


def check_arrived(moment: datetime | None, now: datetime) -> None:
    """Raise RequestRefusedError (InvalidAssignmentState) while the lag hides what happened at `moment`."""
    lag = plan().lag_seconds
    if lag and moment is not None and moment + timedelta(seconds=lag) > now:
        raise RequestRefusedError("InvalidAssignmentState", "This operation can be called with a status of: null")
