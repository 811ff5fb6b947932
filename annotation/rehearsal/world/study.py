"""The demo's study without its pages: texts, HITs, raters and labels as arrays, for thousands of studies.

One study rates references once and interleaves them with the texts of every generator; each generator is then
compared with the same references under its own (annealed) log-probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .raters import Crowd, TextFeatures, draw_crowd, label_codes

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """The study that the demo runs and the simulation repeats; counts of texts, raters and neighbours."""

    references: int = 100
    generated: int = 100
    temperatures: tuple[float, ...] = (1.0, 0.9, 0.7)
    ratings: int = 20
    texts_per_hit: int = 25
    crowd: int = 60
    spam_share: float = 0.1
    k: int = 16

    @property
    def texts(self) -> int:
        return self.references + self.generated * len(self.temperatures)


def pack_hits(sources: Rows, texts_per_hit: int, rng: np.random.Generator) -> list[Rows]:
    """Deal texts into HITs so that each HIT holds every source in proportion, in random order.

    sources: (n,) the source number of each text. Returns row numbers per HIT, all HITs as even as they can be.
    """
    hits = -(-len(sources) // texts_per_hit)
    shuffled = rng.permutation(len(sources))
    dealt = shuffled[np.argsort(sources[shuffled], kind="stable")]
    return [rng.permutation(dealt[first::hits]) for first in range(hits)]


def allot_raters(hits: int, crowd: int, ratings: int, rng: np.random.Generator) -> Rows:
    """Who takes which HIT: (hits, ratings) row numbers of the crowd, each HIT by different raters, loads even.

    A HIT goes to the raters with the fewest HITs so far, ties by chance.
    """
    if ratings > crowd:
        raise ValueError(f"{ratings} raters per HIT cannot come from a crowd of {crowd}")
    load = np.zeros(crowd)
    raters = np.empty((hits, ratings), dtype=np.int64)
    for hit in range(hits):
        raters[hit] = np.argsort(load + rng.random(crowd))[:ratings]
        load[raters[hit]] += 1
    return raters


def rating_sums(features: TextFeatures, sources: Rows, design: Design, seed: int) -> NDArray[np.int64]:
    """Sums of `design.ratings` label codes (n,) for the texts of one study: a fresh crowd, HITs and dice by `seed`.

    Divided by the number of ratings they are HJ.
    """
    return sums_in_hits(features, sources, design, seed)[0]


def sums_in_hits(
    features: TextFeatures, sources: Rows, design: Design, seed: int
) -> tuple[NDArray[np.int64], list[Rows]]:
    """`rating_sums`, and the rows of the texts of each HIT."""
    rng = np.random.default_rng(seed)
    crowd = Crowd.of(draw_crowd(design.crowd, design.spam_share, rng))
    hits = pack_hits(sources, design.texts_per_hit, rng)
    assigned = allot_raters(len(hits), design.crowd, design.ratings, rng)
    raters = np.empty((len(sources), design.ratings), dtype=np.int64)
    for rows, people in zip(hits, assigned, strict=True):
        raters[rows] = people
    return label_codes(features, crowd, raters, seed).sum(axis=1, dtype=np.int64), hits
