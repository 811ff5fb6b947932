"""Money on hold: what the places of a published HIT may still cost, set aside when it is published.

A hold covers reward and fee of every place that can still be accepted, is being worked on, or waits for a decision.
It follows the HIT: an expired, rejected, returned or deleted place gives its part back, an approval is paid out of it.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from annotation.marketplace.core.prepared_sql import insert
from annotation.marketplace.hits import lifecycle
from annotation.marketplace.hits.eligibility import asks_for_masters
from annotation.marketplace.models import Hit, Requester
from annotation.marketplace.money import ledger
from annotation.marketplace.money.fees import reward_fee


def fee_of(hit: Hit) -> int:
    """The fee in cents for one approved place, by the rules under which the HIT was published."""
    masters = asks_for_masters(hit.hit_type.requirements)
    return reward_fee(hit.hit_type.reward_cents, max_assignments=hit.max_assignments, rules=hit.fees, masters=masters)


def price(hit: Hit) -> int:
    """Reward and fee of one place in cents."""
    return hit.hit_type.reward_cents + fee_of(hit)


def promised(hit: Hit, now: datetime) -> int:
    """What the places of `hit` may still cost, in cents."""
    return (lifecycle.available(hit, now) + hit.pending + hit.submitted) * price(hit)


def publish(hit: Hit, *, now: datetime) -> None:
    """Insert the new `hit` (settled) with its hold; raises as `hold` does.

    The requester's row is locked by one of the last statements, so that calls of one requester run side by side until
    then.
    """
    promised_cents = hit.held_cents = promised(hit, now)
    insert([hit])
    if ledger.hold_new(hit, now=now):
        return
    if not settings.MARKETPLACE_PUBLISH_UNFUNDED:
        currency = hit.hit_type.currency
        raise ledger.insufficient(promised_cents, ledger.available(hit.requester, currency), currency)
    hit.held_cents = 0
    hit.save(update_fields=["held_cents"])


def hold(payer: Requester, hit: Hit, *, now: datetime) -> None:
    """Bring the hold of `hit` (saved, settled, both locked) to what it promises.

    Raises RequestRefusedError (InsufficientFunds) when the balance does not suffice, unless the site lets HITs be
    published without money: then nothing more is held, and approvals are paid out of the balance if it can.
    """
    promised_cents = promised(hit, now)
    missing = promised_cents - hit.held_cents
    if missing <= 0:
        release(payer, hit, now=now)
        return
    currency = hit.hit_type.currency
    spendable = ledger.available(payer, currency)
    if missing <= spendable:
        ledger.move_hold(payer, hit, missing, now=now)
    elif not settings.MARKETPLACE_PUBLISH_UNFUNDED:
        raise ledger.insufficient(missing, spendable, currency)


def release(payer: Requester, hit: Hit, *, now: datetime) -> None:
    """Release what `hit` (settled; both locked) holds beyond its promise."""
    excess = hit.held_cents - promised(hit, now)
    if excess > 0:
        ledger.move_hold(payer, hit, -excess, now=now)
