"""What other raters would move, in numbers: halves of the workers crossed with halves of the texts.

Four studies of half the texts by half the workers make a two-way table; the main effect of workers, less the
interaction, is what other workers would move. Arrays in, arrays out, nothing validated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Bools, Floats, Ints
from metrics.huse.ratings_by_text import Rated
from metrics.huse.subsampling import SHARE, neighbours_in, split_texts
from metrics.huse.subsets import Study, diversity

MUCH_DIFFERENT = 0.2  # share of one source's ratings that would have to go to other workers
CELLS = 1 << 22  # ratings held at once


@dataclass(frozen=True, slots=True)
class RaterErrors:
    """errors: (3,) standard errors. usable: splits. texts_lost: texts without a rating in a half, on average."""

    errors: Floats
    usable: int
    texts_lost: float


def rater_errors(
    rated: Rated,
    q: Floats,
    z: Bools,
    rng: np.random.Generator,
    draws: int = 400,
    *,
    k: int = 16,
    context: Ints | None = None,
) -> RaterErrors:
    """Standard errors of HUSE, HUSE-Q and HUSE-D that other workers would make.

    Arrays as for `subsample_sd`, for simulation: nothing is validated.
    """
    splits = max(1, draws // 2)
    study = Study(rated.means(), q, z, neighbours_in(SHARE, k))
    step = max(1, CELLS // rated.values.size)
    tables, lost = [], 0
    for begin in range(0, splits, step):
        size = min(step, splits - begin)
        judged = [rated.means_of(chosen) for chosen in rated.split_raters(z, rng, size)]
        lost += sum(int((counts == 0).sum()) for _, counts in judged)
        usable = _complete_contexts(context, np.logical_and(*(counts > 0 for _, counts in judged)))
        texts = split_texts(z, context, rng, size)
        parts = [part & usable for part in np.split(texts, 2)]
        tables.append(np.stack([[_values(study, means, part) for means, _ in judged] for part in parts]))
    return main_effect(np.concatenate(tables, axis=2), lost / (2 * splits))


def half_means(
    rated: Rated, q: Floats, z: Bools, rng: np.random.Generator, draws: int, *, k: int, context: Ints | None
) -> tuple[float, float]:
    """Means of HUSE and HUSE-Q of all texts over halves of the workers; NaN where no half leaves enough texts."""
    study, step, parts = Study(rated.means(), q, z, k), max(1, CELLS // rated.values.size), []
    for begin in range(0, draws, 2 * step):
        for chosen in rated.split_raters(z, rng, min(step, -(-(draws - begin) // 2))):
            means, counts = rated.means_of(chosen)
            parts.append(_values(study, means, _complete_contexts(context, counts > 0)))
    values = np.concatenate(parts)
    values = values[~np.isnan(values).any(axis=1)]
    return (float(values[:, 0].mean()), float(values[:, 1].mean())) if len(values) else (math.nan, math.nan)


def main_effect(tables: Floats, lost: float) -> RaterErrors:
    """tables: (halves of texts, halves of workers, splits, 3), NaN where too few texts were left.

    With T = mean + texts + workers + both, the contrast between the workers' halves, mean over the texts' halves, has
    variance 4 (workers) + (both), and half of the contrast of contrasts has variance (both); per variance at full size.
    """
    is_complete = ~np.isnan(tables).any(axis=(0, 1, 3))
    if not is_complete.any():
        return RaterErrors(np.zeros(3), 0, lost)
    contrast = tables[:, 0] - tables[:, 1]
    main, both = contrast.mean(axis=0)[is_complete], (contrast[0] - contrast[1])[is_complete] / 2
    errors = np.sqrt(np.maximum((main**2).mean(axis=0) - (both**2).mean(axis=0), 0.0)) / 2
    return RaterErrors(errors, int(is_complete.sum()), lost)


def _values(study: Study, means: Floats, chosen: Bools) -> Floats:
    """(rows, 3): HUSE, HUSE-Q and HUSE-D of the chosen texts with the HJ of each row; NaN where too few are chosen."""
    out = np.full((len(chosen), 2), np.nan)
    sizes = np.where(_enough(chosen, study), chosen.sum(axis=1), 0)
    for size in np.unique(sizes[sizes > 0]):
        rows = np.flatnonzero(sizes == size)
        subsets = np.nonzero(chosen[rows])[1].reshape(-1, size)
        out[rows] = np.transpose(study.rated(means[rows], subsets))
    return np.column_stack((out, diversity(out[:, 0], out[:, 1])))


def _enough(chosen: Bools, study: Study) -> Bools:
    """Per row: more than k texts, and both sources."""
    reference = study.sign > 0
    both = (chosen & reference).any(axis=1) & (chosen & ~reference).any(axis=1)
    return np.asarray(both & (chosen.sum(axis=1) > study.k))


def _complete_contexts(context: Ints | None, rated: Bools) -> Bools:
    """(rows, texts): without the contexts that lost a text."""
    if context is None or rated.all():
        return rated
    broken = np.zeros((len(rated), int(context.max()) + 1), dtype=np.bool_)
    row, text = np.nonzero(~rated)
    broken[row, context[text]] = True
    return np.asarray(~broken[:, context])


def source_difference(rated: Rated, z: Bools) -> float:
    """Total variation distance between who rated the references and who rated the model texts, in [0, 1].

    0: each worker gave the same share of the ratings of both; 1: no worker rated both.
    """
    shares = []
    for side in (z, ~z):
        rater = rated.rater[side]
        counts: Ints = np.bincount(rater[rater >= 0], minlength=rated.raters)
        shares.append(counts / max(1, int(counts.sum())))
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
