"""Worlds with skewed texts and heavy-tailed raters, written after every rule was chosen and without its code.

Most texts of a source are alike and some are far worse (an exponential tail downwards), contexts are hard now and then
(a squared normal), raters' severity is Laplace, and a rater's slip is Student's t with 3 degrees of freedom, larger for
some raters than for others (gamma). Labels 0 to 5 lie close together at the top. Log p has a long tail too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.huse.ratings_by_text import Rated
from tests.benchmarks.simulation_studies.decision_worlds import DecisionWorld
from tests.benchmarks.worlds import Made, World

CUTS = (-3.2, -2.1, -1.2, -0.5, 0.1)
TAIL = 3  # degrees of freedom of a rater's slip
TRUTH_BLOCK = 500_000


def text_effects(rng: np.random.Generator, n: int) -> np.ndarray:
    """Mean 0: most a little above it, some far below."""
    return 0.9 * (1 - rng.exponential(size=n))


def context_effects(rng: np.random.Generator, n: int) -> np.ndarray:
    """Mean 0: some contexts are hard for every source."""
    return 0.45 * (1 - rng.normal(size=n) ** 2)


def slips(rng: np.random.Generator, carelessness: np.ndarray) -> np.ndarray:
    """Of ratings by raters of that carelessness."""
    return 0.5 * carelessness * rng.standard_t(TAIL, carelessness.shape)


@dataclass(frozen=True)
class SkewedWorld(World):
    """References, and texts of a model that lies `sep` below in quality and `q_sep` above in log p.

    references, models: so many of `pairs` texts of each are kept; all where both are 0.
    """

    references: int = 0
    models: int = 0

    @property
    def texts(self) -> int:
        """Of both sources."""
        return self.references + self.models or 2 * self.pairs

    def study(self, rng: np.random.Generator, beside: Made | None = None) -> Made:
        """Text i and i + pairs share a context, where paired."""
        n = self.pairs
        z = np.arange(2 * n) < n
        shared = beside.difficulty if beside else context_effects(rng, n)
        context = np.concatenate((shared, shared if self.paired else context_effects(rng, n)))
        quality = text_effects(rng, 2 * n) + context - self.sep * ~z
        hit = self._hits(rng)
        rater = self._raters(rng, hit, z)
        severity = beside.bias if beside else rng.laplace(0, 0.4, self.pool)
        carelessness = rng.gamma(2.0, 0.5, self.pool)
        felt = quality[:, None] + severity[rater] + slips(rng, carelessness[rater])
        codes = np.searchsorted(CUTS, felt).astype(np.int64)
        q = 0.5 * quality - rng.exponential(size=2 * n) + 0.3 * rng.standard_t(TAIL, 2 * n) + self.q_sep * ~z
        rated = Rated(codes, rater, np.full(2 * n, self.raters), 1, self.pool)
        made = Made(rated, q, z, np.tile(np.arange(n), 2) if self.paired else None, hit, shared, severity)
        return self._kept(made) if self.references else made

    def _kept(self, made: Made) -> Made:
        kept = np.concatenate((np.arange(self.references), self.pairs + np.arange(self.models)))
        own = made.rated
        rated = replace(own, values=own.values[kept], rater=own.rater[kept], counts=own.counts[kept])
        return replace(made, rated=rated, q=made.q[kept], z=made.z[kept], hit=made.hit[kept])


@dataclass(frozen=True)
class SkewedRatings(DecisionWorld):
    """Ratings of two sources, A and B, from the same people and texts; who rates what is as in `DecisionWorld`."""

    def study(self, rng: np.random.Generator, shift: float) -> tuple[np.ndarray, ...]:
        """Context, rater, whether B's, and label of each rating; B lies `shift` below A."""
        of_context = context_effects(rng, self.contexts)
        severity, carelessness = rng.laplace(0, 0.4, self.pool), rng.gamma(2.0, 0.5, self.pool)
        leans = rng.laplace(0, self.slope, (self.pool, 2)) if self.slope else np.zeros((self.pool, 2))
        parts = []
        for side, (who, texts, each) in enumerate(
            zip(self._raters(rng), (self.contexts, self.of_b), self.ratings, strict=True)
        ):
            own = who[:texts, :each]
            quality = of_context[:texts] + text_effects(rng, texts) - shift * side
            felt = quality[:, None] + severity[own] + leans[own, side] + slips(rng, carelessness[own])
            context = np.broadcast_to(np.arange(texts)[:, None], own.shape)
            label = np.searchsorted(CUTS, felt)
            parts.append((context.ravel(), own.ravel(), np.full(own.size, side == 1), label.ravel()))
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def true_difference(self, shift: float, draws: int = 4_000_000) -> float:
        """Mean label of A less that of B, over so many new contexts, texts and raters."""
        rng = np.random.default_rng(11)
        blocks = [self._labels_apart(rng, shift, TRUTH_BLOCK) for _ in range(max(1, draws // TRUTH_BLOCK))]
        return float(np.mean(blocks))

    def _labels_apart(self, rng: np.random.Generator, shift: float, draws: int) -> float:
        parts: Sequence[np.ndarray] = (context_effects(rng, draws), text_effects(rng, draws))
        felt = sum(parts) + rng.laplace(0, 0.4, draws) + slips(rng, rng.gamma(2.0, 0.5, draws))
        if self.slope:
            felt = felt + rng.laplace(0, self.slope, draws)
        return float(np.searchsorted(CUTS, felt).mean() - np.searchsorted(CUTS, felt - shift).mean())


HUSE = {
    "skewed, 100 pairs": SkewedWorld(),
    "skewed, near 1": SkewedWorld(sep=0, q_sep=0),
    "skewed, 60 and 140 texts": SkewedWorld(0.6, 1.0, 140, 10, paired=False, hits="crossed", references=60, models=140),
    "skewed, 25 and 75 texts": SkewedWorld(0.6, 1.0, 75, 5, paired=False, hits="crossed", references=25, models=75),
}
PAIRS = {
    "skewed, equal models": (SkewedWorld(), SkewedWorld()),
    "skewed, one worse": (SkewedWorld(sep=0.5), SkewedWorld(sep=1.3)),
}
RATINGS = {
    "skewed, 100 contexts x 6 of 30": SkewedRatings(100, 100, (6, 6), 30, "fresh"),
    "skewed, 80 contexts, 12 raters, slope .3": SkewedRatings(80, 80, (12, 12), 12, "crossed", slope=0.3),
    "skewed, tasks of both sources, 25 eager workers": SkewedRatings(100, 100, (5, 5), 25, "hits", slope=0.2),
}
