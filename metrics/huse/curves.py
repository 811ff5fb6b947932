"""How HUSE moves with the number of ratings per text and with the number of texts (paper's Figure 5).

HUSE falls as raters are added, so values at different numbers of ratings are not comparable: the replicate curve
belongs with every value. Accuracy is 1 - HUSE / 2. The spread shown is that of the draws; it shrinks to nothing where
a draw takes everything, and is not an uncertainty of the study.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.data.arrays import Floats
from metrics.data.items import Table, check_items
from metrics.errors import BadInput
from metrics.huse.estimate import Settings
from metrics.huse.ratings_by_text import Rated, lay_out, with_means
from metrics.huse.subsampling import context_numbers, draw_subsamples
from metrics.huse.subsets import Study
from metrics.types import Interval, Item, Missing, Rating, Setting
from metrics.version import __version__

Over = Literal["ratings", "texts"]

FULL_SIZE = "no_spread_at_full_size"
FIT_FROM = 5  # ratings per text, from which on a + b / r is fitted
FIT_POINTS = 3
NO_SPREAD = "The spread shows variation over subsamples, not uncertainty. It is 0 at full size."
BAND = "band of the draws, no interval"
EXTRAPOLATION = "a + b / r is fitted to the means from r = 5 on; beyond the ratings collected it is an extrapolation."
CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sd over draws, and the band that holds the middle `band` share of them."""

    mean: float
    sd: float
    low: float
    high: float

    def band(self, share: float) -> Interval | None:
        """The band, which holds the middle `share` of the draws and is for nothing beyond them; None without spread."""
        return Interval(self.low, self.high, share, BAND) if self.high > self.low else None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """HUSE and HUSE-Q at one number of ratings per text, or of texts; accuracies are 1 - value / 2, in [0, 1]."""

    at: int
    huse: Spread
    huse_q: Spread

    @property
    def accuracy(self) -> Spread:
        """Leave-one-out accuracy on both features."""
        return _as_accuracy(self.huse)


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """value = a + b / r by least squares over the points from `from_at` on; `a` is where the line ends for many."""

    a: float
    b: float
    from_at: int
    points: int
    note: str = EXTRAPOLATION


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in ascending order; the fits (replicate curve only) are labelled extrapolations, None where too short.

    over: what `at` counts. band: share of draws in [low, high]. n: items. note: what the spread does not say.
    """

    points: tuple[CurvePoint, ...]
    over: Over
    band: float
    draws: int
    fit: Extrapolation | None
    fit_q: Extrapolation | None
    note: str
    n: int
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


def replicate_curve(
    items: Sequence[Item],
    ratings: Sequence[Rating],
    at: Sequence[int] | None = None,
    *,
    k: int = 16,
    draws: int = 400,
    seed: int = 0,
    band: float = 0.90,
    missing: Missing = "error",
) -> Curve:
    """HUSE and HUSE-Q of r ratings per text, drawn without replacement, for r = 1 .. the fewest any text has.

    items: as for `evaluate`; their HJ may be None, and must else be the mean of their ratings. at: other values of r.
    Exact ties, vote ties to the reference. With as many ratings on each text the last point is HUSE itself, without
    spread (flag `no_spread_at_full_size`); with unequal numbers (flag `unequal_ratings`) it is not.
    Raises as `evaluate` and `lay_out`, and BadInput for an r that no draw can have.
    """
    _check(k, draws, seed, band)
    table = check_items(with_means(items, ratings), k=k, missing=missing)
    rated = lay_out(table.items, ratings)
    sizes = _check_sizes(at if at is not None else range(1, rated.fewest + 1), 1, rated.fewest, "ratings per text")
    study = Study(rated.means(), table.q, table.z, k)
    rng = np.random.default_rng(seed)
    points = tuple(_point(r, *_rated_draws(study, rated, r, draws, rng), band) for r in sizes)
    full = (FULL_SIZE,) if rated.equal and sizes[-1] == rated.fewest else ()
    flags = (*table.flags, *full, *(() if rated.equal else ("unequal_ratings",)))
    fits = _fit([(p.at, p.huse.mean) for p in points]), _fit([(p.at, p.huse_q.mean) for p in points])
    return _curve(points, "ratings", fits, table, flags, (k, draws, seed, band))


def size_curve(
    items: Sequence[Item],
    at: Sequence[int] | None = None,
    *,
    k: int = 16,
    draws: int = 400,
    seed: int = 0,
    band: float = 0.90,
    missing: Missing = "error",
) -> Curve:
    """HUSE and HUSE-Q of n texts, as many of each source as in the whole, drawn without replacement.

    at: numbers of texts; default 50, 65, ... 200 (the paper's), as far as they lie between 2 k and the texts there
    are, and all texts. Paired designs draw whole contexts. At the full number there is one draw and no spread (flag
    `no_spread_at_full_size`). Raises as `evaluate`, and BadInput for a number of texts that no draw can have.
    """
    _check(k, draws, seed, band)
    table = check_items(items, k=k, missing=missing)
    n = len(table)
    default = sorted({*(size for size in range(50, 201, 15) if 2 * k <= size < n), n})
    sizes = _check_sizes(at if at is not None else default, k + 2, n, "texts")
    study = Study(table.hj_integers, table.q, table.z, k)
    rng = np.random.default_rng(seed)
    points = tuple(_point(size, *_sized_draws(study, table, size, draws, rng), band) for size in sizes)
    full = (FULL_SIZE,) if sizes[-1] == n else ()
    return _curve(points, "texts", (None, None), table, (*table.flags, *full), (k, draws, seed, band))


def _check(k: int, draws: int, seed: int, band: float) -> None:
    Settings(k, "reference", seed, band, draws).check(())
    if draws < 2:
        raise BadInput("draws must be at least 2", column="draws")


def _check_sizes(at: Sequence[int], low: int, high: int, what: str) -> list[int]:
    sizes = sorted(set(at))
    if not sizes or sizes[0] < low or sizes[-1] > high:
        raise BadInput(f"points must be whole numbers of {what} from {low} to {high}", column="at")
    return sizes


def _rated_draws(
    study: Study, rated: Rated, ratings: int, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    if rated.equal and ratings == rated.fewest:
        return study.rated(rated.values.sum(axis=1)[None, :])
    step = max(1, CELLS // rated.values.size)
    sizes = [min(step, draws - begin) for begin in range(0, draws, step)]
    parts = [study.rated(rated.drawn_sums(ratings, rng, size)) for size in sizes]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _sized_draws(study: Study, table: Table, size: int, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    if size == len(table):
        return study.huse_and_q(np.arange(size)[None, :])
    context = context_numbers([item.context for item in table.items], table.z)
    parts = [
        study.huse_and_q(rows)
        for batch in draw_subsamples(table.z, context, rng, draws, size / len(table))
        for rows in batch
        if rows.shape[1] > study.k
    ]
    if not parts:
        raise BadInput(f"a draw of {size} texts leaves too few for k={study.k} neighbors", column="at")
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _point(at: int, huse: Floats, quality: Floats, band: float) -> CurvePoint:
    return CurvePoint(at, _spread(huse, band), _spread(quality, band))


def _spread(values: Floats, band: float) -> Spread:
    low, high = np.quantile(values, [(1 - band) / 2, (1 + band) / 2])
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Spread(float(values.mean()), sd, float(low), float(high))


def _as_accuracy(huse: Spread) -> Spread:
    return Spread(1 - huse.mean / 2, huse.sd / 2, 1 - huse.high / 2, 1 - huse.low / 2)


def _fit(means: Sequence[tuple[int, float]]) -> Extrapolation | None:
    used = [(at, mean) for at, mean in means if at >= FIT_FROM]
    if len(used) < FIT_POINTS:
        return None
    inverse, value = np.array([1 / at for at, _ in used]), np.array([mean for _, mean in used])
    away = inverse - inverse.mean()
    b = float((away * value).sum() / (away * away).sum())
    return Extrapolation(float(value.mean() - b * inverse.mean()), b, used[0][0], len(used))


def _curve(
    points: tuple[CurvePoint, ...],
    over: Over,
    fits: tuple[Extrapolation | None, Extrapolation | None],
    table: Table,
    flags: tuple[str, ...],
    options: tuple[int, int, int, float],
) -> Curve:
    k, draws, seed, band = options
    settings: dict[str, Setting] = {"k": k, "draws": draws, "seed": seed, "band": band, "mode": "exact"}
    short = ("too_few_points_for_fit",) if over == "ratings" and fits[0] is None else ()
    signature = f"{over}_curve|n:{len(table)}|k:{k}|draws:{draws}|seed:{seed}|v:{__version__}"
    return Curve(points, over, band, draws, *fits, NO_SPREAD, len(table), settings, (*flags, *short), signature)
