"""Coverage of the intervals of HUSE, HUSE-Q and HUSE-D, and of differences between two models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.components import joint_interval
from metrics.distributions import t_quantile
from metrics.rater_halves import MUCH_DIFFERENT
from metrics.resampling import degrees, subsample_interval
from tests.benchmarks.truth.coverage import LEVELS, Row, row
from tests.benchmarks.truth.huse_studies import NAMES
from tests.benchmarks.truth.store import Job
from tests.benchmarks.worlds import World

TITLES = ("HUSE", "HUSE-Q", "HUSE-D")


def huse_rows(name: str, world: World, jobs: Sequence[Job]) -> list[Row]:
    """The three measures of one world. The target is the mean over all studies, those without intervals included."""
    *chunks, rest = [job.arrays() for job in jobs]
    joined = {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}
    truth = np.concatenate((joined["values"], rest["values"])).mean(axis=0)
    return [
        row(name, title, joined["values"][:, j], float(truth[j]), _intervals(world, joined, j))
        for j, title in enumerate(TITLES)
    ]


def _intervals(world: World, joined: dict[str, np.ndarray], j: int) -> list[tuple[np.ndarray, np.ndarray]]:
    texts, difference = 2 * world.pairs, NAMES[j] == "huse_d"
    found = []
    for level in LEVELS:
        ends = []
        columns = (joined["values"][:, j], joined["errors"][:, j], joined["raters"][:, j], joined["apart"])
        for value, sd, part, apart in zip(*(column.tolist() for column in columns), strict=True):
            if apart > MUCH_DIFFERENT:
                own = joint_interval(value, sd, part, texts, world.pool, level, difference)
            else:
                own = subsample_interval(value, sd, texts, level, difference)
            ends.append((own.low, own.high))
        found.append(tuple(np.transpose(ends)))
    return found


def difference_rows(name: str, pair: tuple[World, World], jobs: Sequence[Job]) -> list[Row]:
    """The three differences. They come with their interval at 95 %; that at 90 % is narrower by the ratio of the t."""
    *chunks, rest = [job.arrays() for job in jobs]
    values, low, high = (np.concatenate([chunk[key] for chunk in chunks]) for key in ("values", "low", "high"))
    truth = np.concatenate((values, rest["values"])).mean(axis=0)
    freedom = degrees(2 * pair[0].pairs)
    rows = []
    for j, title in enumerate(TITLES):
        intervals = []
        for level in LEVELS:
            half = (high - low)[:, j] / 2 * t_quantile((1 + level) / 2, freedom) / t_quantile(0.975, freedom)
            intervals.append((values[:, j] - half, values[:, j] + half))
        rows.append(row(name, f"difference of {title}", values[:, j], float(truth[j]), intervals))
    return rows
