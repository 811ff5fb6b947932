"""The headline interval of HUSE: estimate -+ z * sd over half-samples of contexts, drawn without replacement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.neighbors import Floats, Ints
from metrics.subsets import Bools, Study
from metrics.types import Interval

METHOD = "half-samples"
BATCH_CELLS = 1 << 20


def huse_arrays(hj_num: NDArray[Any], q: Floats, z: Bools, k: int = 16) -> tuple[float, float, float]:
    """HUSE, HUSE-Q and HUSE-D of one study, fast (about 0.3 ms for 200 texts), for simulation.

    hj_num: (n,) sums of ratings, or any whole numbers proportional to HJ (int64): ties on them are exact.
    q: (n,) log-probability per unit of length, natural log, -inf allowed. z: (n,) True for reference.
    Rules of the `exact` mode, vote ties to the reference; ties in the plane by a relative tolerance of 1e-12.
    Nothing is validated: at least k+1 texts, both sources, no NaN are the caller's to keep.
    """
    both, quality = Study(hj_num, q, z, k).huse_and_q(np.arange(len(z))[None, :])
    return float(both[0]), float(quality[0]), float(1 + both[0] - quality[0])


@dataclass(frozen=True, slots=True)
class HalfSampleSd:
    """Standard errors by half-samples, in the units of the measures."""

    huse: float
    huse_q: float
    huse_d: float
    log_prob_only: float


def half_sample_sd(
    hj_num: NDArray[Any],
    q: Floats,
    z: Bools,
    rng: np.random.Generator,
    draws: int = 400,
    *,
    k: int = 16,
    context: Ints | None = None,
    tie: int = 1,
) -> HalfSampleSd:
    """Standard errors of HUSE, HUSE-Q, HUSE-D and log p alone: sd over half-samples without replacement.

    hj_num, q, z: as for `huse_arrays`. context: (n,) whole numbers 0..c-1 naming each text's context; texts of one
    context are drawn together (paired design). None: texts are drawn within their source (unpaired design).
    tie: vote ties go to the reference (1), the model (-1) or half each (0). k stays as it is in the half.
    The interval at any level is estimate -+ z * sd. Same rng state, same answer.
    """
    study = Study(hj_num, q, z, k, tie)
    parts = [study.values(subsets) for batch in half_samples(z, context, rng, draws) for subsets in batch]
    factor = _retained_factor(z, context)
    names = HalfSampleSd.__slots__
    return HalfSampleSd(*(factor * float(np.concatenate([getattr(p, x) for p in parts]).std(ddof=1)) for x in names))


def half_samples(z: Bools, context: Ints | None, rng: np.random.Generator, draws: int) -> Iterator[list[Ints]]:
    """`draws` half-samples as arrays (draws x texts) of text numbers, in batches, one array for each size."""
    batch = max(1, BATCH_CELLS // len(z))
    for begin in range(0, draws, batch):
        chosen = _choose(z, context, rng, min(batch, draws - begin))
        sizes = chosen.sum(axis=1)
        yield [np.nonzero(chosen[sizes == size])[1].reshape(-1, size) for size in np.unique(sizes)]


def _choose(z: Bools, context: Ints | None, rng: np.random.Generator, draws: int) -> Bools:
    if context is not None:
        return _halves(rng, draws, int(context.max()) + 1)[:, context]
    chosen = np.empty((draws, len(z)), dtype=np.bool_)
    for source in (z, ~z):
        chosen[:, source] = _halves(rng, draws, int(source.sum()))
    return chosen


def _halves(rng: np.random.Generator, draws: int, units: int) -> Bools:
    """(draws x units) with exactly units // 2 chosen in each row."""
    rank = rng.random((draws, units)).argsort(axis=1).argsort(axis=1)
    return np.asarray(rank < units // 2)


def _retained_factor(z: Bools, context: Ints | None) -> float:
    """sqrt(kept / left out): 1 for an even number of units (Wu 1986, delete-d jackknife)."""
    units = len(z) if context is None else int(context.max()) + 1
    kept = int(z.sum()) // 2 + int((~z).sum()) // 2 if context is None else units // 2
    return float(np.sqrt(kept / (units - kept)))


def smallest_half(z: Bools, context: Ints | None) -> int:
    """Texts in the smallest half-sample that can be drawn; above k, an interval is defined."""
    if context is None:
        return int(z.sum()) // 2 + int((~z).sum()) // 2
    return int(np.sort(np.bincount(context))[: (int(context.max()) + 1) // 2].sum())


def error_floor(value: float, n: int) -> float:
    """Binomial standard error of twice an error rate over n texts, two errors and two hits added.

    Half-samples of a study with no or next to no error show no spread at all; the interval is not narrower than this.
    """
    rate = min(max((value * n / 2 + 2) / (n + 4), 0.0), 1.0)
    return 2 * math.sqrt(rate * (1 - rate) / (n + 4))


def half_sample_interval(value: float, sd: float, n: int, level: float, difference: bool = False) -> Interval:
    """value -+ z * sd, not clipped; sd is at least the floor of the error rate (HUSE-D: of |HUSE - HUSE-Q|).

    n: texts of both sources. difference: the value is a HUSE-D.
    """
    rate = abs(value - 1) if difference else value
    half_width = normal_quantile(level) * max(sd, error_floor(rate, n))
    return Interval(value - half_width, value + half_width, level, METHOD)


def normal_quantile(level: float) -> float:
    """z of a two-sided interval at `level`: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + level) / 2)


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
