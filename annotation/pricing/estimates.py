"""Estimate what a design costs and pays before its tasks exist, as exactly as the numbers of texts are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotation.pricing.fees import Fees, max_cents, split_places
from annotation.pricing.wages import (
    DEFAULT_FLOOR_CENTS,
    SECONDS_A_JUDGMENT,
    Wage,
    WorkTime,
    hit_time,
    paced_time,
    reward_for_floor,
    wage,
)


@dataclass(frozen=True, slots=True)
class CellSize:
    """A cell to be priced: the texts (or pairs of texts) that it will show, and what one of its HITs pays."""

    texts: int
    reward_cents: int


@dataclass(frozen=True, slots=True)
class Sketch:
    """A design in numbers. evaluators: people per condition, one page each; None: `raters` for every text.

    fees: the rules of the marketplace. extra: lines per HIT besides its texts (gold, repeats, checks). words: of one
    line with its texts and contexts, on average. judgment_seconds: to answer once. line_seconds: median time of a line
    where somebody answered the preview; else it is reckoned from words and answers.
    """

    cells: tuple[CellSize, ...]
    per_hit: int
    raters: int
    fees: Fees
    evaluators: int | None = None
    in_nines: bool = False
    extra: int = 0
    words: float = 0.0
    criteria: int = 1
    remarks: bool = False
    budget_cents: int | None = None
    judgment_seconds: float = SECONDS_A_JUDGMENT
    line_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The bill of a sketch, and the lowest wage of its cells. missing_cents: the amount over the budget.

    minutes: of a HIT, at the median; a quarter of the people need more than `slow_minutes`.
    fair_cents: the minimum reward that pays the median worker of that cell the floor.
    """

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    missing_cents: int
    wage: Wage | None
    minutes: float | None
    fair_cents: int | None
    slow_minutes: float | None = None

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents


def estimate(sketch: Sketch, *, floor: int | None = DEFAULT_FLOOR_CENTS) -> Estimate:
    """Price a sketch. Cells without texts cost nothing. floor: None where the study's currency has none.

    >>> estimate(Sketch((CellSize(25, 200),), per_hit=25, raters=200, fees=Fees.MTURK)).total_cents
    56000
    """
    hits = list(_hits(sketch))
    reward, fee = max_cents(hits, fees=sketch.fees)
    total = reward + fee
    missing = max(0, total - sketch.budget_cents) if sketch.budget_cents is not None else 0
    lowest_reward_cents = min((cell.reward_cents for cell in sketch.cells if cell.texts), default=None)
    if lowest_reward_cents is None or not sketch.words:
        return Estimate(len(hits), sum(n for n, _ in hits), reward, fee, missing, None, None, None)
    time = _time(sketch)
    fair = None if floor is None else reward_for_floor(time, floor=floor, slow=False)
    paid = wage(lowest_reward_cents, time, floor=floor)
    places = sum(n for n, _ in hits)
    return Estimate(len(hits), places, reward, fee, missing, paid, time.median / 60, fair, time.slow / 60)


def _time(sketch: Sketch) -> WorkTime:
    lines = min(sketch.per_hit, max(cell.texts for cell in sketch.cells)) + sketch.extra
    if sketch.line_seconds is not None:
        return paced_time(sketch.line_seconds, lines=lines)
    return hit_time(
        sketch.words * lines,
        judgments=lines * sketch.criteria,
        remarks=lines if sketch.remarks else 0,
        judgment_seconds=sketch.judgment_seconds,
    )


def _hits(sketch: Sketch) -> Iterator[tuple[int, int]]:
    """(places, reward) of every HIT, as the design will create them."""
    for cell in sketch.cells:
        for places in _places(-(-cell.texts // sketch.per_hit), sketch):
            yield from ((part, cell.reward_cents) for part in (split_places(places) if sketch.in_nines else (places,)))


def _places(pages: int, sketch: Sketch) -> Iterable[int]:
    if sketch.evaluators is None or not pages:
        return [sketch.raters] * pages
    base, more = divmod(sketch.evaluators, pages)
    return [count for page in range(pages) if (count := base + (page < more))]
