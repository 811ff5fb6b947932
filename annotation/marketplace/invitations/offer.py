"""What taking part asks and pays, as people read it before they start."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.marketplace.channels import reach
from annotation.marketplace.hits.expected_minutes import expected_minutes
from annotation.marketplace.models import Assignment, Channel, Hit, HitType


@dataclass(frozen=True)
class PayOffer:
    """A task's description, minutes (None: not stated; people: of how many they are the median) and pay."""

    description: str
    minutes: int | None
    reward_cents: int
    currency: str = "USD"
    people: int = 0

    @property
    def hourly_cents(self) -> int | None:
        """Pay for an hour at the planned minutes, in cents; None where these are not stated."""
        return round(self.reward_cents * 60 / self.minutes) if self.minutes else None


def offer_of(hit_type: HitType) -> PayOffer:
    """What tasks of `hit_type` ask and pay."""
    expected = expected_minutes(hit_type)
    return PayOffer(hit_type.description, expected.minutes, hit_type.reward_cents, hit_type.currency, expected.people)


def offer_of_assignment(held: Assignment) -> PayOffer:
    """What the person of `held` was shown when they accepted; of older rows what their type says."""
    if held.shown_reward_cents is None:
        return offer_of(held.hit.hit_type)
    description = held.hit.hit_type.description
    people = held.shown_minutes_people
    return PayOffer(description, held.shown_minutes, held.shown_reward_cents, held.shown_currency, people)


def offers_of(channel: Channel, *, now: datetime) -> list[PayOffer]:
    """What the tasks of `channel` that can still be started ask and pay, each once; all of them where none can."""
    types = reach.types_of(channel)
    living = Hit.objects.filter(hit_type__in=types, status=Hit.Status.ASSIGNABLE, expiration__gt=now)
    rows = list(types.filter(pk__in=living.values("hit_type")).order_by("pk")) or list(types.order_by("pk"))
    offers: dict[tuple[int | None, int, str], PayOffer] = {}
    for row in rows:
        offer = offer_of(row)
        offers.setdefault((offer.minutes, offer.reward_cents, offer.currency), offer)
    return list(offers.values())


def is_alike(offers: list[PayOffer]) -> bool:
    """Whether everybody reads the same minutes and pay; otherwise each person reads theirs once it is known."""
    return len(offers) == 1
