"""Fees of a marketplace in addition to rewards: none, or those of Mechanical Turk at its closure. Whole cents."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

RATE = Decimal("0.20")
LARGE_HIT_RATE = Decimal("0.20")
MASTERS_RATE = Decimal("0.05")
LARGE_HIT = 10
MIN_FEE_CENTS = 1


class Fees(StrEnum):
    """The fee rules of a marketplace. Assay's own charges nothing unless its operator says otherwise."""

    NONE = "none"
    MTURK = "mturk"


def fee_cents(
    reward_cents: int, *, max_assignments: int, fees: Fees, masters: bool = False, premium_cents: int = 0
) -> int:
    """Fee for one assignment. By MTurk's rules 20% of the reward, 40% from 10 assignments per HIT.

    5% more for Masters, at least one cent; rounded half up once. premium_cents: what premium qualifications cost.

    >>> [fee_cents(50, max_assignments=n, fees=fees) for fees in (Fees.MTURK, Fees.NONE) for n in (9, 10)]
    [10, 20, 0, 0]
    """
    if fees == Fees.NONE:
        return premium_cents
    rate = RATE + (LARGE_HIT_RATE if max_assignments >= LARGE_HIT else 0) + (MASTERS_RATE if masters else 0)
    return _charge(reward_cents, rate) + premium_cents


def bonus_fee_cents(bonus_cents: int, *, fees: Fees) -> int:
    """Fee for one bonus. By MTurk's rules 20%, at least one cent, nothing for no bonus.

    The surcharges are on rewards only.

    >>> [bonus_fee_cents(cents, fees=Fees.MTURK) for cents in (3, 100, 0)]
    [1, 20, 0]
    """
    return _charge(bonus_cents, RATE) if bonus_cents and fees == Fees.MTURK else 0


def max_cents(hits: Iterable[tuple[int, int]], *, fees: Fees) -> tuple[int, int]:
    """Rewards and fees in cents when every place is filled; hits: (places, reward in cents) of each HIT.

    >>> max_cents([(9, 50), (10, 50)], fees=Fees.MTURK)
    (950, 290)
    """
    rows = [(places, reward, fee_cents(reward, max_assignments=places, fees=fees)) for places, reward in hits]
    return sum(places * reward for places, reward, _ in rows), sum(places * fee for places, _, fee in rows)


def split_places(raters: int, *, max_places: int = LARGE_HIT - 1) -> tuple[int, ...]:
    """Assignments of the HITs that `raters` people need when no HIT has more than `most`: the cheap side of the fee.

    Raises ValueError for fewer than 1 of either.

    >>> split(20)
    (9, 9, 2)
    """
    if raters < 1 or max_places < 1:
        raise ValueError("a text has at least one rater and a HIT at least one place")
    full, rest = divmod(raters, max_places)
    return (max_places,) * full + ((rest,) if rest else ())


def _charge(cents: int, rate: Decimal) -> int:
    return max(MIN_FEE_CENTS, int((cents * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP)))
