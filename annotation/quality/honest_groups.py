"""Honest people who work unlike most, simulated for a study's design: whom a rule would wrong is counted on them.

All of them read. Their habits are assumed: terse explanations, dictation (text without key presses), a second language
(slower, explains in it), a screen reader (hears all texts, then answers in a row), very slow and very fast reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.pricing.wages import WORDS_A_MINUTE
from annotation.quality.work_table import ITEM, Floats, Ints, Lines, Reasons, Work

GROUPS = ("terse", "dictating", "second_language", "screen_reader", "very_slow", "very_fast")
PEOPLE = 50  # of each group
OTHERS = 100
TASKS = 4
EXPLAINED = 5  # every fifth text is explained
TERSE = ("odd", "fine", "too neat", "plausible")
FOREIGN = ("das", "klingt", "seltsam", "weil", "niemand", "heute", "etwas", "schreibt", "und", "nicht")
PLAIN = ("I", "think", "that", "the", "words", "are", "in", "an", "odd", "order", "here", "and", "it", "is", "not")
DECIDING_SECONDS = 2.0
NOISE, FOREIGN_NOISE = 0.18, 0.22 / 0.18


@dataclass(frozen=True, slots=True)
class HonestCrowd:
    """group: (assignments,) name of GROUPS, "" for the others; each person has one assignment."""

    work: Work
    group: Sequence[str]


def simulate_honest_people(words: Sequence[int], *, per_task: int, labels: int, seed: int = 26) -> HonestCrowd:
    """Simulate honest people who read texts of these lengths.

    Args:
        words: of the study's texts, at least one.
        per_task: texts in a task.
        labels: of the scale, at least 2.
    """
    rng = np.random.default_rng(seed)
    group = [name for name in GROUPS for _ in range(PEOPLE)] + [""] * OTHERS
    length = rng.choice(np.asarray(words, dtype=np.int64), TASKS * per_task)
    impression = rng.uniform(0, labels - 1, TASKS * per_task)
    text = np.stack([rng.permutation(per_task) + (i % TASKS) * per_task for i in range(len(group))])
    return HonestCrowd(
        simulate_readers(group, text, length=length, impression=impression, labels=labels, rng=rng), group
    )


def simulate_readers(
    group: Sequence[str], text: Ints, *, length: Ints, impression: Floats, labels: int, rng: np.random.Generator
) -> Work:
    """Simulate the work of honest people, each with one assignment.

    Args:
        group: of each person, name of GROUPS or "".
        text: (people, texts in a task) row of each text, in the order met.
        length: (texts,) words.
        impression: (texts,) what people read on average, in labels from 0.
        labels: of the scale, at least 2.
    """
    label = read_labels(group, text, impression=impression, labels=labels, rng=rng)
    return work_of(group, text, label, length=length, labels=labels, rng=rng)


def read_labels(
    group: Sequence[str],
    text: Ints,
    *,
    impression: Floats,
    labels: int,
    rng: np.random.Generator,
    noise: float = NOISE,
) -> Ints:
    """(people, texts in a task) labels as `simulate_readers`. noise: of a reading, in ranges of the scale."""
    noises = np.where(np.array(group) == "second_language", FOREIGN_NOISE, 1.0)[:, None] * noise * labels
    read = impression[text] + rng.normal(0, 0.07 * labels, (len(group), 1)) + noises * rng.standard_normal(text.shape)
    return np.asarray(np.clip(np.rint(read), 0, labels - 1).astype(np.int64))


def work_of(
    group: Sequence[str], text: Ints, label: Ints, *, length: Ints, labels: int, rng: np.random.Generator
) -> Work:
    """The work of honest people who gave these labels: their times and explanations. See `simulate_readers`."""
    seconds = np.stack([_seconds(name, length[row], rng) for name, row in zip(group, text, strict=True)])
    return _work(group, text, label, seconds, length=length, labels=labels, rng=rng)


def _seconds(group: str, words: Ints, rng: np.random.Generator) -> Floats:
    reading = words / WORDS_A_MINUTE * 60
    usual = (DECIDING_SECONDS + reading) * np.exp(rng.normal(0, 0.35, len(words)) + rng.normal(0, 0.25))
    match group:
        case "second_language":
            return np.asarray(usual * 1.6)
        case "screen_reader":
            listening = float(reading.sum()) * 0.75 + 10
            return np.concatenate([[listening], rng.uniform(0.8, 2.5, len(words) - 1)])
        case "very_slow":
            return np.asarray(usual * 4)
        case "very_fast":
            return np.asarray((0.6 + reading * 0.6) * np.exp(rng.normal(0, 0.25, len(words))))
    return np.asarray(usual)


def _work(
    group: Sequence[str],
    text: Ints,
    label: Ints,
    seconds: Floats,
    *,
    length: Ints,
    labels: int,
    rng: np.random.Generator,
) -> Work:
    people, per_task = text.shape
    explained = np.arange(people * per_task).reshape(text.shape)[:, ::EXPLAINED]
    keys, pastes = np.full(text.size, np.nan), np.full(text.size, np.nan)
    bodies = []
    for name, rows in zip(group, explained, strict=True):
        for row in rows.tolist():
            body, keys[row] = _explanation(name, rng)
            pastes[row] = 0
            bodies.append(body)
    zero = np.zeros(people, dtype=np.int64)
    lines = Lines(
        assignment=np.repeat(np.arange(people), per_task),
        text=text.ravel(),
        label=label.ravel(),
        code=label.ravel().astype(np.float64),
        role=np.full(text.size, ITEM),
        known=np.full(text.size, -1),
        words=length[text.ravel()],
        active_ms=1000 * seconds.ravel(),
        pastes=pastes,
        keystrokes=keys,
    )
    away = np.where(np.array(group) == "very_slow", 3.0, 1.2)
    return Work(
        worker=np.arange(people),
        cell=zero,
        work_seconds=seconds.sum(axis=1) * away,
        unanswered=zero,
        checks=zero,
        checks_passed=zero,
        practice=zero,
        practice_right=zero,
        device=zero - 1,
        lines=lines,
        reasons=Reasons(explained.ravel(), bodies),
        bodies=[" ".join(["word"] * int(n)) for n in length],
        codes=[float(code) for code in range(labels)],
    )


def _explanation(group: str, rng: np.random.Generator) -> tuple[str, float]:
    """An explanation and its key presses."""
    if group == "terse":
        body = str(rng.choice(TERSE))
    else:
        body = " ".join(rng.choice(FOREIGN if group == "second_language" else PLAIN, rng.integers(6, 12)))
    return body, 0.0 if group == "dictating" else float(len(body))
