"""Studies in which nothing tells the sources apart: how often the permutation test says that something does."""

from __future__ import annotations

import numpy as np

from metrics import permutation_test
from tests.benchmarks.truth.store import Arrays, Job
from tests.benchmarks.worlds import World

CHUNK = 250
MEASURES = ("huse", "huse_q")
SOURCES = (
    "metrics/permutation.py",
    "metrics/classifier.py",
    "tests/benchmarks/worlds.py",
    "tests/benchmarks/truth/size_studies.py",
)
NULL = {
    "100 pairs, within contexts": (World(sep=0, q_sep=0), False),
    "50 pairs, within contexts": (World(sep=0, q_sep=0, pairs=50), False),
    "100 and 100 texts, within skewed HITs": (
        World(sep=0, q_sep=0, paired=False, hits="interleaved", pool=60, skew=1.5),
        True,
    ),
    "100 and 100 texts, freely": (World(sep=0, q_sep=0, paired=False), False),
}


def tested(world: World, within_hits: bool, studies: int, seed: tuple[int, ...]) -> Arrays:
    """p, mid_p: (studies, 2), of HUSE and HUSE-Q."""
    rng = np.random.default_rng(seed)
    p, mid_p = np.empty((studies, 2)), np.empty((studies, 2))
    for i in range(studies):
        made = world.study(rng)
        items = made.items()
        hits = {item.id: str(hit) for item, hit in zip(items, made.hit, strict=True)} if within_hits else None
        own = int(rng.integers(2**31))
        found = [permutation_test(items, measure, hits=hits, seed=own) for measure in MEASURES]
        p[i], mid_p[i] = [one.p for one in found], [one.mid_p for one in found]
    return {"p": p, "mid_p": mid_p}


def size_jobs(studies: int) -> dict[str, list[Job]]:
    """By design."""
    return {
        name: [
            Job(f"size {name} {i}", tested, (*design, min(CHUNK, studies - begin), (2029, place, i)), SOURCES)
            for i, begin in enumerate(range(0, studies, CHUNK))
        ]
        for place, (name, design) in enumerate(NULL.items())
    }
