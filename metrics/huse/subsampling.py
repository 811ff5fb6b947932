"""Standard errors of HUSE for its headline interval, from pairs of halves of the contexts.

The contexts are split at random into two halves, many times. The two halves are independent studies of half the size,
so the mean of (first - second)^2 / 2 is the variance of the measure at half the size without bias, and half of it that
at the full size if variance goes with 1 / n. Subsamples that overlap do not have this: for a step function such as a
leave-one-out error they share less than their overlap, and their spread is too large (by 5 to 20% in sd).
In a half the neighbours are k / sqrt(2): with k they would lie too far away, with k / 2 the vote would be too noisy.
Where the judgments hardly separate the sources, the variance of HUSE-Q, and of HUSE-D with it, falls more slowly than
1 / n from quarters to halves to the whole: their standard errors are raised by up to `SLOWER` there.

`metrics.inference.error_rate_intervals` makes the interval. What it is for: the expectation of the estimator at this
number of texts and raters, over new texts; the noise of single ratings is in the texts drawn.
`metrics.huse.variance_components` adds what other raters would move. How the rule was found and what it covers:
`docs/huse-interval.md`, `docs/validity.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.data.arrays import Bools, Floats, Ints
from metrics.huse.subsets import Study, diversity

SHARE = 0.5  # of the contexts in a half
SLOWER = 0.06  # how much too small half-samples find the sd of HUSE-Q and HUSE-D where HUSE-Q is 1
ALIKE = 0.6  # HUSE-Q up to which they do not
BATCH_CELLS = 1 << 20


def huse_arrays(hj_num: NDArray[Any], q: Floats, z: Bools, k: int = 16) -> tuple[float, float, float]:
    """HUSE, HUSE-Q and HUSE-D of one study, fast (about 0.3 ms for 200 texts), for simulation.

    hj_num: (n,) sums of ratings, or any whole numbers proportional to HJ (int64): ties on them are exact.
    q: (n,) log-probability per unit of length, natural log, -inf allowed. z: (n,) True for reference.
    Rules of the `exact` mode, vote ties to the reference; ties in the plane by a relative tolerance of 1e-12.
    Nothing is validated: at least k+1 texts, both sources, no NaN are the caller's to keep.
    """
    both, quality = Study(hj_num, q, z, k).huse_and_q(np.arange(len(z))[None, :])
    return float(both[0]), float(quality[0]), float(diversity(both, quality)[0])


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Standard errors by subsamples, in the units of the measures."""

    huse: float
    huse_q: float
    huse_d: float
    log_prob_only: float


def subsample_sd(
    hj_num: NDArray[Any],
    q: Floats,
    z: Bools,
    rng: np.random.Generator,
    draws: int = 400,
    *,
    k: int = 16,
    context: Ints | None = None,
    tie: int = 1,
    share: float | None = None,
    weighed: bool = True,
) -> StandardErrors:
    """Standard errors of HUSE, HUSE-Q, HUSE-D and log p alone, fast (about 30 ms for 200 texts and 400 draws).

    hj_num, q, z: as for `huse_arrays`. context: (n,) whole numbers 0..c-1 naming each text's context; texts of one
    context are drawn together (paired design, each context on both sides). None: texts are drawn within their source
    (unpaired design). tie: vote ties go to the reference (1), the model (-1) or half each (0). draws: half-samples, two
    of each split. share: of the contexts in each of the two; None: half. A draw must hold more than k texts
    (`smallest_draw`). weighed: votes weigh 1 / size of their source in the half at hand (exact mode); else the raw
    majority. The interval at any level is `subsample_interval` of value and sd. Same rng state, same answer.
    """
    share = SHARE if share is None else min(share, SHARE)
    study = Study(hj_num, q, z, neighbours_in(share, k), tie, weighed)
    pairs, names = max(1, draws // 2), StandardErrors.__slots__
    squares = np.zeros(len(names))
    for chosen in disjoint_pairs(z, context, rng, pairs, share):
        measures = study.of_chosen(chosen)
        values = np.stack([getattr(measures, name) for name in names]).reshape(len(names), 2, -1)
        squares += ((values[:, 0] - values[:, 1]) ** 2).sum(axis=1)
    size, units = _units_in_sources(z, context, share)
    errors = StandardErrors(*(math.sqrt(size / units * float(square) / (2 * pairs)) for square in squares))
    quality = Study(hj_num, q, z, k, tie, weighed).quality(np.arange(len(z))[None, :])
    slower = slower_decrease(float(quality[0])) ** math.log2(1 / share)
    return replace(errors, huse_q=errors.huse_q * slower, huse_d=errors.huse_d * slower)


def slower_decrease(quality: float) -> float:
    """By how much the sd of HUSE-Q and HUSE-D at full size is above that from halves, by the study's HUSE-Q.

    1 up to a HUSE-Q of .6, then in a line up to 1.06 where it is 1 or more.
    """
    return 1 + SLOWER * min(max((quality - ALIKE) / (1 - ALIKE), 0.0), 1.0)


def neighbours_in(share: float, k: int) -> int:
    """Neighbours in a draw of that share of the contexts: k * sqrt(share), 11 in a half for k = 16."""
    return max(1, round(k * math.sqrt(share)))


def disjoint_pairs(
    z: Bools, context: Ints | None, rng: np.random.Generator, pairs: int, share: float = SHARE
) -> Iterator[Bools]:
    """`split_texts` of many pairs, in batches."""
    batch = max(1, BATCH_CELLS // len(z))
    for begin in range(0, pairs, batch):
        yield split_texts(z, context, rng, min(batch, pairs - begin), share)


def split_texts(z: Bools, context: Ints | None, rng: np.random.Generator, pairs: int, share: float = SHARE) -> Bools:
    """(2 x pairs, texts): masks of draws of texts; row i and row i + pairs have no context in common."""
    if context is not None:
        return split_units(rng, pairs, int(context.max()) + 1, share)[:, context]
    chosen = np.empty((2 * pairs, len(z)), dtype=np.bool_)
    for source in (z, ~z):
        chosen[:, source] = split_units(rng, pairs, int(source.sum()), share)
    return chosen


def split_units(rng: np.random.Generator, pairs: int, units: int, share: float = SHARE) -> Bools:
    """(2 x pairs, units): row i and row i + pairs hold equally many units and none in common."""
    size = min(units_in_draw(units, share), units // 2)
    order = rng.random((pairs, units)).argsort(axis=1)
    chosen = np.zeros((2 * pairs, units), dtype=np.bool_)
    np.put_along_axis(chosen[:pairs], order[:, :size], True, axis=1)
    np.put_along_axis(chosen[pairs:], order[:, size : 2 * size], True, axis=1)
    return chosen


def draw_subsamples(
    z: Bools, context: Ints | None, rng: np.random.Generator, draws: int, share: float
) -> Iterator[list[Ints]]:
    """`draws` subsamples as arrays (draws x texts) of text numbers, in batches, one array for each size."""
    batch = max(1, BATCH_CELLS // len(z))
    for begin in range(0, draws, batch):
        chosen = _choose(z, context, rng, min(batch, draws - begin), share)
        sizes = chosen.sum(axis=1)
        yield [np.nonzero(chosen[sizes == size])[1].reshape(-1, size) for size in np.unique(sizes)]


def _choose(z: Bools, context: Ints | None, rng: np.random.Generator, draws: int, share: float) -> Bools:
    if context is not None:
        return _draw(rng, draws, int(context.max()) + 1, share)[:, context]
    chosen = np.empty((draws, len(z)), dtype=np.bool_)
    for source in (z, ~z):
        chosen[:, source] = _draw(rng, draws, int(source.sum()), share)
    return chosen


def _draw(rng: np.random.Generator, draws: int, units: int, share: float) -> Bools:
    """(draws x units) with the same number chosen in each row: those with the smallest random numbers."""
    size = units_in_draw(units, share)
    chosen = np.zeros((draws, units), dtype=np.bool_)
    smallest = rng.random((draws, units)).argpartition(size - 1, axis=1)[:, :size]
    np.put_along_axis(chosen, smallest, True, axis=1)
    return chosen


def units_in_draw(units: int, share: float) -> int:
    """How many units a draw holds; at least one."""
    return max(1, int(units * share + 1e-9))


def _units_in_sources(z: Bools, context: Ints | None, share: float) -> tuple[int, int]:
    """Units in a draw, and in all."""
    if context is not None:
        units = int(context.max()) + 1
        return units_in_draw(units, share), units
    sources = int(z.sum()), int((~z).sum())
    return sum(units_in_draw(units, share) for units in sources), len(z)


def smallest_draw(z: Bools, context: Ints | None, k: int) -> int:
    """Texts in the smallest half that can be drawn; an interval is defined where it is above k."""
    if context is None:
        return 0 if min(z.sum(), (~z).sum()) < 2 else _units_in_sources(z, None, SHARE)[0]
    sizes = np.sort(np.bincount(context))
    if len(sizes) < 2:
        return 0
    return int(sizes[: units_in_draw(len(sizes), SHARE)].sum())


def context_numbers(contexts: Sequence[str | None], z: Bools) -> Ints | None:
    """Number the contexts where the design is paired (each context on both sides, equally often); else None."""
    if any(context is None for context in contexts):
        return None
    numbers = {context: i for i, context in enumerate(dict.fromkeys(contexts))}
    named = np.array([numbers[context] for context in contexts], dtype=np.int64)
    paired = np.array_equal(
        np.bincount(named[z], minlength=len(numbers)), np.bincount(named[~z], minlength=len(numbers))
    )
    return named if paired else None
