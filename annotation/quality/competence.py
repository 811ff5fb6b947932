"""Estimate a worker's competence by a worker model (F12): MACE on all answers of the study, whatever the scale.

It takes labels for unordered classes: on a scale, who is one step off counts as wrong. So it is off, and one piece of
evidence among others; HJ is never taken from it.
"""

from __future__ import annotations

import numpy as np

from annotation.quality.filters_answers import judged
from annotation.quality.work_table import Measured, Work, spread
from metrics.worker_models.mace import mace

STARTS = 2


def competence(work: Work) -> Measured:
    """Chance that a worker knows rather than guesses, over all their assignments, with its interval of 90%."""
    workers = int(work.worker.max(initial=-1)) + 1
    value, low, high = (np.full(workers, np.nan) for _ in range(3))
    n = np.zeros(workers, dtype=np.int64)
    rows = judged(work)
    by, text = work.worker[work.lines.assignment[rows]], work.lines.text[rows]
    # Of a text without other answers the model knows no more than the answer.
    raters = np.bincount(np.unique(text * workers + by) // max(workers, 1), minlength=len(work.bodies))
    rows, by, text = (column[raters[text] > 1] for column in (rows, by, text))
    # A text met twice counts once: the model takes each answer for a rater's only one.
    first = np.sort(np.unique(text * workers + by, return_index=True)[1])
    if len(first):
        fit = mace(text[first], by[first], work.lines.label[rows][first], starts=STARTS)
        at = np.array(fit.raters, dtype=np.int64)
        value[at], low[at], high[at] = fit.competence, fit.competence_low, fit.competence_high
        n = np.bincount(by[first], minlength=workers).astype(np.int64)
    return spread(Measured(value, low, high, n), work.worker)
