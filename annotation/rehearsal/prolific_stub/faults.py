"""Faults on demand: rules by operation, each for a number of calls."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.answers import Record

# What happens to the answer, and whether the request has its effect before.
KINDS = {
    "throttle": False,  # 429 with Retry-After
    "fail": False,  # 502
    "drop": False,  # the connection ends without an answer
    "fail_after_effect": True,
    "drop_after_effect": True,
}


@dataclass(frozen=True)
class RequestFault:
    """A fault that strikes a call."""

    kind: str
    retry_after_seconds: int

    @property
    def has_effect(self) -> bool:
        """Whether the request is carried out all the same."""
        return KINDS[self.kind]


def rule(data: Record) -> Record:
    """Return a rule with its defaults. Raises ValueError for an unknown kind."""
    if data.get("kind") not in KINDS:
        raise ValueError(f"kind: one of {', '.join(KINDS)}")
    return {"operation": "*", "times": 1, "skip": 0, "retry_after_seconds": 1} | data


def strike(world: AccountState, operation: str) -> RequestFault | None:
    """Return the fault that the first rule for this operation has for its next call, and count the call."""
    for number, item in enumerate(world.faults):
        if item["operation"] not in ("*", operation):
            continue
        if item["skip"]:
            item["skip"] -= 1
            continue
        item["times"] -= 1
        if item["times"] <= 0:
            del world.faults[number]
        return RequestFault(item["kind"], item["retry_after_seconds"])
    return None
