"""What crosses the door to a marketplace, frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom to call. `provider` names the market in the workers' vault."""

    url: str
    access_key: str
    secret_key: str = field(repr=False)
    region: str = "us-east-1"
    provider: str = "assay"
    # 0: as fast as it answers.
    calls_a_second: float = 0.0
    # Of one call, before it fails; the outbox tries again later.
    attempts: int = 10


@dataclass(frozen=True, slots=True)
class Requirement:
    """A qualification that workers must meet, in the API's words."""

    qualification_type_id: str
    comparator: str
    integer: int | None = None
    country: str = ""


@dataclass(frozen=True, slots=True)
class RequesterName:
    """How the marketplace knows the account, and what people who take part read; `shown` is empty until it is set."""

    account: str
    shown: str


@dataclass(frozen=True, slots=True)
class AccountCounts:
    """Accounts of workers, and those of them that meet requirements."""

    accounts: int
    qualified: int


@dataclass(frozen=True, slots=True)
class HitOrder:
    """A HIT to be created. `token` makes creating it twice impossible; `annotation` finds it again later."""

    title: str
    description: str
    keywords: str
    reward_cents: int
    max_assignments: int
    assignment_seconds: int
    lifetime_seconds: int
    auto_approval_seconds: int
    question: str
    annotation: str
    token: str
    requirements: tuple[Requirement, ...] = ()
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class SubmittedWork:
    """An assignment that a worker has submitted. `status`: Submitted, Approved or Rejected."""

    assignment_id: str
    hit_id: str
    worker_id: str = field(repr=False)
    status: str
    answer: str = field(repr=False)
    accepted_at: datetime
    submitted_at: datetime
    approves_at: datetime | None = None
    approved_at: datetime | None = None
    rejected_at: datetime | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class SeenHit:
    """A HIT as the marketplace describes it: its places, and how many of them are free, held or decided."""

    market_id: str
    annotation: str
    status: str
    places: int
    free: int
    inside: int
    decided: int
    expires_at: datetime
    title: str = ""
    type_id: str = ""
    created_at: datetime | None = None

    @property
    def over(self) -> bool:
        """Whether it accepts no worker and has no open assignment."""
        return self.status in {"Reviewable", "Reviewing", "Disposed"}


@dataclass(frozen=True, slots=True)
class PaidBonus:
    """A bonus that the marketplace has paid."""

    assignment_id: str
    cents: int
    reason: str


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message of a queue, and the handle by which it is deleted."""

    body: str
    handle: str


@dataclass(frozen=True, slots=True)
class SeenDraw:
    """A line of the log by which the marketplace assigned people to cells.

    kind: drawn, left (with nothing submitted), came back. cell: its key, as the HITs named it.
    """

    number: int
    kind: str
    worker_id: str = field(repr=False)
    cell: str
    at: datetime
