"""The second set of crowds, for measuring alone: the same kinds of people, described by other laws.

Readers choose between ordered labels by personal thresholds with logistic noise (Samejima 1969), some prefer the ends
or the middle of the scale (Paulhus 1991), a tenth of the texts can be read in two ways, and everybody lapses now and
then. Clickers have favorite labels or go up and down the scale (the patterns of Curran 2016), straight-liners change
their label once, copiers copy more or less, tiring is a slow loss of attention (Bowling et al. 2021), and a language
model says what most people say, but hardly ever an end of the scale. Size, scale, share of bad work and pace differ
from study to study.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.benchmarks.people_at_work.records import BAD_KINDS, GROUPS, HONEST, Crowd

TEXTS = 25
DOUBTFUL = 0.1
NAMES = ("kind", "group", "partner", "household")
PAIRED = ("colluding pair", "two accounts")


@dataclass
class Worker:
    """One simulated person of a study."""

    kind: str
    group: str
    tasks: list[int]
    cuts: np.ndarray
    sharpness: float
    lapse: float
    speed: float
    partner: int = -1
    household: int = -1
    device: int = -1
    habit: dict[str, float] = field(default_factory=dict)
    weights: np.ndarray = field(default_factory=lambda: np.ones(1))
    said: dict[int, int] = field(default_factory=dict)


def draw(seed: int) -> Crowd:
    """One study of 12 to 18 HITs of 25 texts, 10 to 20 people each, 8 to 25 % of them careless."""
    rng = np.random.default_rng((62, seed))
    labels, hits, per_hit = int(rng.choice([4, 5, 6, 7])), int(rng.integers(12, 19)), int(rng.integers(10, 21))
    where = rng.standard_normal((hits * TEXTS, 1)) * np.ones((1, 2))
    doubtful = rng.random(len(where)) < DOUBTFUL
    where[doubtful, 1] += rng.choice([-1.8, 1.8], int(doubtful.sum()))
    length = np.maximum(4, rng.poisson(rng.uniform(12, 35), len(where)))
    workers = _workers(labels, hits, per_hit, rng)
    usual = where.mean(axis=1) + rng.normal(0, 0.5, len(where))
    rows: dict[str, list] = {name: [] for name in ("person", "hit", "accepted", "seconds", "device")}
    lines: dict[str, list] = {name: [] for name in ("assignment", "text", "label", "active")}
    reasons: list[tuple[int, str, int, int]] = []
    for p, worker in enumerate(workers):
        clock = rng.uniform(0, 40_000) + 50_000 * (0 <= worker.partner < p)
        for h in worker.tasks:
            shown = h * TEXTS + rng.permutation(TEXTS)
            attention = _attention(worker, rng)
            read = np.array([_read(worker, where[t], rng) for t in shown])
            label = _answers(worker, shown, read, usual, attention=attention, workers=workers, rng=rng)
            worker.said |= {int(t): int(k) for t, k in zip(shown, label, strict=True)}
            active = _pace(worker, length[shown], attention, rng)
            spent = active.sum() * (3.0 if worker.group == "very slow" else 1.1) + 20
            for name, value in (
                ("person", p),
                ("hit", h),
                ("accepted", clock),
                ("seconds", spent),
                ("device", worker.device),
            ):
                rows[name].append(value)
            at = len(lines["text"])
            for name, column in (
                ("assignment", [len(rows["hit"]) - 1] * TEXTS),
                ("text", shown),
                ("label", label),
                ("active", active),
            ):
                lines[name].extend(column)
            reasons += [_remark(worker, at + i, rng) for i in (3, 11, 19)]
            clock += spent + rng.exponential(900)
    return Crowd(
        labels,
        [" ".join(["word"] * int(n)) for n in length],
        *(np.array(column) for column in rows.values()),
        *(np.array(column) for column in lines.values()),
        reasons,
        *(np.array([getattr(worker, name) for worker in workers]) for name in NAMES),
    )


def _workers(labels: int, hits: int, per_hit: int, rng: np.random.Generator) -> list[Worker]:
    free = np.full(hits, per_hit)
    workers: list[Worker] = []

    def join(kind: str, group: str, tasks: list[int]) -> Worker:
        worker = _person(kind, group, tasks, labels, rng)
        worker.device = len(workers)
        free[tasks] -= 1
        workers.append(worker)
        return worker

    bad = rng.uniform(0.08, 0.25) * hits * per_hit / 3.5
    while len(workers) < bad:
        kind = str(rng.choice(BAD_KINDS))
        first = join(kind, "", _tasks(free, rng))
        if kind in PAIRED:
            second = join(kind, "", first.tasks)
            first.partner, second.partner = len(workers) - 1, len(workers) - 2
            if kind == "two accounts":
                second.cuts, second.sharpness = first.cuts, first.sharpness
                second.device = first.device if rng.random() < 0.9 else second.device
    groups = list(GROUPS) * 2
    while free.sum() > 0 and len(tasks := _tasks(free, rng)):
        worker = join(HONEST, groups.pop() if groups else "", tasks)
        if worker.group == "" and rng.random() < 0.04 and workers[-2].kind == HONEST and workers[-2].household < 0:
            worker.device = workers[-2].device
            worker.household = workers[-2].household = len(workers)
    return workers


def _tasks(free: np.ndarray, rng: np.random.Generator) -> list[int]:
    most = np.argsort(-(free + rng.random(len(free))))[: rng.integers(2, 6)]
    return [int(h) for h in most if free[h] > 0]


def _person(kind: str, group: str, tasks: list[int], labels: int, rng: np.random.Generator) -> Worker:
    width = rng.choice([0.65, 1.0, 1.0, 1.0, 1.5])  # prefers the ends, neither, the middle
    cuts = np.linspace(-1.7, 1.7, labels - 1) * width + rng.normal(0, 0.35) + rng.normal(0, 0.12, labels - 1)
    worker = Worker(
        kind,
        group,
        tasks,
        np.sort(cuts),
        float(rng.uniform(1.5, 3.0) * (0.85 if group == "second language" else 1)),
        float(rng.beta(1, 40)),
        float(np.exp(rng.normal(0, 0.35))),
    )
    worker.weights = rng.dirichlet(np.full(labels, 4.0))
    worker.habit = {
        "zigzag": float(rng.random() < 0.25),
        "copies": rng.uniform(0.8, 1.0),
        "remembers": rng.uniform(0.6, 0.9),
        "half": rng.integers(8, 17),
        "drop": rng.uniform(1, 5),
        "one": rng.integers(0, labels),
        "two": rng.integers(0, labels),
        "aloud": float(rng.random() < 0.5),
    }
    return worker


def _read(worker: Worker, where: np.ndarray, rng: np.random.Generator) -> int:
    if rng.random() < worker.lapse:
        return int(rng.integers(0, len(worker.cuts) + 1))
    return int((where[rng.integers(0, 2)] + rng.logistic(0, 1 / worker.sharpness) > worker.cuts).sum())


def _attention(worker: Worker, rng: np.random.Generator) -> np.ndarray:
    """(texts,) the chance that the text is read."""
    if worker.kind != "tiring":
        return np.ones(TEXTS)
    return np.asarray(
        1 / (1 + np.exp((np.arange(TEXTS) - worker.habit["half"] - rng.normal(0, 1)) / worker.habit["drop"]))
    )


def _answers(worker, shown, read, usual, *, attention, workers, rng):  # type: ignore[no-untyped-def]
    n, labels = len(shown), len(worker.cuts) + 1
    clicks = rng.choice(labels, n, p=worker.weights)
    if worker.kind in PAIRED and workers[worker.partner].said:
        chance = worker.habit["copies" if worker.kind == "colluding pair" else "remembers"]
        before = np.array([workers[worker.partner].said[int(t)] for t in shown])
        return np.where(rng.random(n) < chance, before, read)
    if worker.kind in ("fast clicker", "slow clicker"):
        up = (np.arange(n) + int(worker.habit["one"])) % (2 * labels - 2)
        return np.where(up < labels, up, 2 * labels - 2 - up) if worker.habit["zigzag"] else clicks
    if worker.kind == "straight-liner":
        line = np.where(np.arange(n) < n * 0.6, worker.habit["one"], worker.habit["two"]).astype(int)
        return np.where(rng.random(n) < 0.04, clicks, line)
    if worker.kind == "reversed scale":
        return labels - 1 - read
    if worker.kind == "model-like":
        middle = np.linspace(-1.7, 1.7, labels - 1) * 1.4
        said = (usual[shown][:, None] + rng.normal(0, 0.12, (n, 1)) > middle).sum(axis=1)
        return np.clip(said, 1, labels - 2) if labels > 4 else said
    return np.where(rng.random(n) < attention, read, clicks)


def _pace(worker: Worker, length: np.ndarray, attention: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    reading = worker.speed * (1.5 + length / rng.uniform(3.5, 4.5)) * rng.gamma(8, 1 / 8, len(length))
    if worker.kind == "fast clicker":
        return rng.gamma(4, 0.2, len(length)) + 0.2
    if worker.kind == "straight-liner":
        return rng.gamma(4, 0.4, len(length)) + 0.3
    if worker.kind == "model-like":
        return 5 + rng.gamma(3, 1.5, len(length))
    if worker.kind == "tiring":
        return reading * np.where(attention > 0.5, 1, rng.uniform(0.4, 1))
    return _pace_of_group(worker, length, reading, rng)


def _pace_of_group(worker: Worker, length: np.ndarray, reading: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    match worker.group:
        case "very fast":
            return 0.5 + length / 6.5 * rng.gamma(12, 1 / 12, len(length))
        case "very slow":
            return reading * 4
        case "second language":
            return reading * 1.6
        case "screen reader" if worker.habit["aloud"]:
            return 3 + length / 5.5 + rng.gamma(2, 2, len(length))
        case "screen reader":
            heard = length.sum() / 5.5
            return np.concatenate([[heard], rng.uniform(1, 3, len(length) - 1)])
    return reading


def _remark(worker: Worker, line: int, rng: np.random.Generator) -> tuple[int, str, int, int]:
    size = int(rng.integers(5, 12))
    words = (
        ("ok", "good") if worker.group == "terse" else ("I", "find", "this", "rather", "strange", "and", "not", "so")
    )
    if worker.group == "second language":
        words = ("ich", "finde", "das", "ein", "wenig", "zu", "lang", "nicht", "gut")
    body = " ".join(rng.choice(words, 1 if worker.group == "terse" else size))
    typed = 0 if worker.group == "dictating" or worker.kind == "model-like" else len(body) + int(rng.integers(0, 6))
    return line, body, typed, int(worker.kind == "model-like")
