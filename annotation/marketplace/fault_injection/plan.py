"""The plan in force: read from the database at most once a second; each process counts its own calls."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, fields

from annotation.marketplace.core.faults import Fault
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.fault_injection.models import FaultPlan

REFRESH_SECONDS = 1.0


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


def read_plan() -> Plan:
    """Return the plan in force."""
    with _memory.lock:
        if time.monotonic() >= _memory.fresh_until:
            row = FaultPlan.objects.filter(pk=1).values(*(field.name for field in fields(Plan))).first()
            plan = Plan(**row) if row else NONE
            if plan != _memory.plan:
                _memory.counts.clear()
            _memory.plan, _memory.fresh_until = plan, time.monotonic() + REFRESH_SECONDS
        return _memory.plan


def forget_plan() -> None:
    """Read the plan from the database at the next need, and count from one."""
    with _memory.lock:
        _memory.plan, _memory.fresh_until = NONE, 0.0
        _memory.counts.clear()


def set_plan(plan: Plan) -> None:
    """Put `plan` in force, for every process within a second. Raises InvalidParameterError for a number below 0."""
    values = {field.name: getattr(plan, field.name) for field in fields(Plan)}
    if any(value < 0 for value in values.values()):
        raise InvalidParameterError("A fault strikes every Nth time, N from 1 on, or 0 for never; a lag is 0 or more.")
    FaultPlan.objects.update_or_create(pk=1, defaults=values)
    forget_plan()


class StoredPlan:
    """The stored plan as the marketplace's source of faults."""

    def strikes(self, fault: Fault) -> bool:
        every = getattr(read_plan(), fault.value)
        if not every:
            return False
        with _memory.lock:
            _memory.counts[fault] += 1
            return bool(_memory.counts[fault] % every == 0)

    def lag_seconds(self) -> float:
        return read_plan().lag_seconds
