"""What the intervals of evaluators' accuracy are worth: coverage in simulated studies.

    python -m tests.benchmarks.coverage_accuracy [studies] [world ...]

With 60 judgments near 1 coverage moves in steps (84, then 95 %, where 90 is stated): the counts allow nothing between.

A judgment is right with probability expit(skill + ease): skills of evaluators and ease of items are normal. Every
evaluator judges so many of the items, drawn at random. Two targets: `these items` is the expectation over new
evaluators given the items of the study; `new items` is the expectation over both. Measures whose interval is for new
evaluators are held against the first, `accuracy_crossed` against the second; `accuracy_item` is for new items and the
study's own evaluators, each counting by the judgments he or she made.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics.data.evaluator_judgments import Judgments
from metrics.evaluators.accuracy import measure_accuracy

LEVELS = (0.95, 0.90)
MEASURES = {
    "accuracy": "these items",
    "accuracy_pooled": "these items",
    "recall": "these items",
    "f1": "these items",
    "accuracy_crossed": "new items",
    "accuracy_item": "new items, these evaluators",
}
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def expit(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


@dataclass(frozen=True)
class World:
    """centre, skill, ease: mean logit, sd of evaluators, sd of items. skewed: some evaluators take many sets."""

    evaluators: int = 60
    each: int = 5
    items: int = 50
    centre: float = 0.2
    skill: float = 0.4
    ease: float = 0.6
    skewed: bool = False

    def study(self, rng: np.random.Generator) -> tuple[Judgments, dict[str, float]]:
        """One study, and what its measures estimate."""
        skill, ease = rng.normal(size=self.evaluators) * self.skill, rng.normal(size=self.items) * self.ease
        sets = np.minimum(rng.zipf(2.0, self.evaluators), self.items // self.each) if self.skewed else 1
        counts = np.broadcast_to(self.each * sets, self.evaluators)
        order = rng.random((self.evaluators, self.items)).argsort(axis=1)
        chosen = np.arange(self.items) < counts[:, None]
        rater, item = np.nonzero(chosen)[0], order[chosen]
        correct = rng.random(len(rater)) < expit(self.centre + skill[rater] + ease[item])
        machine = item % 2 == 0
        rating = np.where(correct == machine, 3, 2) + np.where(rng.random(len(rater)) < 0.3, 1, 0) * (
            np.where(correct == machine, 1, -1)
        )
        return self._judgments(rater, item, machine, rating), self._targets(skill, ease, counts)

    def _judgments(self, rater: np.ndarray, item: np.ndarray, machine: np.ndarray, rating: np.ndarray) -> Judgments:
        used, item = np.unique(item, return_inverse=True)
        raters = tuple(map(str, range(self.evaluators)))
        return Judgments(raters, tuple(map(str, used)), rater, item, machine, rating)

    def _targets(self, skill: np.ndarray, ease: np.ndarray, counts: np.ndarray) -> dict[str, float]:
        by_item = expit(self.centre + ease[:, None] + self.skill * NODES) @ WEIGHTS
        recall, false_alarm = float(by_item[::2].mean()), 1 - float(by_item[1::2].mean())
        shares = len(ease[::2]), len(ease[1::2])
        both = expit(self.centre + np.hypot(self.skill, self.ease) * NODES) @ WEIGHTS
        by_rater = expit(self.centre + skill[:, None] + self.ease * NODES) @ WEIGHTS
        hits, false = recall * shares[0], false_alarm * shares[1]
        return {
            "accuracy": float(by_item.mean()),
            "accuracy_pooled": float(by_item.mean()),
            "recall": recall,
            "f1": 2 * hits / (hits + false + shares[0]),
            "accuracy_crossed": float(both),
            "accuracy_item": float(np.average(by_rater, weights=counts)),
        }


WORLDS = {
    "middle": World(),
    "chance, evaluators and items alike": World(centre=0, skill=0, ease=0),
    "130 evaluators (the paper's size)": World(evaluators=130),
    "12 evaluators": World(evaluators=12),
    "near 1": World(centre=4),
    "near 1, 12 evaluators": World(evaluators=12, centre=4),
    "near 0": World(centre=-4),
    "skills differ widely": World(skill=1.5),
    "items differ widely": World(ease=1.5),
    "skewed sets per evaluator": World(skewed=True, skill=0.8),
    "skewed, near 1": World(skewed=True, centre=3.5, skill=0.8),
    "40 judgments each": World(evaluators=30, each=40),
    "10 items, all judged by all": World(evaluators=30, each=10, items=10),
}


@dataclass(frozen=True)
class Row:
    """Coverage of one measure's interval in one world; error: Monte-Carlo standard error of `coverage`."""

    world: str
    measure: str
    target: str
    truth: float
    bias: float
    level: float
    coverage: float
    error: float
    studies: int


def rows(studies: int = 2000, names: tuple[str, ...] = (), seed: int = 2026) -> Iterator[Row]:
    """Coverage of every measure at every level in every world (or the named ones), in their order."""
    for place, (name, world) in enumerate(WORLDS.items()):
        if not names or name in names:
            yield from _measure(name, world, studies, np.random.default_rng([seed, place]))


def _measure(name: str, world: World, studies: int, rng: np.random.Generator) -> Iterator[Row]:
    hits = {(measure, level): 0 for measure in MEASURES for level in LEVELS}
    truths, misses = dict.fromkeys(MEASURES, 0.0), dict.fromkeys(MEASURES, 0.0)
    for _ in range(studies):
        judgments, targets = world.study(rng)
        for level in LEVELS:
            found = measure_accuracy(judgments, level=level)
            for measure in MEASURES:
                interval = getattr(found, measure).interval
                # The last bits of a target at a bound are rounding.
                hits[measure, level] += interval.low - 1e-12 <= targets[measure] <= interval.high + 1e-12
        for measure in MEASURES:
            truths[measure] += targets[measure] / studies
            misses[measure] += (getattr(found, measure).value - targets[measure]) / studies
    for (measure, level), count in hits.items():
        share = count / studies
        error = math.sqrt(share * (1 - share) / studies)
        yield Row(name, measure, MEASURES[measure], truths[measure], misses[measure], level, share, error, studies)


def main(studies: int, names: tuple[str, ...]) -> None:
    """Print one table row a world and measure."""
    print("| world | measure | for | truth | bias | 95 % | 90 % |\n|---|---|---|---|---|---|---|")
    made = iter(rows(studies, names))
    for wide, narrow in zip(made, made, strict=True):
        cells = " | ".join(f"{100 * row.coverage:.1f} ± {100 * row.error:.1f}" for row in (wide, narrow))
        truth = f"{wide.truth:.3f} | {wide.bias:+.4f}"
        print(f"| {wide.world} | {wide.measure} | {wide.target} | {truth} | {cells} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, tuple(sys.argv[2:]))
