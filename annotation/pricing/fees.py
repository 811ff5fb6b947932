"""The marketplace's fee, as Mechanical Turk charged it at its closure, and the wage a reward makes."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

RATE = Decimal("0.20")
LARGE_HIT_RATE = Decimal("0.20")
LARGE_HIT = 10
LEAST_CENTS = 1


def fee_cents(reward_cents: int, *, max_assignments: int) -> int:
    """Fee for one assignment: 20 % of the reward, 40 % from 10 assignments a HIT, at least one cent.

    >>> fee_cents(50, max_assignments=9), fee_cents(50, max_assignments=10)
    (10, 20)
    """
    rate = RATE + (LARGE_HIT_RATE if max_assignments >= LARGE_HIT else 0)
    return max(LEAST_CENTS, int((reward_cents * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP)))


def wage_cents(reward_cents: int, *, seconds: float) -> int:
    """Cents an hour that `reward_cents` for `seconds` of work make. Raises ValueError unless seconds > 0.

    >>> wage_cents(100, seconds=804)
    448
    """
    if seconds <= 0:
        raise ValueError("Work takes longer than no time.")
    return round(reward_cents * 3600 / seconds)
