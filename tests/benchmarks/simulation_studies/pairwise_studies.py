"""Studies of preferences between four systems, with ties, items and raters that differ, for Bradley-Terry's intervals.

Item i adds N(0, sd_item) to each system, rater r adds N(0, sd_rater). The target is the same model fitted to so many
fresh items that chance no longer matters: averaging over items and raters pulls strengths together, so that it is not
the strengths put in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.inference.bradley_terry import bradley_terry, bradley_terry_votes
from tests.benchmarks.simulation_studies.pairwise_rows import COUNTING, MEASURES, strength_tallies
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes

STRENGTHS = np.array([0.6, 0.2, -0.2, -0.6])
PAIRS = np.array(list(combinations(range(len(STRENGTHS)), 2)))
FRESH_ITEMS = 400_000
CHUNK = 500
SOURCES = (
    "metrics/inference/bradley_terry.py",
    "metrics/inference/cluster_variances.py",
    "metrics/inference/distributions.py",
    "tests/benchmarks/simulation_studies/pairwise_studies.py",
)


@dataclass(frozen=True)
class Votes:
    """items, each with `each` votes a pair; ties: their share, at random.

    pool: raters, of whom `each` judge all six pairs of an item, everybody as often; 0: nobody knows who judged.
    """

    items: int
    each: int
    sd_item: float = 0.0
    ties: float = 0.0
    pool: int = 0
    sd_rater: float = 0.0

    def study(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Item, rater, both systems and outcome of each vote; raters (items, each) as many as votes without a pool."""
        rater = self._raters(rng)
        of_item = rng.normal(size=(self.items, 1, len(STRENGTHS))) * self.sd_item
        of_rater = rng.normal(size=(max(1, self.pool), len(STRENGTHS))) * self.sd_rater
        outcome = self._outcomes(rng, STRENGTHS + of_item + of_rater[rater])
        item = np.broadcast_to(np.arange(self.items)[:, None, None], outcome.shape)
        who = np.broadcast_to(rater[:, :, None], outcome.shape)
        first, second = (np.broadcast_to(PAIRS[:, side], outcome.shape) for side in (0, 1))
        return tuple(part.ravel() for part in (item, who, first, second, outcome))

    def _raters(self, rng: np.random.Generator) -> np.ndarray:
        """(items, each): the pool in a new order, again and again, so that nobody judges an item twice."""
        if not self.pool:
            return np.zeros((self.items, self.each), dtype=np.int64)
        rounds = self.items * self.each // self.pool
        orders = [rng.permutation(self.pool) for _ in range(rounds)]
        return np.concatenate(orders).reshape(self.items, self.each)

    def _outcomes(self, rng: np.random.Generator, strength: np.ndarray) -> np.ndarray:
        """Of (..., systems) strengths: (..., pairs) outcomes."""
        apart = strength[..., PAIRS[:, 0]] - strength[..., PAIRS[:, 1]]
        won = rng.random(apart.shape) < 1 / (1 + np.exp(-apart))
        return np.where(rng.random(apart.shape) < self.ties, 0.5, won)


ITEM_WORLDS = {
    "100 items x 1": Votes(100, 1),
    "100 items x 1, ties .30": Votes(100, 1, ties=0.3),
    "60 x 5, ties .39": Votes(60, 5, ties=0.39),
    "60 x 5, items .5": Votes(60, 5, sd_item=0.5),
    "60 x 5, items 1": Votes(60, 5, sd_item=1),
    "60 x 5, items 1, ties .39": Votes(60, 5, sd_item=1, ties=0.39),
    "60 x 20, items 1": Votes(60, 20, sd_item=1),
}
RATER_WORLDS = {
    "60 x 5 of 30, ties .3": Votes(60, 5, 0, 0.3, 30),
    "60 x 5 of 30, items 1": Votes(60, 5, 1, 0, 30),
    "60 x 5 of 30, raters .5": Votes(60, 5, 0, 0, 30, 0.5),
    "60 x 5 of 30, items 1, raters .5": Votes(60, 5, 1, 0, 30, 0.5),
    "60 x 5 of 30, items 1, raters .5, ties .3": Votes(60, 5, 1, 0.3, 30, 0.5),
    "60 x 5 of 15, items 1, raters .5": Votes(60, 5, 1, 0, 15, 0.5),
    "30 x 5 of 15, items 1, raters .5": Votes(30, 5, 1, 0, 15, 0.5),
    "60 x 1 of 60, items 1, raters .5": Votes(60, 1, 1, 0, 60, 0.5),
}


def preferences(world: Votes, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures); intervals: (studies, measures, levels, 2)."""
    rng = np.random.default_rng(seed)
    values, ends = np.empty((studies, len(MEASURES))), np.empty((studies, len(MEASURES), len(LEVELS), 2))
    for i in range(studies):
        item, rater, first, second, outcome = world.study(rng)
        who = rater if world.pool else [None] * len(item)
        for at, level in enumerate(LEVELS):
            found = bradley_terry_votes(item, who, first, second, outcome, names=("0", "1", "2", "3"), level=level)
            for j, one in enumerate((found.log_strength["0"], found.differences[0].difference)):
                values[i, j], ends[i, j, at] = one.value, (one.interval.low, one.interval.high)
    return {"values": values, "intervals": ends}


def fitted(world: Votes, seed: tuple[int, ...]) -> Arrays:
    """values: (1, measures), of the model fitted to what is expected of fresh items, each judged by a fresh rater."""
    rng, spread = np.random.default_rng(seed), np.hypot(world.sd_item, world.sd_rater)
    strength = STRENGTHS + rng.normal(size=(FRESH_ITEMS, len(STRENGTHS))) * spread
    chance = 1 / (1 + np.exp(strength[:, PAIRS[:, 1]] - strength[:, PAIRS[:, 0]]))
    won = FRESH_ITEMS * ((1 - world.ties) * chance.mean(axis=0) + world.ties / 2)
    wins = np.zeros((len(STRENGTHS), len(STRENGTHS)))
    wins[PAIRS[:, 0], PAIRS[:, 1]], wins[PAIRS[:, 1], PAIRS[:, 0]] = won, FRESH_ITEMS - won
    found = bradley_terry(wins)
    return {"values": np.array([[found.log_strength["1"].value, found.differences[0].difference.value]])}


def pairwise_works(studies: int) -> Iterator[Work]:
    """World by world, with the model that the intervals are for."""
    for place, (name, world) in enumerate({**ITEM_WORLDS, **RATER_WORLDS}.items()):
        chunks = (
            Job(f"pairwise {name} {i}", preferences, (world, size, (2036, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(studies, CHUNK))
        )
        target = Job(f"pairwise {name} target", fitted, (world, (2037, place)), SOURCES)
        yield Work(name, MEASURES, tuple(chunks), strength_tallies, COUNTING, target)
