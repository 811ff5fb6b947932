"""HUSE, its differences, and differences of ratings with their verdicts, in worlds of skewed texts and heavy tails."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.benchmarks.simulation_studies import decision_studies, huse_studies
from tests.benchmarks.simulation_studies.huse_rows import (
    COUNTING,
    DIFFERENCES,
    TITLES,
    difference_tallies,
    huse_tallies,
)
from tests.benchmarks.simulation_studies.skewed_worlds import HUSE, PAIRS, RATINGS
from tests.benchmarks.simulation_studies.store import Job
from tests.benchmarks.simulation_studies.works import Sums, Work, chunk_sizes

OWN = (
    "tests/benchmarks/simulation_studies/skewed_worlds.py",
    "tests/benchmarks/simulation_studies/skewed_studies.py",
)
SOURCES = (*huse_studies.SOURCES, *OWN)
DIFFERENCE_SOURCES = (*SOURCES, "metrics/huse/model_differences.py")
RATING_SOURCES = (*decision_studies.SOURCES, "tests/benchmarks/worlds.py", *OWN)


def skewed_works(studies: int) -> Iterator[Work]:
    """HUSE world by world, differences of HUSE pair by pair, differences of ratings world by world."""
    for place, (name, world) in enumerate(HUSE.items()):
        chunks = (
            Job(f"skewed huse {name} {i}", huse_studies.huse_chunk, (world, size, (2060, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(studies, huse_studies.CHUNK))
        )
        more = (world, huse_studies.TARGET, (2061, place))
        target = Job(f"skewed huse {name} target", huse_studies.values_only, more, SOURCES)
        yield Work(name, TITLES, tuple(chunks), partial(huse_tallies, world), COUNTING, target)
    for place, (name, pair) in enumerate(PAIRS.items()):
        chunks = (
            Job(
                f"skewed difference {name} {i}",
                huse_studies.differences,
                (*pair, size, (2062, place, i), 0.95),
                DIFFERENCE_SOURCES,
            )
            for i, size in enumerate(chunk_sizes(studies, huse_studies.SLOW_CHUNK))
        )
        more_pairs = (*pair, huse_studies.TARGET, (2063, place))
        target = Job(f"skewed difference {name} target", huse_studies.difference_values, more_pairs, DIFFERENCE_SOURCES)
        counted = partial(difference_tallies, pair[0].pairs)
        yield Work(name, DIFFERENCES, tuple(chunks), counted, COUNTING, target)
    yield from _rating_works()


def _rating_works() -> Iterator[Work]:
    """B below A by as much as in the table of verdicts."""
    for place, (name, ratings) in enumerate(RATINGS.items()):
        below = decision_studies.LARGE
        chunks = (
            Job(
                f"skewed ratings {name} {i}",
                decision_studies.covered,
                (ratings, below, size, (2064, place, i)),
                RATING_SOURCES,
            )
            for i, size in enumerate(chunk_sizes(decision_studies.STUDIES, decision_studies.CHUNK))
        )
        target = Job(
            f"skewed ratings {name} target", decision_studies.true_difference, (ratings, below), RATING_SOURCES
        )
        yield Work(
            name,
            ("difference of ratings",),
            tuple(chunks),
            decision_studies.difference_tallies,
            decision_studies.COUNTING,
            target,
        )


def skewed_decisions() -> Iterator[Sums]:
    """Wrong verdicts, world by world."""
    for place, (name, ratings) in enumerate(RATINGS.items()):
        chunks = (
            Job(
                f"skewed verdicts {name} {i}", decision_studies.wrong, (ratings, size, (2065, place, i)), RATING_SOURCES
            )
            for i, size in enumerate(chunk_sizes(decision_studies.STUDIES, decision_studies.CHUNK))
        )
        yield Sums(name, tuple(chunks), decision_studies.turned)
