"""What the marketplace charges a requester: nothing, or (MARKETPLACE_FEES=mturk) by Mechanical Turk's last price list.

The list: 20% of reward and of bonus, 20% more of the reward for HITs with 10 or more assignments, 5% more for
Masters, at least one cent. The sum is rounded half up to the cent, once.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

BASE = Decimal("0.20")
MANY_ASSIGNMENTS = Decimal("0.20")
MASTERS = Decimal("0.05")
MANY = 10
MIN_FEE_CENTS = 1
NONE, MTURK = "none", "mturk"


def _charge(amount_cents: int, rate: Decimal) -> int:
    exact = Decimal(amount_cents) * rate
    return max(MIN_FEE_CENTS, int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))


def reward_fee(reward_cents: int, *, max_assignments: int, rules: str, masters: bool = False) -> int:
    """The fee in cents for one approved assignment of a HIT with `max_assignments` places. rules: none or mturk."""
    if rules == NONE:
        return 0
    rate = BASE
    if max_assignments >= MANY:
        rate += MANY_ASSIGNMENTS
    if masters:
        rate += MASTERS
    return _charge(reward_cents, rate)


def bonus_fee(bonus_cents: int, *, rules: str) -> int:
    """The fee in cents for one bonus; the surcharges are on rewards only. rules: none or mturk."""
    return 0 if rules == NONE else _charge(bonus_cents, BASE)
