"""Counting how often the intervals of HUSE, HUSE-Q and HUSE-D hold their target, and those of differences."""

from __future__ import annotations

import numpy as np

from metrics.huse.rater_variance import MUCH_DIFFERENT
from metrics.huse.variance_components import joint_interval
from metrics.inference.distributions import t_quantile
from metrics.inference.error_rate_intervals import degrees_of_freedom, subsample_interval
from tests.benchmarks.simulation_studies.store import Arrays
from tests.benchmarks.simulation_studies.tallies import LEVELS, Intervals, Tally, tally
from tests.benchmarks.simulation_studies.works import Means
from tests.benchmarks.worlds import World

TITLES = ("HUSE", "HUSE-Q", "HUSE-D")
DIFFERENCES = tuple(f"difference of {title}" for title in TITLES)
COUNTING = (
    "metrics/huse/variance_components.py",
    "metrics/inference/distributions.py",
    "metrics/inference/error_rate_intervals.py",
    "metrics/inference/proportions.py",
    "tests/benchmarks/simulation_studies/huse_rows.py",
)


def huse_tallies(world: World, found: Arrays, means: Means) -> list[Tally]:
    """The three measures of a chunk of one world."""
    return [tally(found["values"][:, j], mean, _intervals(world, found, j)) for j, mean in enumerate(means)]


def _intervals(world: World, found: Arrays, j: int) -> Intervals:
    texts, difference = world.texts, TITLES[j] == "HUSE-D"
    columns = (found["values"][:, j], found["errors"][:, j], found["raters"][:, j], found["apart"])
    studies = list(zip(*(column.tolist() for column in columns), strict=True))
    by_level = []
    for level in LEVELS:
        ends = []
        for value, sd, part, apart in studies:
            if apart > MUCH_DIFFERENT:
                own = joint_interval(value, sd, part, texts, world.pool, level, difference=difference)
            else:
                own = subsample_interval(value, sd, texts, level, difference)
            ends.append((own.low, own.high))
        low, high = np.transpose(ends)
        by_level.append((low, high))
    return by_level


def difference_tallies(pairs: int, found: Arrays, means: Means) -> list[Tally]:
    """The three differences. They come with their interval at 95 %; that at 90 % is narrower by the ratio of the t."""
    freedom = degrees_of_freedom(2 * pairs)
    tallies = []
    for j, mean in enumerate(means):
        values, low, high = (found[key][:, j] for key in ("values", "low", "high"))
        halves = [
            (high - low) / 2 * t_quantile((1 + level) / 2, freedom) / t_quantile(0.975, freedom) for level in LEVELS
        ]
        tallies.append(tally(values, mean, [(values - half, values + half) for half in halves]))
    return tallies
