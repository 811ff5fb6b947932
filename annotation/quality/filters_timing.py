"""Evidence from time: on the page, on each text, and elsewhere."""

from __future__ import annotations

import numpy as np

from annotation.pricing.wages import WORDS_A_MINUTE
from annotation.quality.work_table import Floats, Ints, Measured, Work, counted, facts, shares

FASTEST_SECONDS = 1.5
SHARE_OF_READING = 0.25


def too_fast(work: Work) -> Measured:
    """Share of the timed texts on which less active time was spent than a quarter of the time that reading takes.

    Time spent before counts: who hears all texts first, by a screen reader, and then answers in a row, is not too fast.
    """
    timed = np.flatnonzero(~np.isnan(work.lines.active_ms))
    min_seconds = np.maximum(FASTEST_SECONDS, SHARE_OF_READING * work.lines.words[timed] / WORDS_A_MINUTE * 60)
    by, seconds = work.lines.assignment[timed], work.lines.active_ms[timed] / 1000
    fast = (seconds < min_seconds) & (_so_far(seconds, by) < _so_far(min_seconds, by))
    return shares(counted(by, len(work), fast), counted(by, len(work)).astype(np.int64))


def _so_far(seconds: Floats, assignment: Ints) -> Floats:
    """(lines,) sums within each assignment up to each line; the lines of an assignment stand together."""
    total = np.cumsum(seconds)
    begins = np.searchsorted(assignment, assignment, side="left")
    return np.asarray(total - np.append(0.0, total)[begins])


def quick_assignment(work: Work) -> Measured:
    """Seconds from accepting to submitting, for each text: all that is known where the page did not time."""
    lines = counted(work.lines.assignment, len(work)).astype(np.int64)
    each = np.where(lines > 0, work.work_seconds / np.maximum(lines, 1), np.nan)
    timed = counted(work.lines.assignment, len(work), ~np.isnan(work.lines.active_ms)) > 0
    return facts(np.where(timed, np.nan, each), np.where(np.isnan(each) | timed, 0, lines))


def time_away(work: Work) -> Measured:
    """Share of the time between accepting and submitting that the page was out of sight."""
    by, size = work.lines.assignment, len(work)
    known = counted(by, size, ~np.isnan(work.lines.active_ms))
    active = counted(by, size, np.nan_to_num(work.lines.active_ms)) / 1000
    usable = (known > 0) & (known == counted(by, size)) & (work.work_seconds > 0)
    away = 1 - np.minimum(active / np.where(usable, work.work_seconds, 1), 1)
    return facts(np.where(usable, away, np.nan), usable.astype(np.int64))
