"""Which function carries out which operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.marketplace.models import Requester


@dataclass(frozen=True)
class Call:
    """Who calls, at which market time, under which request id."""

    requester: Requester
    now: datetime
    request_id: str


Handler = Callable[[Call, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Operation:
    """A handler takes checked parameters and returns the members of the result; one that `writes` runs in a
    transaction."""

    handler: Handler
    writes: bool


TABLE: dict[str, Operation] = {}
# Operations that Mechanical Turk does not have, under another target prefix.
EXTENSIONS: dict[str, Operation] = {}


def operation(name: str, *, writes: bool) -> Callable[[Handler], Handler]:
    """Register the decorated function as the handler of the operation `name`."""

    def register(handler: Handler) -> Handler:
        TABLE[name] = Operation(handler, writes)
        return handler

    return register


def extension_operation(name: str, *, writes: bool) -> Callable[[Handler], Handler]:
    """As `operation`, for an operation that Mechanical Turk does not have."""

    def register(handler: Handler) -> Handler:
        EXTENSIONS[name] = Operation(handler, writes)
        return handler

    return register
