"""What taking part asks and pays, as people read it before they start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet, Sum

from annotation.marketplace.channels import reach
from annotation.marketplace.hits.expected_minutes import ExpectedMinutes, expected_minutes_by_group, expected_minutes_of
from annotation.marketplace.models import Assignment, Channel, Hit, HitType, QualificationType, WorkerAccount


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
    return offer_of_types([hit_type])


def offer_of_types(types: Sequence[HitType]) -> PayOffer:
    """What tasks of `types`, which pay the same, ask and pay: to be read before anybody knows which type it will be."""
    return _offer(types, expected_minutes_of(types))


def offers_by_group(groups: Sequence[Sequence[HitType]]) -> list[PayOffer | None]:
    """The same for each of `groups` of types, in one query at most; None where the types of one pay differently."""
    offers = [
        _offer(types, expected) for types, expected in zip(groups, expected_minutes_by_group(groups), strict=True)
    ]
    pays = [{(hit_type.reward_cents, hit_type.currency) for hit_type in types} for types in groups]
    return [offer if len(different) == 1 else None for offer, different in zip(offers, pays, strict=True)]


def _offer(types: Sequence[HitType], expected: ExpectedMinutes) -> PayOffer:
    first = types[0]
    return PayOffer(first.description, expected.minutes, first.reward_cents, first.currency, expected.people)


def offer_of_assignment(held: Assignment) -> PayOffer:
    """What the person of `held` was shown when they accepted, without the description; of older rows what their type
    says."""
    if held.shown_reward_cents is None:
        return offer_of(held.hit.hit_type)
    return PayOffer("", held.shown_minutes, held.shown_reward_cents, held.shown_currency, held.shown_minutes_people)


def offers_of(channel: Channel, *, now: datetime) -> list[PayOffer]:
    """What the tasks of `channel` that can still be started ask and pay, by pay; all of them where none can."""
    by_pay: dict[tuple[int, str], list[HitType]] = {}
    for row in _types_to_start(channel, now):
        by_pay.setdefault((row.reward_cents, row.currency), []).append(row)
    return [offer_of_types(alike) for alike in by_pay.values()]


def _types_to_start(channel: Channel, now: datetime) -> list[HitType]:
    types = reach.types_of(channel)
    living = _living(channel, now).values("hit_type")
    return list(types.filter(pk__in=living).order_by("pk")) or list(types.order_by("pk"))


def _living(channel: Channel, now: datetime) -> QuerySet[Hit]:
    types = reach.types_of(channel)
    return Hit.objects.filter(hit_type__in=types, status=Hit.Status.ASSIGNABLE, expiration__gt=now)


def is_read_before_each(channel: Channel, *, now: datetime) -> bool:
    """Whether the tasks of `channel` pay differently without a draw, so that each one's pay is read before it."""
    types = _types_to_start(channel, now)
    return len({(row.reward_cents, row.currency) for row in types}) > 1 and not any(row.cell for row in types)


def has_several_tasks(channel: Channel, *, now: datetime) -> bool:
    """Whether a person can do more than one task: then what is shown is the pay for one of them."""
    if any(is_for_once(row) for row in _types_to_start(channel, now)):
        return False
    numbers = _living(channel, now).order_by().values("hit_type__cell").annotate(number=Count("pk"))
    return any(row["number"] > 1 for row in numbers)


def is_for_once(hit_type: HitType) -> bool:
    """Whether a person can do one task of `hit_type` and of its study."""
    absent = [row["QualificationTypeId"] for row in hit_type.requirements if row["Comparator"] == "DoesNotExist"]
    return bool(absent) and QualificationType.objects.filter(type_id__in=absent, once=True, deleted_at=None).exists()


def is_alike(offers: list[PayOffer]) -> bool:
    """Whether everybody reads the same pay; otherwise each person reads theirs once it is known."""
    return len(offers) == 1


@dataclass(frozen=True)
class MinutesRange:
    """The least and the most minutes of tasks that a person may be given; people: 0 where they are all estimated."""

    low: int
    high: int
    people: int


def minutes_range(offers: Sequence[PayOffer]) -> MinutesRange | None:
    """The minutes of `offers`, before anybody knows which is a person's; None where one of them states none."""
    minutes = [offer.minutes for offer in offers if offer.minutes]
    if not minutes or len(minutes) < len(offers):
        return None
    return MinutesRange(min(minutes), max(minutes), min(offer.people for offer in offers))


@dataclass(frozen=True)
class SubmittedPay:
    """What a person's submitted work pays, or has paid: minor units of one currency."""

    amount_cents: int
    currency: str


def submitted_pay(worker: WorkerAccount) -> SubmittedPay | None:
    """The pay of everything that `worker` has submitted and that was not rejected, as it was shown to them.

    None where there is nothing, where what was shown is not known, or where it is in several currencies.
    """
    counted = (Assignment.State.SUBMITTED, Assignment.State.APPROVED)
    rows = Assignment.objects.filter(worker=worker, state__in=counted).order_by().values("shown_currency")
    sums = list(rows.annotate(total=Sum("shown_reward_cents")))
    if len(sums) != 1 or not sums[0]["shown_currency"]:
        return None
    return SubmittedPay(sums[0]["total"], sums[0]["shown_currency"])
