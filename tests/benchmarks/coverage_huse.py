"""What the interval of HUSE is worth: coverage in simulated studies, printed as the table of docs/huse-interval.md.

    python -m tests.benchmarks.coverage_huse [studies] [world ...]

The target is the expectation of the estimator at the same number of texts and raters (mean of 3,000 further studies).
A world: texts in contexts that share difficulty, HJ from raters of a pool with biases and noise on a six-label
scale, log p correlated with quality. `homogeneous` gives references and models to raters of two separate pools.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics.resampling import StandardErrors, huse_arrays, subsample_interval, subsample_sd

MEASURES = ("huse", "huse_q", "huse_d")
LEVELS = (0.95, 0.90)
RULES = {"chosen": None, "half": 0.5}
TARGET_STUDIES = 3000


@dataclass(frozen=True)
class World:
    """sep, q_sep: how far the model lies below the references in quality and above them in log p, in sd."""

    sep: float = 1.0
    q_sep: float = 0.3
    pairs: int = 100
    raters: int = 20
    shared: float = 0.5
    paired: bool = True
    homogeneous: bool = False

    def study(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rating sums, log p per token, is-reference; text i and i + pairs share a context."""
        n = self.pairs
        difficulty = rng.normal(size=n) * self.shared
        bias = rng.normal(size=40) * 0.5
        sums, q = [], []
        for model in (0, 1):
            context = difficulty if self.paired else rng.normal(size=n) * self.shared
            quality = rng.normal(size=n) * 0.8 + context - self.sep * model
            pool = np.arange(40).reshape(2, 20)[model] if self.homogeneous else np.arange(40)
            raters = pool[rng.random((n, len(pool))).argsort(axis=1)[:, : self.raters]]
            noisy = 0.7 * (quality[:, None] + self.sep / 2) + bias[raters] + rng.normal(size=raters.shape)
            sums.append(np.clip(np.rint(2.5 + noisy), 0, 5).sum(axis=1).astype(np.int64))
            q.append(0.4 * quality + 0.8 * context + rng.normal(size=n) + self.q_sep * model)
        return np.concatenate(sums), np.concatenate(q), np.arange(2 * n) < n


WORLDS = {
    "near 1": World(sep=0, q_sep=0),
    "high": World(sep=0.5),
    "middle": World(),
    "told apart by log p": World(sep=0, q_sep=2.5),
    "low": World(sep=3, q_sep=2.5),
    "near 0": World(sep=5, q_sep=4),
    "strong contexts": World(shared=1.5),
    "unpaired": World(paired=False),
    "5 raters": World(raters=5),
    "one source per rater": World(homogeneous=True),
    "50 pairs": World(pairs=50),
    "50 pairs, low": World(pairs=50, sep=3, q_sep=2.5),
    "30 pairs": World(pairs=30),
}


def measure(world: World, studies: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The target of each measure, and hits (studies x levels x measures) of each rule."""
    target = np.mean([huse_arrays(*world.study(rng)) for _ in range(TARGET_STUDIES)], axis=0)
    hits: dict[str, list[list[list[bool]]]] = {rule: [] for rule in RULES}
    for _ in range(studies):
        sums, q, z = world.study(rng)
        context = np.tile(np.arange(world.pairs), 2) if world.paired else None
        values = huse_arrays(sums, q, z)
        for rule, share in RULES.items():
            errors = subsample_sd(sums, q, z, rng, 200, context=context, share=share)
            hits[rule].append([list(_hits(values, errors, target, len(z), level)) for level in LEVELS])
    return target, {rule: np.array(found) for rule, found in hits.items()}


def _hits(
    values: tuple[float, float, float], errors: StandardErrors, target: np.ndarray, n: int, level: float
) -> Iterator[bool]:
    for name, value, truth in zip(MEASURES, values, target, strict=True):
        interval = subsample_interval(value, getattr(errors, name), n, level, name == "huse_d")
        yield interval.low <= truth <= interval.high


def main(studies: int, names: list[str]) -> None:
    """Print one table row a world: target, then coverage at 95 % and 90 % by rule."""
    print("| world | target HUSE, Q, D | 95 % | 90 % | 95 %, half | 90 %, half |\n|---|---|---|---|---|---|")
    for place, (name, world) in enumerate(WORLDS.items()):
        if names and name not in names:
            continue
        target, hits = measure(world, studies, np.random.default_rng([2026, place]))
        cells = ["/".join(f"{100 * c:.1f}" for c in row) for rule in RULES for row in hits[rule].mean(axis=0)]
        print(f"| {name} | {', '.join(f'{t:.3f}' for t in target)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, sys.argv[2:])
