"""What a batch costs and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.accounts.models import User
from annotation.models import Batch, BatchEvent, BatchHit
from annotation.mturk.client import Market
from annotation.mturk.records import SeenHit, SubmittedWork
from annotation.pricing.fees import Fees, fee_cents


@dataclass(frozen=True, slots=True)
class Price:
    """US cents that a batch costs when every place is filled and approved."""

    places: int
    reward_cents: int
    fee_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """Places of the published HITs: open, being worked on, submitted and not decided, decided."""

    hits: int
    open: int
    working: int
    submitted: int
    decided: int


@dataclass(frozen=True, slots=True)
class BatchWork:
    """A row's HIT as the marketplace describes it, and what was submitted for it."""

    row: BatchHit
    hit: SeenHit
    work: tuple[SubmittedWork, ...]


def batches_of(user: User) -> QuerySet[Batch]:
    """The batches that a user may see and run: their own; who administers the installation: all."""
    return Batch.objects.all() if user.is_superuser else Batch.objects.filter(owner=user)


def log_of(batch: Batch) -> QuerySet[BatchEvent]:
    """What was done to a batch, newest first."""
    return BatchEvent.objects.filter(batch_number=batch.number).order_by("-number")


def price(batch: Batch, fees: Fees, *, hits: int | None = None) -> Price:
    """The price of all HITs of a batch, or of so many."""
    places = (batch.hits.count() if hits is None else hits) * batch.max_assignments
    fee = fee_cents(batch.reward_cents, max_assignments=batch.max_assignments, fees=fees)
    return Price(places, places * batch.reward_cents, places * fee)


def progress_of(batch: Batch, market: Market) -> BatchProgress:
    """The counts of the batch's HITs, in as many calls as the account's HITs have pages."""
    seen = [hit for hit in market.hits() if hit.annotation == batch.annotation]
    places, free = sum(hit.places for hit in seen), sum(hit.free for hit in seen)
    working, decided = sum(hit.inside for hit in seen), sum(hit.decided for hit in seen)
    return BatchProgress(len(seen), free, working, places - free - working - decided, decided)


def works_of(batch: Batch, market: Market, tell: Callable[[str, int, int], None]) -> Iterator[BatchWork]:
    """Each published HIT with its submitted work, in the order of the rows."""
    rows = list(batch.hits.exclude(market_id=""))
    for at, row in enumerate(rows):
        tell("Reading assignments", at, len(rows))
        hit = market.still(row.market_id)
        if hit is not None:
            yield BatchWork(row, hit, tuple(market.submitted(row.market_id)))
