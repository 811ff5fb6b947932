"""Where a text lies on the scale, as the answers of its raters show it: a distribution over a grid of places.

A reader has a noisy impression of the text's place and gives the nearest label (Thurstone 1927).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Floats, Ints

STEPS = 41  # places of a text that are distinguished
SPREADS = (0.8, 1.1, 1.5)  # of single answers around a text's place, in steps of the scale
CLICKED = 0.05  # share of answers that say nothing, as far as a text's place is concerned
PASSES = 6
MIN_CHANCE = 1e-4
MAX_CODE = 2**62


@dataclass(frozen=True, slots=True)
class PlaceLaw:
    """How answers lie around a text's place, and how places are distributed.

    log_chances: (labels, STEPS) log-probability of each label at each place. log_prior: (STEPS,).
    """

    log_chances: Floats
    log_prior: Floats

    def places(self, counts: Floats) -> Floats:
        """(rows, STEPS) distribution of the place, for counts of each label (rows, labels)."""
        return normalize(counts @ self.log_chances + self.log_prior)

    def places_without_each(self, counts: Floats) -> Floats:
        """(rows x labels, STEPS) the same where one answer with that label is taken out of a row's counts."""
        labels = counts.shape[1]
        logs = (counts @ self.log_chances + self.log_prior)[:, None, :] - self.log_chances
        return normalize(logs.reshape(len(counts) * labels, STEPS))


def unique_counts(counts: Floats) -> tuple[Floats, Ints, Floats]:
    """The different rows of counts of each label (texts, labels), which of them each text has (texts,), and how often
    each occurs. Where a text has few answers there are few, so that their places are worked out once, not by text."""
    texts, labels = counts.shape
    base = int(counts.max(initial=0)) + 1
    if base**labels > MAX_CODE:  # so many answers that hardly two texts agree
        return counts, np.arange(texts), np.ones(texts)
    codes = counts.astype(np.int64) @ base ** np.arange(labels, dtype=np.int64)
    _, first, which, times = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    return counts[first], which.astype(np.int64), times.astype(np.float64)


def fit_places(counts: Floats, times: Floats) -> PlaceLaw:
    """Choose the spread of answers and the distribution of places under which all answers are likeliest.

    Args:
        counts: (rows, labels) answers with each label, at least two labels.
        times: (rows,) texts with these counts.
    """
    rows, labels = counts.shape
    texts = float(times.sum())
    best = (-np.inf, PlaceLaw(np.empty((labels, STEPS)), np.empty(STEPS)))
    for spread in SPREADS:
        chance = np.log((1 - CLICKED) * label_chances(place_grid(labels), spread, labels).T + CLICKED / labels)
        log_chances = counts @ chance
        prior = np.full(STEPS, -np.log(STEPS))
        total = -np.inf
        for _ in range(PASSES if rows else 0):
            joint = log_chances + prior
            marginal = log_sum(joint.T)
            total = float(times @ marginal)
            share = times @ np.exp(joint - marginal[:, None]) / texts + MIN_CHANCE
            prior = np.log(share / share.sum())
        best = max(best, (total, PlaceLaw(chance, prior)), key=lambda candidate: candidate[0])
    return best[1]


def place_grid(labels: int) -> Floats:
    """(STEPS,) places from a step below the first label to a step above the last."""
    return np.linspace(-1, labels, STEPS)


def label_chances(place: Floats, noise: float, labels: int) -> Floats:
    """(places, labels): probability of each label where impressions lie around these places."""
    from scipy.special import ndtr

    below = ndtr((np.arange(labels - 1) + 0.5 - place[:, None]) / noise)
    return np.diff(np.hstack([np.zeros((len(place), 1)), below, np.ones((len(place), 1))]), axis=1)


def normalize(logs: Floats) -> Floats:
    """Probabilities by row, of logs up to a constant."""
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def log_sum(logs: Floats) -> Floats:
    """Logs of sums over the first axis."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).sum(axis=0)))
