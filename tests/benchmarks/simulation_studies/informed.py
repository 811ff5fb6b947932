"""The most that can be known of a simulated crowd by its answers: all of its laws, but not where the texts lie.

The chance that somebody does not read, given the whole study: places of texts, biases and noises of people and kinds of
people are drawn in turn from their exact conditional distributions (Gibbs sampling), and the chances averaged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from annotation.rehearsal.world import World
from tests.benchmarks.simulation_studies.crowd_worlds import (
    SPAM,
    Made,
    Setting,
    centre,
    chances,
    clicks_odds,
    lines_odds,
    styles,
)

PLACES = 61
HEADLINES = 20_000  # of each source, by which the places of texts are known before anybody answers
SWEEPS, FIRST = 400, 30
LEAST = 1e-12


@dataclass(frozen=True)
class Laws:
    """What is known beforehand. label: (labels, styles, places) and style: (styles,), place: (places,) logs of chances
    of a reader's label, of a reader's bias and noise, and of a text's place."""

    label: np.ndarray
    style: np.ndarray
    place: np.ndarray


@dataclass(frozen=True)
class Answers:
    """(answers,) person, text and label of each; order: of the answers by person and by text, and where each begins."""

    person: np.ndarray
    text: np.ndarray
    label: np.ndarray
    by_person: tuple[np.ndarray, np.ndarray]
    by_text: tuple[np.ndarray, np.ndarray]


def laws(setting: Setting, world: World, rng: np.random.Generator) -> Laws:
    """The laws of such studies."""
    grid = np.linspace(-2, setting.labels + 1, PLACES)
    bodies = [*world.sample_references(HEADLINES, rng), *world.sample_model(HEADLINES, 1.0, rng)]
    edges = [-np.inf, *(grid[1:] + grid[:-1]) / 2, np.inf]
    lie = np.histogram(centre(setting, world.features(bodies).impression), bins=edges)[0] + LEAST
    given = styles(setting)
    label = [
        [chances(setting, np.full(PLACES, one), grid + bias, noise) for bias, noise, _ in given]
        for one in range(setting.labels)
    ]
    weights = np.array([weight for *_, weight in given])
    return Laws(np.log(np.maximum(label, LEAST)), np.log(weights), np.log(lie / lie.sum()))


def informed(setting: Setting, made: Made, known: Laws, rng: np.random.Generator, sweeps: int = SWEEPS) -> np.ndarray:
    """(assignments,) the chance that its worker is of any kind of spam."""
    answers = _answers(made)
    unread, reads, reads_spam = _kinds(setting, made)
    place = _drawn(_first(setting, known, answers), rng)
    total = np.zeros(len(unread))
    for sweep in range(FIRST + sweeps):
        # (people, styles), then with the style summed out
        joint = known.style + _sums(known.label[answers.label, :, place[answers.text]], answers.by_person)
        reading = logsumexp(joint, axis=1)
        whole = np.logaddexp(unread, reads + reading)
        if sweep >= FIRST:
            total += np.exp(np.logaddexp(unread, reads_spam + reading) - whole)
        looks = np.log(rng.random(len(whole))) < reads + reading - whole
        said = known.label[answers.label, _drawn(joint, rng)[answers.person]] * looks[answers.person, None]
        place = _drawn(known.place + _sums(said, answers.by_text), rng)
    return np.asarray((total / sweeps)[made.work.worker])


def _answers(made: Made) -> Answers:
    """Of people who took part: every one of them gave an answer, and every text had one."""
    lines = made.work.lines
    person = made.work.worker[lines.assignment]
    return Answers(person, lines.text, lines.label, _stretches(person), _stretches(lines.text))


def _stretches(of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(of, kind="stable")
    return order, np.searchsorted(of[order], np.arange(of.max() + 1))


def _sums(values: np.ndarray, by: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    order, begins = by
    return np.asarray(np.add.reduceat(values[order], begins, axis=0))


def _kinds(setting: Setting, made: Made) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By person, logs: all kinds that do not read; all that read, up to the labels; those of them that are spam."""
    share, beside = np.log(SPAM / len(setting.kinds)), made.beside
    label = made.work.lines.label.reshape(len(made.kind), -1)
    clicks = clicks_odds(setting, label, made.work.worker)
    own = {"straight-liner": lines_odds(setting, label, made.work.worker), "random clicker": clicks}
    own["too fast"] = clicks + beside["too fast"]
    unread = logsumexp([share + own[kind] for kind in setting.kinds if kind in own], axis=0)
    spam = [share + beside[kind] for kind in setting.kinds if kind not in own] or [np.full(len(unread), -np.inf)]
    return unread, logsumexp([np.full(len(unread), np.log(1 - SPAM)), *spam], axis=0), logsumexp(spam, axis=0)


def _first(setting: Setting, known: Laws, answers: Answers) -> np.ndarray:
    """(texts, places) logs, up to a constant: what the answers tell if each were of somebody else."""
    anybody = np.exp(logsumexp(known.label + known.style[:, None], axis=1))
    mixed = np.log((1 - SPAM) * anybody + SPAM / setting.labels)
    return np.asarray(known.place + _sums(mixed[answers.label], answers.by_text))


def _drawn(logs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One column of each row, by logs of chances up to a constant (Gumbel's way)."""
    return np.asarray(np.argmax(logs + rng.gumbel(size=logs.shape), axis=1))
