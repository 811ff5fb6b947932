"""Named moments at which a process is killed: before or after a function of the requester side returns.

Nothing in the project knows of them: the doomed process replaces the function by one that kills it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

COMMIT = "django.db.backends.base.base:BaseDatabaseWrapper._commit"


@dataclass(frozen=True)
class Point:
    """`module:attribute` (dots inside), and whether the process dies `before` the call or `after` it returned."""

    name: str
    target: str
    when: str


def _both(name: str, target: str) -> tuple[Point, Point]:
    return Point(f"before {name}", target, "before"), Point(f"after {name}", target, "after")


DATABASE = _both("a commit of the database", COMMIT)
# In each step the moments that come first, or are met by this step alone, stand first.
DECIDING = (
    Point("money set aside, nothing committed", "annotation.ledger:reserve", "after"),
    Point("log written, nothing committed", "annotation.models.audit:AuditManager.record", "after"),
    *DATABASE,
)
CARRYING = (
    Point("a row taken", "annotation.outbox.queue:take", "after"),
    Point("the first call noted", "annotation.outbox.queue:note_first_call", "after"),
    Point("the outcome to be written", "annotation.outbox.queue:outcome", "before"),
    *DATABASE,
)
CREATING = (*_both("the call that creates a HIT", "annotation.mturk.client:Market.create_hit"), *CARRYING)
ADDING = (*_both("the call that adds places", "annotation.mturk.client:Market.add_places"), *CARRYING)
EXPIRING = (*_both("the call that expires a HIT", "annotation.mturk.client:Market.expire"), *CARRYING)
PROLONGING = (*_both("the call that prolongs a HIT", "annotation.mturk.client:Market.prolong"), *CARRYING)
DELETING = (*_both("the call that deletes a HIT", "annotation.mturk.client:Market.delete_hit"), *CARRYING)
APPROVING = (
    *_both("the call that approves", "annotation.mturk.client:Market.approve"),
    *_both("the payment is booked", "annotation.ledger:spend"),
    *CARRYING,
)
PAYING = (
    *_both("the call that pays a bonus", "annotation.mturk.client:Market.send_bonus"),
    *_both("the payment is booked", "annotation.ledger:spend"),
    *CARRYING,
)
REFUSING = (*_both("the call that rejects", "annotation.mturk.client:Market.reject"), *CARRYING)
GRANTING = (*_both("the call that gives a qualification", "annotation.mturk.client:Market.grant"), *CARRYING)
REVOKING = (*_both("the call that takes a qualification back", "annotation.mturk.client:Market.revoke"), *CARRYING)
BLOCKING = (*_both("the call that blocks somebody", "annotation.mturk.client:Market.block"), *CARRYING)
UNBLOCKING = (*_both("the call that ends a block", "annotation.mturk.client:Market.unblock"), *CARRYING)
WRITING = (*_both("the call that writes to a worker", "annotation.mturk.client:Market.notify"), *CARRYING)
COLLECTING = (
    Point("a message stored, not deleted", "annotation.collecting.receive_events:_store_message", "after"),
    Point("a message deleted", "annotation.mturk.client:Market.delete_message", "after"),
    Point("before a page is stored", "annotation.collecting.collect:_store_page", "before"),
    Point("raw answers stored, nothing committed", "annotation.collecting.collect:_insert_submissions", "after"),
    Point("after a page is stored", "annotation.collecting.collect:_store_page", "after"),
    *_both("answers are read", "annotation.collecting.parse_submissions:_store_batch"),
    *DATABASE,
)
ALL = {
    point.name: point
    for points in (
        DECIDING,
        CREATING,
        ADDING,
        EXPIRING,
        PROLONGING,
        DELETING,
        APPROVING,
        REFUSING,
        PAYING,
        GRANTING,
        REVOKING,
        BLOCKING,
        UNBLOCKING,
        WRITING,
        COLLECTING,
    )
    for point in points
}


_CLIENT, _FLOWS = "annotation.marketplace.prolific.client:Client", "annotation.marketplace.prolific"
_TAKING = (
    Point("an action at Prolific taken", f"{_FLOWS}.actions:take", "after"),
    Point("an action at Prolific to be finished", f"{_FLOWS}.actions:finish", "before"),
)
# What is due at Prolific, by step. A pass over it is killed at these points by `tests.faults.on_prolific`.
PROLIFIC_STEPS = {
    "draft": (
        *_both("the call that creates a study", f"{_CLIENT}.create_study"),
        *_both("a created study is stored", f"{_FLOWS}.publish:_store_created"),
        *_both("the call that creates a group", f"{_CLIENT}.create_group"),
        *DATABASE,
    ),
    "publish": (
        *_both("the call that moves a study on", f"{_CLIENT}.transition_study"),
        *_both("the status of a study is stored", f"{_FLOWS}.publish:_store_status"),
        *_TAKING,
    ),
    "sync": (
        *_both("the call that lists submissions", f"{_CLIENT}.list_submissions"),
        *_both("submissions are stored", f"{_FLOWS}.sync:_store_rows"),
        *DATABASE,
    ),
    "approve": (
        *_both("the call that decides on a submission", f"{_CLIENT}.transition_submission"),
        *_TAKING,
    ),
    "bonus": (
        *_both("the call that prepares bonuses", f"{_CLIENT}.create_bonuses"),
        *_both("prepared bonuses are stored", f"{_FLOWS}.pay:_store_batch"),
        *_both("the payment is noted as sent", f"{_FLOWS}.pay:_note_sent"),
        *_both("the call that pays bonuses", f"{_CLIENT}.pay_bonuses"),
        *_both("the answer to a payment is noted", f"{_FLOWS}.pay:_note_answer"),
    ),
}
_DECIDED = (DECIDING[1], *DATABASE)
# The same study from the requester's side, in the order of its life.
REQUESTER_STEPS = {
    "a channel is opened": (*_both("the call that sets a draft", "annotation.mturk.prolific:set_draft"), *DATABASE),
    "publishing is decided": DECIDING,
    "recruiting is decided": DECIDING,
    "tasks and recruiting are asked for": (
        *_both("the call that asks to publish on Prolific", "annotation.mturk.prolific:publish_study"),
        *CREATING,
    ),
    "work is collected": (*COLLECTING[2:5], *DATABASE),
    "work is decided": _DECIDED,
    "decisions are sent": (
        *APPROVING[:4],
        *_both("the call that rejects work from Prolific", "annotation.mturk.prolific:reject_work"),
        *CARRYING,
    ),
    "bonuses are decided": DECIDING,
    "bonuses are sent": PAYING,
    "fees are booked": (*_both("fees are booked", "annotation.ledger:spend_fee"), *_DECIDED),
}
# The marketplace's server itself dies while it answers the requester.
SERVER_STEPS = _both("a commit of the marketplace's server", COMMIT)
ON_PROLIFIC = {
    point.name: point
    for points in (*PROLIFIC_STEPS.values(), *REQUESTER_STEPS.values(), SERVER_STEPS)
    for point in points
}


def doom(name: str, nth: int) -> None:
    """Let this process be killed (SIGKILL) when it comes to the point for the nth time. KeyError: no such point."""
    point = (ALL | ON_PROLIFIC)[name]
    module, _, path = point.target.partition(":")
    holder: Any = import_module(module)
    *parents, last = path.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    setattr(holder, last, _fatal(getattr(holder, last), nth, before=point.when == "before"))


def _fatal(called: Callable[..., Any], nth: int, *, before: bool) -> Callable[..., Any]:
    left = [nth]

    def die() -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if before:
            die()
        found = called(*args, **kwargs)
        if not before:
            die()
        return found

    return wrapped
