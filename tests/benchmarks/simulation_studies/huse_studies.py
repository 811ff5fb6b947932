"""Studies of HUSE: estimates, standard errors and the raters' part, chunk by chunk; differences of two models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from metrics.compiled import switch as compiled
from metrics.huse.model_differences import compare_models
from metrics.huse.rater_variance import MUCH_DIFFERENT, rater_errors, source_difference
from metrics.huse.subsampling import huse_arrays, subsample_sd
from tests.benchmarks.simulation_studies.huse_rows import (
    COUNTING,
    DIFFERENCES,
    TITLES,
    difference_tallies,
    huse_tallies,
)
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.works import Sums, Work, chunk_sizes, values_total
from tests.benchmarks.worlds import ONE_SOURCE, UNEQUAL, WORLDS, Made, World

DRAWS = 200  # half of what `evaluate` takes
RATER_DRAWS = 100
CHUNK, SLOW_CHUNK = 1000, 250
TARGET = 4000
BIAS_STUDIES = 2000
HEADLINE = ("near 1", "middle", "low", "HITs interleaved, skewed", "60 and 140 texts, near 1")
NAMES = ("huse", "huse_q", "huse_d")
SOURCES = (
    "metrics/huse/subsampling.py",
    "metrics/huse/subsets.py",
    "metrics/huse/batch.py",
    "metrics/compiled/kernels.py",
    "metrics/huse/rater_variance.py",
    "metrics/huse/ratings_by_text.py",
    "metrics/huse/neighbors_1d.py",
    "tests/benchmarks/worlds.py",
    "tests/benchmarks/simulation_studies/huse_studies.py",
)
PAIRS = {
    "equal models": (World(), World()),
    "one worse": (World(sep=0.5), World(sep=1.5)),
    "one given away by log p": (World(), World(q_sep=2.0)),
    "equal, strong contexts": (World(shared=1.5), World(shared=1.5)),
}


def huse_chunk(world: World, studies: int, seed: tuple[int, ...], draws: int = DRAWS) -> Arrays:
    """values, errors, raters: (studies, 3); apart: (studies,), how different the raters of the two sources were."""
    compiled.load_kernels()
    rng = np.random.default_rng(seed)
    values, errors = np.empty((studies, 3)), np.empty((studies, 3))
    raters, apart = np.zeros((studies, 3)), np.empty(studies)
    for i in range(studies):
        made = world.study(rng)
        values[i] = huse_arrays(made.sums, made.q, made.z)
        sd = subsample_sd(made.sums, made.q, made.z, rng, draws, context=made.context)
        errors[i] = [getattr(sd, name) for name in NAMES]
        apart[i] = source_difference(made.rated, made.z)
        if apart[i] > MUCH_DIFFERENT:
            raters[i] = rater_errors(made.rated, made.q, made.z, rng, RATER_DRAWS, context=made.context).errors
    return {"values": values, "errors": errors, "raters": raters, "apart": apart}


def values_only(world: World, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, 3), for the target."""
    compiled.load_kernels()
    rng = np.random.default_rng(seed)
    made = (world.study(rng) for _ in range(studies))
    return {"values": np.array([huse_arrays(m.sums, m.q, m.z) for m in made])}


def beside(first: World, second: World, rng: np.random.Generator) -> tuple[Made, Made]:
    """Two models beside the same references, contexts and pool of raters."""
    one = first.study(rng)
    return one, second.study(rng, one).with_references_of(one)


def differences(first: World, second: World, studies: int, seed: tuple[int, ...], level: float) -> Arrays:
    """values, low, high: (studies, 3), of `compare_models` at that level."""
    compiled.load_kernels()
    rng = np.random.default_rng(seed)
    found = np.empty((studies, 3, 3))
    for i in range(studies):
        one, two = beside(first, second, rng)
        apart = compare_models({"a": one.items("a"), "b": two.items("b")}, draws=DRAWS, seed=i, level=level)
        for j, name in enumerate(NAMES):
            estimate = getattr(apart.differences[0], name)
            found[i, j] = estimate.value, estimate.interval.low, estimate.interval.high
    return {"values": found[:, :, 0], "low": found[:, :, 1], "high": found[:, :, 2]}


def difference_values(first: World, second: World, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, 3), for the target."""
    compiled.load_kernels()
    rng = np.random.default_rng(seed)
    made = (beside(first, second, rng) for _ in range(studies))
    return {"values": np.array([np.subtract(*(huse_arrays(m.sums, m.q, m.z) for m in pair)) for pair in made])}


def huse_works(studies: int, headline: int) -> Iterator[Work]:
    """World by world: chunks with intervals, and the studies behind the target."""
    for place, (name, world) in enumerate({**WORLDS, **ONE_SOURCE, **UNEQUAL}.items()):
        sizes = chunk_sizes(headline if name in HEADLINE else studies, SLOW_CHUNK if name in ONE_SOURCE else CHUNK)
        chunks = (
            Job(f"huse {name} {i}", huse_chunk, (world, size, (2026, place, i)), SOURCES)
            for i, size in enumerate(sizes)
        )
        target = Job(f"huse {name} target", values_only, (world, TARGET, (2025, place)), SOURCES)
        yield Work(name, TITLES, tuple(chunks), partial(huse_tallies, world), COUNTING, target)


def difference_works(studies: int) -> Iterator[Work]:
    """Pair by pair: chunks with intervals at 95 %, and the studies behind the target."""
    sources = (*SOURCES, "metrics/huse/model_differences.py")
    for place, (name, pair) in enumerate(PAIRS.items()):
        chunks = (
            Job(f"difference {name} {i}", differences, (*pair, size, (2028, place, i), 0.95), sources)
            for i, size in enumerate(chunk_sizes(studies, SLOW_CHUNK))
        )
        target = Job(f"difference {name} target", difference_values, (*pair, TARGET, (2027, place)), sources)
        yield Work(name, DIFFERENCES, tuple(chunks), partial(difference_tallies, pair[0].pairs), COUNTING, target)


def bias_works() -> Iterator[tuple[int, int, Sums]]:
    """Texts, ratings a text, and the studies of that size, world `middle`."""
    for pairs in (25, 50, 100, 200):
        for ratings in (5, 10, 20, 40):
            world, name = World(pairs=pairs, raters=ratings, pool=80), f"bias {pairs} {ratings}"
            job = Job(name, values_only, (world, BIAS_STUDIES, (2030, pairs, ratings)), SOURCES)
            yield 2 * pairs, ratings, Sums(name, (job,), values_total)
