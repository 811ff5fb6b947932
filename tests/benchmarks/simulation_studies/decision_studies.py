"""How often a verdict is wrong, and how often it finds a difference, in worlds that the rules were not made in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics.inference.equivalence import Margin
from metrics.inference.rating_differences import RatingDifference, rating_difference
from metrics.inference.verdicts import decide
from tests.benchmarks.simulation_studies.decision_worlds import (
    POWER_DIFFERENCE,
    POWER_WORLD,
    WORLDS,
    DecisionWorld,
    shift_for,
)
from tests.benchmarks.simulation_studies.page import table, within
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS, Tally, Total, tally, total
from tests.benchmarks.simulation_studies.works import Means, Sums, Work, chunk_sizes

STUDIES = 2000
CHUNK = 1000
SLIGHT, LARGE = 0.1, 0.8  # felt quality by which B lies below A: next to nothing; as far as the margin
SOURCES = (
    "metrics/inference/rating_differences.py",
    "metrics/inference/verdicts.py",
    "metrics/inference/cluster_variances.py",
    "metrics/inference/multiple_testing.py",
    "metrics/inference/distributions.py",
    "tests/benchmarks/simulation_studies/decision_worlds.py",
    "tests/benchmarks/simulation_studies/decision_studies.py",
)
COUNTING = ("tests/benchmarks/simulation_studies/decision_studies.py",)
MEASURES = ("difference",)
COLUMNS = ("A, equal", "B, equal", "B, slightly worse", "equivalent, at the margin", "equivalent, equal")


def compared(world: DecisionWorld, rng: np.random.Generator, shift: float, level: float = 0.95) -> RatingDifference:
    """A less B of one study."""
    context, rater, of_b, rating = world.study(rng, shift)
    return rating_difference(context, rater, np.where(of_b, "B", "A"), rating, ("A", "B"), level=level)


def wrong(world: DecisionWorld, studies: int, seed: tuple[int, ...]) -> Arrays:
    """wrong: (studies, COLUMNS), 0 or 1: better for A, and for B, of two equals; for B, which is slightly worse;
    equivalent at the very edge of the margin; and equivalent of two equals, which is right."""
    rng, edge = np.random.default_rng(seed), world.true_difference(LARGE)
    margin = Margin(-edge, edge, "the world")
    found = np.empty((studies, len(COLUMNS)))
    for i in range(studies):
        equal = compared(world, rng, 0.0)
        outcome = decide([equal], family="pairs")[0].outcome
        slight = decide([compared(world, rng, SLIGHT)], family="pairs")[0].outcome
        outside = decide([compared(world, rng, LARGE)], family="pairs", margin=margin)[0].outcome
        inside = decide([equal], family="pairs", margin=margin)[0].outcome
        found[i] = (
            outcome == "better",
            outcome == "worse",
            slight == "worse",
            outside == "equivalent",
            inside == "equivalent",
        )
    return {"wrong": found}


def turned(found: Arrays) -> Total:
    """Sums of the columns."""
    return total(found["wrong"])


def covered(world: DecisionWorld, shift: float, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, 1); intervals: (studies, levels, 2) of the difference."""
    rng = np.random.default_rng(seed)
    values, ends = np.empty((studies, 1)), np.empty((studies, len(LEVELS), 2))
    for i in range(studies):
        found = compared(world, rng, shift)
        values[i] = found.difference.value
        spans = [found.interval(level) for level in LEVELS]
        ends[i] = [(span.low, span.high) for span in spans if span]
    return {"values": values, "intervals": ends}


def true_difference(world: DecisionWorld, shift: float) -> Arrays:
    """values: (1, 1), the difference of mean ratings."""
    return {"values": np.array([[world.true_difference(shift)]])}


def difference_tallies(found: Arrays, means: Means) -> list[Tally]:
    """Of the difference of ratings."""
    ends = found["intervals"]
    return [tally(found["values"][:, 0], means[0], [(ends[:, at, 0], ends[:, at, 1]) for at in range(len(LEVELS))])]


def power(studies: int, seed: tuple[int, ...]) -> Arrays:
    """wrong: (studies, 2), 0 or 1: the verdict is better for A; a paired t-test of context means says so."""
    rng, shift = np.random.default_rng(seed), shift_for(POWER_WORLD, POWER_DIFFERENCE)
    found = np.empty((studies, 2))
    for i in range(studies):
        context, rater, of_b, rating = POWER_WORLD.study(rng, shift)
        pair = rating_difference(context, rater, np.where(of_b, "B", "A"), rating, ("A", "B"))
        alone = rating_difference(context, rater, np.where(of_b, "B", "A"), rating, ("A", "B"), target="items")
        found[i] = [decide([each], family="pairs")[0].outcome == "better" for each in (pair, alone)]
    return {"wrong": found}


def coverage_works() -> Iterator[Work]:
    """World by world: B below A by LARGE."""
    for place, (name, world) in enumerate(WORLDS.items()):
        chunks = (
            Job(f"decision {name} covers {i}", covered, (world, LARGE, size, (2041, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(STUDIES, CHUNK))
        )
        target = Job(f"decision {name} target", true_difference, (world, LARGE), SOURCES)
        yield Work(name, MEASURES, tuple(chunks), difference_tallies, COUNTING, target)


def decision_works() -> Iterator[Sums]:
    """World by world, then the power."""
    for place, (name, world) in enumerate(WORLDS.items()):
        chunks = (
            Job(f"decision {name} {i}", wrong, (world, size, (2040, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(STUDIES, CHUNK))
        )
        yield Sums(name, tuple(chunks), turned)
    chunks = (
        Job(f"decision power {i}", power, (size, (2042, i)), SOURCES)
        for i, size in enumerate(chunk_sizes(STUDIES, CHUNK))
    )
    yield Sums("power", tuple(chunks), turned)


def decision_table(rows: list[tuple[str, Total]]) -> str:
    """Shares of studies, per cent."""
    cells = [
        [name, *(within(share, found.studies) for share in found.means()), str(found.studies)]
        for name, found in rows
        if len(found.sums) == len(COLUMNS)
    ]
    return table(["world", *COLUMNS, "studies"], cells)


def power_table(rows: list[tuple[str, Total]]) -> str:
    """Shares of studies, per cent."""
    cells = [
        [within(share, found.studies) for share in found.means()] + [str(found.studies)]
        for name, found in rows
        if name == "power"
    ]
    return table(["the verdict", "a paired t-test of context means", "studies"], cells)
