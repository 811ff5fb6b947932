"""Whether answers look like a reader's or like clicks: a log likelihood ratio, ours.

A text lies somewhere on the scale, which the others' answers show more or less surely. A reader perceives it, moved by
a bias of their own and blurred by noise, and gives the nearest label. Someone who does not read gives every label
alike, or one label with few exceptions. It uses the study's own answers, so it orders the queue of a reviewer and
excludes no work on its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.quality.filters_answers import Z, by_others
from annotation.quality.work_table import Floats, Ints, Measured, Work, counted
from metrics.worker_models.text_places import (
    MIN_CHANCE,
    fit_places,
    label_chances,
    log_sum,
    place_grid,
    unique_counts,
)

# Biases in steps of the scale (weights: a normal of sd .5), and the usual noises that a study's readers may have.
BIASES = np.linspace(-1.5, 1.5, 7)
NOISES = (0.64, 0.8, 1.0, 1.25, 1.56)
AROUND = np.array([0.25, 0.5, 0.25])  # of people, by noise around the usual one
STRAIGHT = 0.97  # share of one label in a straight line
UNREAD = 0.1  # the share of people who do not read, as far as the readers' noise is concerned


def without_reading(work: Work) -> Measured:
    """Log likelihood of answering without reading over that of reading, for the whole assignment, in nats.

    Above 0: the answers fit clicking better. The interval is that of the sum if each text's part were redrawn.
    """
    fit, size = _click_fit(work), len(work)
    answers = fit.answers
    n = counted(answers.assignment, size)
    value = fit.alone
    each = answers.predicted[NOISES.index(1.0), len(BIASES) // 2][answers.at]
    mean = counted(answers.assignment, size, each) / np.maximum(n, 1)
    spread = counted(answers.assignment, size, (each - mean[answers.assignment]) ** 2)
    half = Z * np.sqrt(spread * n / np.maximum(n - 1, 1))
    value, low, high = (np.where(n > 1, part, np.nan) for part in (value, value - half, value + half))
    return Measured(value, low, high, n.astype(np.int64))


@dataclass(frozen=True, slots=True)
class _SharedAnswers:
    """Answers to texts that others answered too: assignment, label, and where the others leave the text.

    at: (rows,) the line of this label and of the text's counts. predicted: (noises, biases, lines) log-probability that
    such a reader gives the label to a text with these counts, by what they show of it without this one.
    """

    assignment: Ints
    label: Ints
    at: Ints
    predicted: Floats
    labels: int


@dataclass(frozen=True, slots=True)
class _ClickFit:
    """The answers of a study's work, and by assignment: log likelihoods of a straight line and of clicking, and of not
    reading over reading."""

    answers: _SharedAnswers
    lines: Floats
    clicks: Floats
    alone: Floats


def _click_fit(work: Work) -> _ClickFit:
    """Worked out once for each work: the filter and the order of the queue both look at it."""
    if "click fit" not in work.cache:
        answers = _shared_answers(work)
        lines, clicks = _unread(answers, len(work))
        work.cache["click fit"] = _ClickFit(answers, lines, clicks, _over(answers.assignment, answers, lines, clicks))
    fit: _ClickFit = work.cache["click fit"]
    return fit


def _shared_answers(work: Work) -> _SharedAnswers:
    rows, _ = by_others(work)
    labels = max(2, len(work.codes))
    text, label = np.unique(work.lines.text[rows], return_inverse=True)[1], work.lines.label[rows]
    texts = int(text.max(initial=-1)) + 1
    counts = counted(text * labels + label, texts * labels).reshape(texts, labels)
    different, row_of, times = unique_counts(counts)
    predicted = _predicted(fit_places(different, times).places_without_each(different), labels)
    return _SharedAnswers(work.lines.assignment[rows], label, row_of[text] * labels + label, predicted, labels)


def _unread(answers: _SharedAnswers, size: int) -> tuple[Floats, Floats]:
    """Log likelihoods of a straight line and of clicking, by assignment."""
    clicks = -counted(answers.assignment, size) * np.log(answers.labels)
    return _straight_line(answers.assignment, answers.label, size, answers.labels), clicks


def _over(by: Ints, answers: _SharedAnswers, lines: Floats, clicks: Floats) -> Floats:
    """Either way of not reading, alike likely, over reading. by: (rows,) whose answers share a bias and a noise."""
    unread = np.logaddexp(lines, clicks) - np.log(2)
    return np.asarray(unread - _reading(by, answers, unread))


def _reading(by: Ints, answers: _SharedAnswers, unread: Floats) -> Floats:
    """(size,) log likelihood of a reader's answers. The usual noise is the study's own."""
    weights = np.exp(-0.5 * (BIASES / 0.5) ** 2)
    prior = np.log(weights / weights.sum())
    by_noise = np.empty((len(NOISES), len(unread)))
    for i in range(len(NOISES)):
        logs = np.empty((len(BIASES), len(unread)))
        for j in range(len(BIASES)):
            logs[j] = prior[j] + counted(by, len(unread), answers.predicted[i, j][answers.at])
        by_noise[i] = log_sum(logs)
    # Of all usual noises the one under which the whole study is likeliest; people lie around it.
    by_usual_noise = [
        log_sum(by_noise[at : at + len(AROUND)] + np.log(AROUND)[:, None]) for at in range(len(NOISES) - 2)
    ]
    log_totals = [
        np.logaddexp(readers + np.log(1 - UNREAD), unread + np.log(UNREAD)).sum() for readers in by_usual_noise
    ]
    return by_usual_noise[int(np.argmax(log_totals))]


def _predicted(places: Floats, labels: int) -> Floats:
    """(noises, biases, lines) log-probability that such a reader gives the label in each line's turn."""
    readers = [label_chances(place_grid(labels) + bias, noise, labels) for noise in NOISES for bias in BIASES]
    chances = np.empty((len(readers), len(places)))
    for label in range(labels):
        by_reader = np.column_stack([chance[:, label] for chance in readers])
        chances[:, label::labels] = (places[label::labels] @ by_reader).T
    return np.log(np.maximum(chances, MIN_CHANCE)).reshape(len(NOISES), len(BIASES), len(places))


def _straight_line(assignment: Ints, label: Ints, size: int, labels: int) -> Floats:
    """Log likelihood of a straight line of some label, by assignment."""
    counts = counted(assignment * labels + label, size * labels).reshape(size, labels)
    n, other = counts.sum(axis=1, keepdims=True), (1 - STRAIGHT) / labels
    logs = counts * np.log(STRAIGHT + other) + (n - counts) * np.log(other)
    return log_sum(logs.T) - np.log(labels)
