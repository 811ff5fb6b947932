"""Studies in which nothing tells the sources apart: how often the permutation test says that something does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics.huse.permutation_test import permutation_test
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import Total, total
from tests.benchmarks.simulation_studies.works import Sums, chunk_sizes
from tests.benchmarks.worlds import World

CHUNK = 250
ALPHA = 0.05
MEASURES = ("huse", "huse_q")
SOURCES = (
    "metrics/huse/permutation_test.py",
    "metrics/huse/classifier.py",
    "tests/benchmarks/worlds.py",
    "tests/benchmarks/simulation_studies/size_studies.py",
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


def rejected(found: Arrays) -> Total:
    """Studies with p, then mid-p, of at most .05, of HUSE, then of HUSE-Q."""
    return total(np.column_stack([found[key][:, j] <= ALPHA for j in range(len(MEASURES)) for key in ("p", "mid_p")]))


def size_works(studies: int) -> Iterator[Sums]:
    """Design by design."""
    for place, (name, design) in enumerate(NULL.items()):
        chunks = (
            Job(f"size {name} {i}", tested, (*design, size, (2029, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(studies, CHUNK))
        )
        yield Sums(name, tuple(chunks), rejected)
