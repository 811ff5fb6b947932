"""What work pays by the hour, measured or estimated beforehand, against a floor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, quantiles

from annotation.pricing.currency import DEFAULT_CURRENCY

HOUR = 3600
DEFAULT_FLOOR_CENTS = 1500  # of dollars; other currencies have no usual floor
# Silent reading of English non-fiction: the mean of 190 studies (Brysbaert 2019).
WORDS_A_MINUTE = 238
# Spread of the logarithm of working times: the released HUSE batch has mean / median = 1254.7 s / 804 s.
SPREAD = math.sqrt(2 * math.log(1254.7 / 804))
# Assumed until times are measured: for choosing a label, for a remark, and for instructions and consent.
SECONDS_A_JUDGMENT, SECONDS_A_REMARK, SECONDS_BEFORE = 8, 30, 60
QUARTILE = NormalDist().inv_cdf(0.75)


@dataclass(frozen=True, slots=True)
class WorkTime:
    """Seconds of one assignment at the quartiles. measured: from finished work; else estimated."""

    quick: float
    median: float
    slow: float
    measured: bool
    n: int = 0


@dataclass(frozen=True, slots=True)
class Wage:
    """Minor units an hour at the quartiles of working time. `slow` is the wage of those who need longest.

    floor: None where none is set, so that nothing is said to be below it."""

    quick: int
    median: int
    slow: int
    floor: int | None
    measured: bool

    @property
    def below_floor(self) -> bool:
        """Whether the median worker earns less than the floor."""
        return self.floor is not None and self.median < self.floor

    @property
    def slow_below_floor(self) -> bool:
        """Whether a quarter of the workers earn less than the floor."""
        return self.floor is not None and self.slow < self.floor


def wage_cents(reward_cents: int, *, seconds: float) -> int:
    """Cents an hour that `reward_cents` for `seconds` of work make. Raises ValueError unless seconds > 0.

    >>> wage_cents(100, seconds=804)
    448
    """
    if seconds <= 0:
        raise ValueError("Work takes longer than no time.")
    return round(reward_cents * HOUR / seconds)


def measured_time(seconds: Sequence[float]) -> WorkTime:
    """Quartiles of measured working times (at least 2, all above 0; else ValueError)."""
    if len(seconds) < 2 or min(seconds) <= 0:
        raise ValueError("Working times are at least 2 and above 0.")
    quick, median, slow = quantiles(seconds, n=4, method="inclusive")
    return WorkTime(quick, median, slow, measured=True, n=len(seconds))


def estimated_time(words: float, *, judgments: int, seconds_a_judgment: float, other_seconds: float = 0) -> WorkTime:
    """Time to read `words`, decide `judgments` times, and for anything else (instructions, training, consent).

    Quartiles by the spread of working times in the HUSE release. Raises ValueError for no or negative work.
    """
    if min(words, judgments, seconds_a_judgment, other_seconds) < 0 or words + judgments <= 0:
        raise ValueError("Work is something to read or to decide.")
    median = words / WORDS_A_MINUTE * 60 + judgments * seconds_a_judgment + other_seconds
    factor = math.exp(QUARTILE * SPREAD)
    return WorkTime(median / factor, median, median * factor, measured=False)


def hit_time(
    words: float, *, judgments: int, remarks: int = 0, judgment_seconds: float = SECONDS_A_JUDGMENT
) -> WorkTime:
    """Estimated time of one HIT: its words (contexts included), the answers to choose and the remarks to write."""
    other = SECONDS_BEFORE + remarks * SECONDS_A_REMARK
    return estimated_time(words, judgments=judgments, seconds_a_judgment=judgment_seconds, other_seconds=other)


def paced_time(line_seconds: float, *, lines: int) -> WorkTime:
    """Estimated time of one HIT at a pace: the median seconds of a line, its lines, and instructions.

    Quartiles by the spread of `estimated_time`. Raises ValueError unless both are above 0.

    >>> paced_time(12, lines=20).median
    300
    """
    if min(line_seconds, lines) <= 0:
        raise ValueError("A pace is seconds above 0, of at least one line.")
    median = SECONDS_BEFORE + line_seconds * lines
    factor = math.exp(QUARTILE * SPREAD)
    return WorkTime(median / factor, median, median * factor, measured=False)


def floor_cents(country: str, floors: Mapping[str, int] | None = None) -> int:
    """The floor of a country by `floors` (ISO code to cents an hour; "" for all others), else 15 dollars."""
    named = floors or {}
    return named.get(country, named.get("", DEFAULT_FLOOR_CENTS))


def floor_for(floor: int | None, currency: str) -> int | None:
    """The floor of a study: its setting, else 15 dollars; None in another currency, as a floor is never converted.

    >>> floor_for(None, "USD"), floor_for(None, "JPY"), floor_for(1200, "JPY")
    (1500, None, 1200)
    """
    return DEFAULT_FLOOR_CENTS if floor is None and currency == DEFAULT_CURRENCY else floor


def wage(reward_cents: int, time: WorkTime, *, floor: int | None = DEFAULT_FLOOR_CENTS) -> Wage:
    """Return the wage at the quartiles of `time`, with the minimum (minor units per hour)."""
    quick, median, slow = (wage_cents(reward_cents, seconds=s) for s in (time.quick, time.median, time.slow))
    return Wage(quick, median, slow, floor, time.measured)


def reward_for_floor(time: WorkTime, *, floor: int = DEFAULT_FLOOR_CENTS, slow: bool = True) -> int:
    """The least reward, in cents, that pays the floor to three quarters of the workers (`slow`) or to the median.

    >>> reward_for_floor(WorkTime(300, 600, 1200, measured=True), slow=False)
    250
    """
    return math.ceil(floor * (time.slow if slow else time.median) / HOUR - 1e-9)
