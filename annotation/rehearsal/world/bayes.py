"""L_phi: twice the error of the best classifier on (log p_model a token, expected label code), by dense binning.

The plane is cut into cells; the best rule calls a cell reference where references are more frequent. Judged on the
texts it was learnt from the rule looks too good, so it is learnt on one half of the texts and judged on the other, both
ways round: the mean is never optimistic by more than chance. Its gap to the in-sample value and its change with
the cell's size say how far binning matters. (The world has finitely many headlines, each at a point of its own: with
ever smaller cells and ever more texts L_phi would fall to L_star, which is why the cell's size belongs to its name.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .simulation import Floats, Studies

Counts = NDArray[np.int64]

Q_LOW = -8.0  # rarer texts share the edge cells
CELL = 0.025  # of both axes: nats a token, steps of the scale
Q_CELLS, CODE_CELLS = round(-Q_LOW / CELL), round(5 / CELL)
COARSER = (1, 2, 4, 8, 16)  # sizes of cells at which L_phi is computed, in units of CELL
STATED = 4  # the size that L_phi is quoted at: 0.1 nats a token by 0.1 steps


@dataclass(frozen=True)
class BayesError:
    """Twice the Bayes error. held_out: the value; in_sample: its optimistic counterpart; se: Monte-Carlo error."""

    held_out: float
    in_sample: float
    se: float


def no_counts(generators: int) -> Counts:
    """Empty counts: (2 halves, generators, 2 sources, Q_CELLS, CODE_CELLS); source 0 is the reference."""
    return np.zeros((2, generators, 2, Q_CELLS, CODE_CELLS), dtype=np.int64)


def count(studies: Studies) -> Counts:
    """Texts in each cell; studies go to the halves in turn."""
    counts = no_counts(len(studies.q_model))
    for half in (0, 1):
        for generator, (q_reference, q_model) in enumerate(zip(studies.q_reference, studies.q_model, strict=True)):
            counts[half, generator, 0] = _cells(q_reference[half::2], studies.code_reference[half::2])
            counts[half, generator, 1] = _cells(q_model[half::2], studies.code_model[generator, half::2])
    return counts


def _cells(q: Floats, code: Floats) -> Counts:
    row = np.clip((q.ravel() - Q_LOW) / CELL, 0, Q_CELLS - 1).astype(np.int64)
    column = np.clip(code.ravel() / CELL, 0, CODE_CELLS - 1).astype(np.int64)
    flat = np.bincount(row * CODE_CELLS + column, minlength=Q_CELLS * CODE_CELLS)
    return flat.reshape(Q_CELLS, CODE_CELLS)


def bayes_error(counts: Counts, coarser: int) -> BayesError:
    """Twice the Bayes error of one generator: counts (2 halves, 2 sources, q, code), cells `coarser` times as wide."""
    cells = _merge(counts, coarser).reshape(2, 2, -1)
    share = cells / cells.sum(axis=2, keepdims=True)
    wrong = np.array([_wrong(share[1 - half], share[half]) for half in (0, 1)]).mean(axis=0)
    totals = cells.sum(axis=0)
    total_share = totals / totals.sum(axis=1, keepdims=True)
    se = float(np.sqrt((wrong * (1 - wrong) / totals.sum(axis=1)).sum()))
    return BayesError(float(wrong.sum()), float(np.minimum(*total_share).sum()), se)


def _wrong(learnt: Floats, judged: Floats) -> Floats:
    """Share of the references called model, and of the model's texts called reference, (2,)."""
    reference = learnt[0] >= learnt[1]
    return np.array([judged[0][~reference].sum(), judged[1][reference].sum()])


def _merge(counts: Counts, coarser: int) -> Counts:
    """Sum blocks of `coarser` cells along both axes of the plane; the last block may be smaller."""
    for axis in (-2, -1):
        size = counts.shape[axis]
        if size > 1:
            starts = np.arange(0, size, coarser)
            counts = np.add.reduceat(counts, starts, axis=axis)
    return counts


def quality_only(counts: Counts) -> Counts:
    """Counts by expected label code alone, for the analogue of HUSE-Q: the axis of log p has one cell."""
    return counts.sum(axis=-2, keepdims=True)
