"""Records that cross the border of the package: frozen, typed, free of any framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

Source = Literal["reference", "model"]
Mode = Literal["exact", "paper"]
VoteTie = Literal["reference", "half", "model"]
Missing = Literal["error", "drop_pair", "quality_only"]

REFERENCE: Source = "reference"
MODEL: Source = "model"

Setting = str | int | float | bool | None


# Tables and figures stand above the measures, whose results therefore name their writer and do not import it.
WRITER = "metrics.pages.results"


class Result:
    """What a measure returns: shown as a table by a notebook, and given on as a DataFrame, LaTeX or a picture."""

    __slots__ = ()

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a DataFrame with a row per estimate, made by `backend` (`pandas`, `polars`, `pyarrow`).

        Columns: measure (the names that lead to the estimate, joined by " / "), value, low, high, level, n, method,
        target, flags. Raises BadInput where the library is not installed.
        """
        return import_module(WRITER).to_frame(self, backend)

    def to_latex(self) -> str:
        """Return a table of the estimates as LaTeX (booktabs)."""
        return str(import_module(WRITER).to_latex(self))

    def plot(self) -> Any:
        """Return a picture of the estimates with their intervals, which a notebook shows and `save(PATH)` writes (SVG).

        Raises DegenerateInput where no estimate has a value.
        """
        return import_module(WRITER).to_picture(self)

    def _repr_html_(self) -> str:
        return str(import_module(WRITER).to_html(self))


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval: `low` <= `high`, at confidence `level` in (0, 1), made by `method`.

    target: in words, what it holds with that confidence; empty where `method` says all there is to say.
    """

    low: float
    high: float
    level: float
    method: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Estimate(Result):
    """A reported number: never a bare float.

    Args:
        value: the estimate, or None where the data define none (a flag says why).
        n: number of units (texts, raters, tests) behind it.
        interval: headline interval, or None where none is defined.
        settings: what the number was computed with (k, mode, seed ...), flat and JSON-ready.
        flags: names of everything a reader must know (`above_one`, `vote_ties` ...).
        signature: one line that identifies the computation, e.g. `huse|n:200|r:20|k:16|ties:exact|seed:7|v:0.1`.

    Example:
        >>> from metrics import cohen_kappa
        >>> estimate = cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0], draws=0)
        >>> estimate.value, estimate.n, estimate.interval, estimate.flags
        (0.5, 4, None, ())
    """

    value: float | None
    n: int
    interval: Interval | None
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's number for one item.

    Args:
        item: id of the item.
        rater: name of the rater.
        value: the number, exact, so that ties can be exact.
        unit: the assignment (HIT) in which it was made; empty where unknown.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Rating
        >>> Rating("r1", "worker 7", Fraction(4)).value
        Fraction(4, 1)
    """

    item: str
    rater: str
    value: Fraction
    unit: str = ""  # the assignment (HIT) it was given in, where known


@dataclass(frozen=True, slots=True)
class Item:
    """A judged text as HUSE sees it.

    Args:
        id: unique name of the text.
        source: `reference` or `model`.
        hj: mean human judgment, exact where sums are known, or the decimal as written; None without ratings.
        log_prob: total natural log-probability under the model, at most 0, -inf allowed; None when missing.
        length: number of units (tokens, words), at least 1.
        context: id of the context that the text answers or continues; None without contexts.
        ratings: how many ratings are behind hj; 0 where unknown.
        exact: whether hj and log_prob are exact (decimal text or integer sums), not rounded floats.

    Example:
        >>> from fractions import Fraction
        >>> from metrics import Item
        >>> Item("r1", "reference", hj=Fraction(7, 2), log_prob=-31.4, length=9, context="c1", ratings=20).hj
        Fraction(7, 2)
    """

    id: str
    source: Source
    hj: Fraction | None
    log_prob: float | None
    length: int
    context: str | None = None
    ratings: int = 0
    exact: bool = field(default=True)


@dataclass(frozen=True, slots=True)
class HuseResult(Result):
    """HUSE (eq. 2), HUSE-Q (eq. 8), HUSE-D = 1 + HUSE - HUSE-Q (eq. 9), and log p alone (a check), in one mode."""

    huse: Estimate
    huse_q: Estimate
    huse_d: Estimate
    log_prob_only: Estimate


class ByMode(dict[Mode, HuseResult], Result):
    """A `HuseResult` for each mode."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Classified:
    """What the classifier behind HUSE says of one held-out item.

    share: share of reference items among its neighbours, in [0, 1]; the classifier's probability of `reference`.
    neighbors: how many neighbours there were (k, or more where distances tie).
    predicted: the larger share; None for a tied vote that `vote_tie="half"` leaves open.
    correct: predicted == source; a vote left open is not correct.
    """

    id: str
    source: Source
    share: float
    neighbors: int
    predicted: Source | None
    correct: bool


@dataclass(frozen=True, slots=True)
class RatingSums:
    """All that HJ needs to know of an item's ratings: how many, their sum, and the sum of their squares."""

    item: str
    count: int
    total: Fraction
    squares: Fraction


@dataclass(frozen=True, slots=True)
class HumanJudgment:
    """HJ of one item: the mean of its ratings, exact; sd is the sample sd (None for one rating)."""

    item: str
    value: Fraction
    n: int
    sd: float | None
    interval: Interval | None
    flags: tuple[str, ...] = ()
