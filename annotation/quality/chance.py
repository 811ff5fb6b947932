"""Whether answers look like a reader's or like clicks: a log likelihood ratio, ours.

A reader perceives what the others perceived on average, moved by a bias of their own and blurred by noise, and gives
the nearest label. Someone who does not read gives every label alike, or one label with few exceptions. It uses the
study's own answers, so it orders the queue of a reviewer and excludes nobody by itself.
"""

from __future__ import annotations

import numpy as np

from annotation.quality.answering import Z, by_others
from annotation.quality.records import Floats, Ints, Measured, Work, counted

# Biases in steps of the scale (weights: a normal of sd .5), and noises, whose weights are those of the study's readers.
BIASES = np.linspace(-1.5, 1.5, 7)
NOISES = (0.6, 0.8, 1.0, 1.3, 1.8)
PASSES = 20
LEAST_CHANCE = 1e-4
STRAIGHT = 0.97  # share of one label in a straight line
GRID = 64  # cells a step of the scale, in the table of log-probabilities


def without_reading(work: Work) -> Measured:
    """Log likelihood of answering without reading over that of reading, for the whole assignment, in nats.

    Above 0: the answers fit clicking better. The interval is that of the sum if each text's part were drawn anew.
    """
    rows, others = by_others(work)
    assignment, label = work.lines.assignment[rows], work.lines.label[rows]
    size, labels = len(work), max(2, len(work.codes))
    n = counted(assignment, size)
    centre = _shrunk(others, work.lines.code[rows], work.lines.text[rows], len(work.bodies))
    place = np.interp(centre, work.codes, np.arange(labels)) if len(work.codes) > 1 else centre
    reading, each = _reading(assignment, label, place, size, labels)
    value = np.logaddexp(-n * np.log(labels), _one_label(assignment, label, size, labels)) - np.log(2) - reading
    mean = counted(assignment, size, each) / np.maximum(n, 1)
    half = Z * np.sqrt(counted(assignment, size, (each - mean[assignment]) ** 2) * n / np.maximum(n - 1, 1))
    value, low, high = (np.where(n > 1, part, np.nan) for part in (value, value - half, value + half))
    return Measured(value, low, high, n.astype(np.int64))


def _shrunk(others: Floats, code: Floats, text: Ints, texts: int) -> Floats:
    """The others' means drawn towards the mean of all texts by as much as chance moves them."""
    if not len(others):
        return others
    n = counted(text, texts)
    some = np.maximum(n, 1)
    mean = counted(text, texts, code) / some
    within = counted(text, texts, (code - mean[text]) ** 2).sum() / max(1.0, float((n - 1)[n > 1].sum()))
    chance = within / np.maximum(n[text] - 1, 1)
    between = max(0.0, float(np.var(mean[n > 0])) - within * float((1 / some[n > 0]).mean()))
    grand = mean[n > 0].mean()
    return np.asarray(grand + (others - grand) * between / np.maximum(between + chance, 1e-12))


def _reading(assignment: Ints, label: Ints, place: Floats, size: int, labels: int) -> tuple[Floats, Floats]:
    """Log likelihood of a reader's answers by assignment (size,), and by answer for an unbiased one (rows,)."""
    weights = np.exp(-0.5 * (BIASES / 0.5) ** 2)
    prior = np.log(weights / weights.sum())
    by_noise = np.empty((len(NOISES), size))
    for i, noise in enumerate(NOISES):
        table = _table(noise, labels)
        logs = np.empty((len(BIASES), size))
        for j, bias in enumerate(BIASES):
            at = np.clip(np.rint((place + bias + 4) * GRID), 0, len(table) - 1).astype(np.int64)
            logs[j] = prior[j] + counted(assignment, size, table[at, label])
        by_noise[i] = _log_sum(logs)
    shares = np.full(len(NOISES), 1 / len(NOISES))
    for _ in range(PASSES):  # EM over the study's assignments
        logs = by_noise + np.log(shares)[:, None]
        shares = np.maximum(np.exp(logs - _log_sum(logs)).mean(axis=1), 1e-6) if size else shares
    middle = np.clip(np.rint((place + 4) * GRID), 0, (labels + 7) * GRID).astype(np.int64)
    return _log_sum(by_noise + np.log(shares)[:, None]), _table(NOISES[2], labels)[middle, label]


def _log_sum(logs: Floats) -> Floats:
    """Logs of sums over the first axis."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).sum(axis=0)))


def _one_label(assignment: Ints, label: Ints, size: int, labels: int) -> Floats:
    """Log likelihood of a straight line of some label, by assignment."""
    counts = counted(assignment * labels + label, size * labels).reshape(size, labels)
    n, other = counts.sum(axis=1, keepdims=True), (1 - STRAIGHT) / labels
    logs = counts * np.log(STRAIGHT + other) + (n - counts) * np.log(other)
    return _log_sum(logs.T) - np.log(labels)


def _table(noise: float, labels: int) -> Floats:
    """Log-probability of each label where the impression lies at -4 .. labels + 3, on a grid."""
    from scipy.special import ndtr

    at = np.arange(-4 * GRID, (labels + 3) * GRID + 1) / GRID
    below = ndtr((np.arange(labels - 1) + 0.5 - at[:, None]) / noise)
    chance = np.diff(np.hstack([np.zeros((len(at), 1)), below, np.ones((len(at), 1))]), axis=1)
    return np.log(np.maximum(chance, LEAST_CHANCE))
