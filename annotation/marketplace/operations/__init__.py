"""The operations of the Requester API, one module per concern."""

from annotation.marketplace.operations import (
    account,
    assignments,
    bonuses,
    channels,
    hit_changes,
    hit_creation,
    hit_reading,
    notifications,
    qualification_grants,
    qualification_requests,
    qualification_types,
    review_policies,
    unavailable,
    ways_in,
    worker_relations,
)
from annotation.marketplace.operations.registry import EXTENSIONS, TABLE, Call, Operation

__all__ = [
    "EXTENSIONS",
    "TABLE",
    "Call",
    "Operation",
    "account",
    "assignments",
    "bonuses",
    "channels",
    "hit_changes",
    "hit_creation",
    "hit_reading",
    "notifications",
    "qualification_grants",
    "qualification_requests",
    "qualification_types",
    "review_policies",
    "unavailable",
    "ways_in",
    "worker_relations",
]
