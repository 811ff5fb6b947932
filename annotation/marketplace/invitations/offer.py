"""What taking part asks and pays, as people read it before they start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from annotation.marketplace.channels import reach
from annotation.marketplace.models import Channel, Hit, HitType

# The planned minutes of a task, as its requester says them.
_MINUTES = re.compile(r"(?:^|[\s,])assay:minutes=([0-9]{1,4})(?=$|[\s,])", re.IGNORECASE)


@dataclass(frozen=True)
class PayOffer:
    """A task's description, planned minutes (None: not stated) and pay."""

    description: str
    minutes: int | None
    reward_cents: int

    @property
    def hourly_cents(self) -> int | None:
        """Pay for an hour at the planned minutes, in cents; None where these are not stated."""
        return round(self.reward_cents * 60 / self.minutes) if self.minutes else None


def offer_of(hit_type: HitType) -> PayOffer:
    """What tasks of `hit_type` ask and pay."""
    stated = _MINUTES.search(hit_type.keywords)
    return PayOffer(hit_type.description, int(stated[1]) if stated and int(stated[1]) else None, hit_type.reward_cents)


def offers_of(channel: Channel, *, now: datetime) -> list[PayOffer]:
    """What the tasks of `channel` that can still be started ask and pay, each once; all of them where none can."""
    types = reach.types_of(channel)
    living = Hit.objects.filter(hit_type__in=types, status=Hit.Status.ASSIGNABLE, expiration__gt=now)
    rows = list(types.filter(pk__in=living.values("hit_type")).order_by("pk")) or list(types.order_by("pk"))
    offers: dict[tuple[int | None, int], PayOffer] = {}
    for row in rows:
        offer = offer_of(row)
        offers.setdefault((offer.minutes, offer.reward_cents), offer)
    return list(offers.values())


def is_alike(offers: list[PayOffer]) -> bool:
    """Whether everybody reads the same minutes and pay; otherwise each person reads theirs once it is known."""
    return len(offers) == 1
