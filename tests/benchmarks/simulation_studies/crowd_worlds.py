"""Simulated crowds of which everything is known: honest workers and five kinds that do not read.

Labels come from the rehearsal world's readers. The rest is assumed here and printed with the tables: how long people
take, how often honest people paste, copy, write little or repeat themselves. A crowd of other habits has other rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, ndtr

from annotation.quality.work_table import ITEM, Lines, Reasons, Work
from annotation.rehearsal import judges
from annotation.rehearsal.world import World, allot_raters
from annotation.rehearsal.world.raters import BIAS, COMPETENCE, NOISE

KINDS = ("honest", "straight-liner", "random clicker", "too fast", "copier", "paster")
PER_HIT, HITS, SPAM = 20, 8, 0.10
WORD_SECONDS, THINKING, PACE_SD = 60 / 238, 2.0, 0.5  # honest time on a text: lognormal around reading and thinking
FAST_SECONDS, FAST_SD = 0.7, 0.3
STRAIGHT = 0.97  # of a straight-liner's answers are the one label
PASTES, COPIES = {"honest": 0.03, "paster": 0.97}, {"honest": 0.02, "copier": 0.95}
SHORT, LAZY = 0.05, 0.01  # honest reasons of a word or two; that say what many say
HOW, WHAT = ("", "very", "seems", "too", "kind of"), ("odd", "fine", "real", "clumsy", "plain", "likely", "strange")
STOCK = "It reads like something a person would write."
OPENINGS = ("I think", "To me", "It seems", "My feeling is", "I would say", "For what it is worth", "Somehow")
CLAIMS = (
    "the words do not fit", "it is true to life", "this is too odd to be real", "the order of words is wrong",
    "a paper would print it", "it says nothing at all", "the names are right", "nobody would put it that way",
)  # fmt: skip
ENDS = (
    "because of the verb", "as I read a lot of news", "but I am not sure", "when I read it twice", "at least for me",
    "given the place it names", "and that settled it", "though the start is fine", "which is rare",
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A design: texts in a HIT, the kinds of spammer in it, whether answers are explained, labels of the scale."""

    name: str
    texts: int
    kinds: tuple[str, ...]
    reasons: bool
    labels: int


TYPICALITY = Setting("25-item typicality HITs", 25, KINDS[1:4], False, 6)
EXPLAINED = Setting("5-item HITs with reasons", 5, KINDS[1:], True, 4)


@dataclass(frozen=True)
class Made:
    """One study: the work as filters see it, who is what (by assignment), and the oracle's score (higher: spam).

    beside: by person, what speaks for a kind of spam over honest work beside the labels, in log odds.
    """

    work: Work
    kind: np.ndarray
    oracle: np.ndarray
    beside: Mapping[str, np.ndarray]


def study(setting: Setting, world: World, rng: np.random.Generator) -> Made:
    """8 HITs, 20 workers each, from a crowd a tenth of which are spammers, as many of each kind as can be."""
    people = len(setting.kinds) * 20
    spammers = round(SPAM * people)
    kinds = np.array(
        [0] * (people - spammers) + [KINDS.index(setting.kinds[i % len(setting.kinds)]) for i in range(spammers)]
    )
    rng.shuffle(kinds)
    bodies = [
        *world.sample_references(HITS * setting.texts // 2, rng),
        *world.sample_model(HITS * setting.texts // 2, 1.0, rng),
    ]
    order = rng.permutation(len(bodies)).reshape(HITS, setting.texts)
    worker = allot_raters(HITS, people, PER_HIT, rng).ravel()
    text = np.repeat(order, PER_HIT, axis=0)
    skill = _skills(setting, people, rng)
    doubt = centre(setting, world.features(bodies).impression)
    kind = kinds[worker]
    label = _labels(setting, kind, doubt[text], skill[worker], rng)
    words = np.array([len(body.split()) for body in bodies])
    ms, slow = _pace(kind, words[text], rng)
    told, keys, told_odds = _told(setting, kind, text, bodies, rng)
    odds = np.column_stack([_pace_odds(ms, slow), told_odds]).T
    beside = {name: _of_worker(worker, one) for name, one in zip(("too fast", "copier", "paster"), odds, strict=True)}
    work = _work(setting, worker, text, label, words, ms=ms, keys=keys, told=told, bodies=bodies)
    return Made(work, kind, _oracle(setting, worker, _label_odds(setting, label, doubt[text], worker), beside), beside)


def centre(setting: Setting, impression: np.ndarray) -> np.ndarray:
    """Where a text lies on the scale of labels 0.. for an unbiased reader."""
    if setting.labels == 6:
        return impression
    return (len(judges.CUTS)) / 2 + judges.SKILL["instructions"] * (judges.USUAL - impression)


def _skills(setting: Setting, people: int, rng: np.random.Generator) -> np.ndarray:
    """Bias and noise of each person, in steps of the scale."""
    if setting.labels == 6:
        return np.stack([rng.normal(0, BIAS, people), NOISE / rng.uniform(*COMPETENCE, people)], axis=1)
    return np.stack([rng.normal(0, 0.5, people), np.ones(people)], axis=1)


def _labels(
    setting: Setting, kind: np.ndarray, centre: np.ndarray, skill: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    perceived = centre + skill[:, :1] + skill[:, 1:] * rng.standard_normal(centre.shape)
    honest = np.clip(np.floor(perceived + 0.5), 0, setting.labels - 1).astype(np.int64)
    clicks = rng.integers(0, setting.labels, centre.shape)
    one = np.where(rng.random(centre.shape) < STRAIGHT, rng.integers(0, setting.labels, (len(kind), 1)), clicks)
    straight = kind == KINDS.index("straight-liner")
    clicking = np.isin(kind, [KINDS.index("random clicker"), KINDS.index("too fast")])
    return np.where(straight[:, None], one, np.where(clicking[:, None], clicks, honest))


def _pace(kind: np.ndarray, words: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds on each text, and the honest median in seconds."""
    slow = THINKING + words * WORD_SECONDS
    honest = slow * np.exp(PACE_SD * rng.standard_normal(words.shape))
    fast = FAST_SECONDS * np.exp(FAST_SD * rng.standard_normal(words.shape))
    return 1000 * np.where((kind == KINDS.index("too fast"))[:, None], fast, honest), slow


def _told(
    setting: Setting, kind: np.ndarray, text: np.ndarray, bodies: Sequence[str], rng: np.random.Generator
) -> tuple[list[list[str]] | None, np.ndarray, np.ndarray]:
    """Reasons, key presses, and log odds (assignments, 2) of copying and of pasting against the honest habit."""
    if not setting.reasons:
        return None, np.full(text.shape, np.nan), np.zeros((len(kind), 2))
    told = [[_reason(rng, bodies[t]) for t in row] for row in text]
    copies = _habit(kind, text.shape, COPIES, "copier", rng)
    pastes = _habit(kind, text.shape, PASTES, "paster", rng)
    told = [
        [bodies[t] if c else one for t, c, one in zip(*rows, strict=True)]
        for rows in zip(text, copies, told, strict=True)
    ]
    length = np.array([[len(one) for one in row] for row in told])
    keys = np.where(pastes, rng.integers(0, 4, text.shape), np.rint(length * rng.uniform(1.0, 1.3, text.shape)))
    odds = (
        _habit_odds(copies, COPIES["copier"], COPIES["honest"]),
        _habit_odds(pastes, PASTES["paster"], PASTES["honest"]),
    )
    return told, keys, np.stack(odds, axis=1)


def _habit(
    kind: np.ndarray, shape: tuple[int, int], chance: dict[str, float], name: str, rng: np.random.Generator
) -> np.ndarray:
    often = np.where(kind == KINDS.index(name), chance[name], chance["honest"])
    return rng.random(shape) < often[:, None]


def _habit_odds(seen: np.ndarray, spam: float, honest: float) -> np.ndarray:
    each = np.where(seen, np.log(spam / honest), np.log((1 - spam) / (1 - honest)))
    return np.asarray(each.sum(axis=1))


def _reason(rng: np.random.Generator, body: str) -> str:
    roll = rng.random()
    if roll < SHORT:
        return f"{rng.choice(HOW)} {rng.choice(WHAT)}".strip()
    if roll < SHORT + LAZY:
        return STOCK
    word = body.split()[int(rng.integers(len(body.split())))]
    said = f"{rng.choice(OPENINGS)} {rng.choice(CLAIMS)} near “{word}” {rng.choice(ENDS)}"
    return f"{said}, {int(rng.integers(1, 10))} of 10."


def _label_odds(setting: Setting, label: np.ndarray, place: np.ndarray, worker: np.ndarray) -> np.ndarray:
    """(2, workers): log likelihood of straight lines and of clicking, over that of reading (all parts known)."""
    parts = []
    for bias, noise, weight in styles(setting):
        each = np.log(np.maximum(chances(setting, label, place + bias, noise), 1e-300))
        parts.append(np.log(weight) + _of_worker(worker, each.sum(axis=1)))
    unread = np.stack([lines_odds(setting, label, worker), clicks_odds(setting, label, worker)])
    return unread - logsumexp(parts, axis=0)


def styles(setting: Setting) -> list[tuple[float, float, float]]:
    """Biases and noises that readers may have, in steps of the scale, and the chance of each pair."""
    biases, noises = np.linspace(-3, 3, 13), [1.0]
    sd = BIAS if setting.labels == 6 else 0.5
    if setting.labels == 6:
        noises = [NOISE / c for c in np.linspace(*COMPETENCE, 5)]
    prior = np.exp(-0.5 * biases**2)
    prior /= prior.sum() * len(noises)
    return [(bias, noise, weight) for noise in noises for bias, weight in zip(biases * sd, prior, strict=True)]


def chances(setting: Setting, label: np.ndarray, place: np.ndarray, noise: float) -> np.ndarray:
    """The chance that a reader whose impressions lie around `place` gives each label."""
    low = np.where(label == 0, 0.0, ndtr((label - 0.5 - place) / noise))
    return np.asarray(np.where(label == setting.labels - 1, 1.0, ndtr((label + 0.5 - place) / noise)) - low)


def lines_odds(setting: Setting, label: np.ndarray, worker: np.ndarray) -> np.ndarray:
    """By person, log likelihood of labels (assignments, texts) that are straight lines."""
    same = np.stack([(label == one).sum(axis=1) for one in range(setting.labels)])
    n, k = label.shape[1], setting.labels
    lines = np.log(STRAIGHT + (1 - STRAIGHT) / k) * same + np.log((1 - STRAIGHT) / k) * (n - same)
    return _of_worker(worker, logsumexp(lines, axis=0) - np.log(k))


def clicks_odds(setting: Setting, label: np.ndarray, worker: np.ndarray) -> np.ndarray:
    """By person, log likelihood of labels that are clicks."""
    return _of_worker(worker, np.full(len(label), -label.shape[1] * np.log(setting.labels)))


def _of_worker(worker: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sums over the assignments of each worker: bias, noise and kind are a person's."""
    return np.bincount(worker, weights=values)


def _pace_odds(ms: np.ndarray, slow: np.ndarray) -> np.ndarray:
    """(assignments,): log likelihood of the fast pace over the honest one."""
    t = np.log(ms / 1000)
    fast = -0.5 * ((t - np.log(FAST_SECONDS)) / FAST_SD) ** 2 - np.log(FAST_SD)
    honest = -0.5 * ((t - np.log(slow)) / PACE_SD) ** 2 - np.log(PACE_SD)
    return np.asarray((fast - honest).sum(axis=1))


def _oracle(setting: Setting, worker: np.ndarray, odds: np.ndarray, beside: Mapping[str, np.ndarray]) -> np.ndarray:
    """Log odds of any kind of spam, all kinds alike likely, by the very laws that made all of a person's work."""
    straight, clicks = odds
    laws = {**beside, "straight-liner": straight, "random clicker": clicks, "too fast": clicks + beside["too fast"]}
    return np.asarray(logsumexp([laws[kind] for kind in setting.kinds], axis=0)[worker])


def _work(
    setting: Setting,
    worker: np.ndarray,
    text: np.ndarray,
    label: np.ndarray,
    words: np.ndarray,
    *,
    ms: np.ndarray,
    keys: np.ndarray,
    told: list[list[str]] | None,
    bodies: Sequence[str],
) -> Work:
    n, size = text.shape
    zero, none = np.zeros(n, dtype=np.int64), np.full(n * size, np.nan)
    rows = Reasons(np.arange(n * size if told else 0), [one for row in told or [] for one in row])
    columns = {"text": text, "label": label, "code": label.astype(float), "words": words[text], "active_ms": ms}
    lines = Lines(
        assignment=np.repeat(np.arange(n), size), role=np.full(n * size, ITEM), known=np.full(n * size, -1),
        pastes=none, keystrokes=keys.ravel(), **{name: column.ravel() for name, column in columns.items()},
    )  # fmt: skip
    seconds = ms.sum(axis=1) / 1000 + 20
    return Work(
        worker=worker, cell=zero, work_seconds=seconds, unanswered=zero, checks=zero, checks_passed=zero, practice=zero,
        practice_right=zero, device=zero - 1, lines=lines, reasons=rows, bodies=list(bodies),
        codes=[float(k) for k in range(setting.labels)],
    )  # fmt: skip
