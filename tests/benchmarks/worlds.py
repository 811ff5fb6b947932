"""Made-up studies of which everything is known: texts in contexts, raters with biases and noise on six labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from metrics import Item
from metrics.huse.ratings_by_text import Rated

HIT = 25  # texts
Hits = Literal["each text", "interleaved", "one source", "crossed"]


@dataclass(frozen=True)
class Made:
    """One study: ratings (texts x raters a text), log p a unit, is-reference, contexts where paired, HIT of a text."""

    rated: Rated
    q: np.ndarray
    z: np.ndarray
    context: np.ndarray | None
    hit: np.ndarray
    difficulty: np.ndarray
    bias: np.ndarray

    @property
    def sums(self) -> np.ndarray:
        return self.rated.values.sum(axis=1)

    def with_references_of(self, other: Made) -> Made:
        """The same model texts beside another study's references."""
        n = int(self.z.sum())
        codes = np.concatenate((other.rated.values[:n], self.rated.values[n:]))
        rater = np.concatenate((other.rated.rater[:n], self.rated.rater[n:]))
        rated = Rated(codes, rater, self.rated.counts, 1, self.rated.raters)
        return replace(self, rated=rated, q=np.concatenate((other.q[:n], self.q[n:])))

    def items(self, name: str = "m") -> list[Item]:
        """The study as records; model texts are called by `name`."""
        n, raters = len(self.z) // 2, self.rated.values.shape[1]
        return [
            Item(
                f"{'r' if self.z[i] else name}{i % n}",
                "reference" if self.z[i] else "model",
                Fraction(int(self.sums[i]), raters),
                float(self.q[i]) - 50,
                1,
                None if self.context is None else str(self.context[i]),
                raters,
            )
            for i in range(2 * n)
        ]


@dataclass(frozen=True)
class World:
    """sep, q_sep: how far the model lies below the references in quality and above them in log p, in sd.

    shared: sd of what texts of one context share. hits: who rates together: raters drawn for each text, HITs of 25
    texts with both sources in each or with one, or the same raters for all texts. skew: sd of the logarithm of how
    eagerly a worker takes HITs. pools: references and models have raters of their own.
    """

    sep: float = 1.0
    q_sep: float = 0.3
    pairs: int = 100
    raters: int = 20
    shared: float = 0.5
    paired: bool = True
    hits: Hits = "each text"
    pool: int = 40
    skew: float = 0.0
    pools: bool = False

    @property
    def texts(self) -> int:
        """Of both sources."""
        return 2 * self.pairs

    def study(self, rng: np.random.Generator, beside: Made | None = None) -> Made:
        """Text i and i + pairs share a context. beside: a study whose contexts and pool of raters this one has too."""
        n = self.pairs
        z = np.arange(2 * n) < n
        difficulty = beside.difficulty if beside else rng.normal(size=n) * self.shared
        context = np.concatenate((difficulty, difficulty if self.paired else rng.normal(size=n) * self.shared))
        quality = rng.normal(size=2 * n) * 0.8 + context - self.sep * ~z
        hit = self._hits(rng)
        rater = self._raters(rng, hit, z)
        bias = beside.bias if beside else rng.normal(size=self.pool) * 0.5
        noisy = 0.7 * (quality[:, None] + self.sep / 2) + bias[rater] + rng.normal(size=rater.shape)
        codes = np.clip(np.rint(2.5 + noisy), 0, 5).astype(np.int64)
        q = 0.4 * quality + 0.8 * context + rng.normal(size=2 * n) + self.q_sep * ~z
        rated = Rated(codes, rater, np.full(2 * n, self.raters), 1, self.pool)
        return Made(rated, q, z, np.tile(np.arange(n), 2) if self.paired else None, hit, difficulty, bias)

    def expected(self, rng: np.random.Generator, many: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """HJ over so many raters of each text, log p, is-reference: a study without noise of raters."""
        made = World(self.sep, self.q_sep, self.pairs, many, self.shared, self.paired, pool=2 * many).study(rng)
        return made.sums, made.q, made.z

    def _hits(self, rng: np.random.Generator) -> np.ndarray:
        n = 2 * self.pairs
        if self.hits == "each text":
            return np.arange(n)
        if self.hits == "crossed":
            return np.zeros(n, dtype=np.int64)
        order = np.arange(n) if self.hits == "one source" else rng.permutation(n)
        hit = np.empty(n, dtype=np.int64)
        hit[order] = np.arange(n) // HIT
        return hit

    def _raters(self, rng: np.random.Generator, hit: np.ndarray, z: np.ndarray) -> np.ndarray:
        """(texts, raters a text): the workers of each HIT, eager ones more often."""
        eagerness = rng.normal(size=self.pool) * self.skew
        keys = eagerness + rng.gumbel(size=(int(hit.max()) + 1, self.pool))
        if not self.pools:
            return np.argpartition(-keys, self.raters - 1, axis=1)[:, : self.raters][hit]
        half = self.pool // 2
        first = np.argpartition(-keys[:, :half], self.raters - 1, axis=1)[:, : self.raters]
        second = half + np.argpartition(-keys[:, half:], self.raters - 1, axis=1)[:, : self.raters]
        return np.where(z[:, None], first[hit], second[hit])


@dataclass(frozen=True)
class UnequalWorld(World):
    """A world with so many references and model texts, each in a context of its own: `unequal` makes it."""

    references: int = 100
    models: int = 100

    @property
    def texts(self) -> int:
        """Of both sources."""
        return self.references + self.models

    def study(self, rng: np.random.Generator, beside: Made | None = None) -> Made:
        """The first of the references and of the model texts of a study that has `pairs` of each."""
        made = super().study(rng)
        first = np.concatenate((np.arange(self.references), self.pairs + np.arange(self.models)))
        rated = replace(
            made.rated, values=made.rated.values[first], rater=made.rated.rater[first], counts=made.rated.counts[first]
        )
        return replace(made, rated=rated, q=made.q[first], z=made.z[first], hit=made.hit[first])


def unequal(references: int, models: int, raters: int, sep: float = 0.6, q_sep: float = 1.0) -> UnequalWorld:
    """So many texts of each source, all rated by the same raters; as it stands HUSE is about .65 and HUSE-Q .84."""
    larger = max(references, models)
    return UnequalWorld(sep, q_sep, larger, raters, paired=False, hits="crossed", references=references, models=models)


WORLDS = {
    "near 1": World(sep=0, q_sep=0),
    "high": World(sep=0.5),
    "middle": World(),
    "told apart by log p": World(sep=0, q_sep=2.5),
    "low": World(sep=3, q_sep=2.5),
    "near 0": World(sep=3.5, q_sep=3),
    "next to no error": World(sep=5, q_sep=4),
    "strong contexts": World(shared=1.5),
    "unpaired": World(paired=False),
    "5 raters": World(raters=5),
    "50 pairs": World(pairs=50),
    "50 pairs, low": World(pairs=50, sep=3, q_sep=2.5),
    "30 pairs": World(pairs=30),
    "crossed raters": World(hits="crossed"),
    "HITs interleaved": World(hits="interleaved", pool=60),
    "HITs interleaved, skewed": World(hits="interleaved", pool=60, skew=1.5),
}
ONE_SOURCE = {
    "HITs of one source": World(hits="one source", pool=60),
    "HITs of one source, skewed": World(hits="one source", pool=90, skew=1.5),
    "two pools of 20 raters": World(pools=True),
    "two pools of 40 raters": World(pools=True, pool=80),
    "two pools, HITs of one source": World(hits="one source", pools=True, pool=80, skew=1.0),
    "two pools, near 1": World(sep=0, q_sep=0, pools=True, pool=80),
    "two pools, low": World(sep=3, q_sep=2.5, pools=True, pool=80),
}
# Most beside the study of the smaller size on both sides; 50 and 50 are as many in all as 25 and 75.
UNEQUAL = {
    "60 and 140 texts": unequal(60, 140, raters=10),
    "60 and 60 texts": unequal(60, 60, raters=10),
    "25 and 75 texts": unequal(25, 75, raters=5),
    "25 and 25 texts": unequal(25, 25, raters=5),
    "10 and 90 texts": unequal(10, 90, raters=5),
    "60 and 140 texts, near 1": unequal(60, 140, raters=10, sep=0, q_sep=0),
    "60 and 60 texts, near 1": unequal(60, 60, raters=10, sep=0, q_sep=0),
    "25 and 75 texts, near 1": unequal(25, 75, raters=5, sep=0, q_sep=0),
    "25 and 25 texts, near 1": unequal(25, 25, raters=5, sep=0, q_sep=0),
    "50 and 50 texts": unequal(50, 50, raters=5),
    "20 and 80 texts": unequal(20, 80, raters=5),
}
