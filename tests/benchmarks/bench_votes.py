"""Bradley-Terry strengths of a million votes with two-way clustered intervals, on one core.

    python -m tests.benchmarks.bench_votes [rounds]

1,000,000 votes on 100 systems by 10,000 raters on 1,000 items, as numbers. The fit of the table of wins, which has no
intervals, is timed in the same rounds: the difference is what reading votes and clustering them cost.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time

import numpy as np

from metrics.compiled import switch
from metrics.inference.bradley_terry import bradley_terry, bradley_terry_votes

VOTES, SYSTEMS, RATERS, ITEMS = 1_000_000, 100, 10_000, 1_000
Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def votes(count: int = VOTES, seed: int = 0) -> Columns:
    """Item, rater, left, right and outcome of so many votes; a fifth are ties."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, SYSTEMS, count)
    right = (left + rng.integers(1, SYSTEMS, count)) % SYSTEMS
    item, rater = rng.integers(0, ITEMS, count), rng.integers(0, RATERS, count)
    strength = np.linspace(-1, 1, SYSTEMS) + rng.normal(0, 0.3, (ITEMS, SYSTEMS))
    chance = 1 / (1 + np.exp(strength[item, right] - strength[item, left]))
    outcome = np.where(rng.random(count) < 0.2, 0.5, (rng.random(count) < chance).astype(float))
    return item, rater, left, right, outcome


def wins_of(columns: Columns) -> np.ndarray:
    """The table of wins, ties half each."""
    _, _, left, right, outcome = columns
    wins = np.zeros((SYSTEMS, SYSTEMS))
    np.add.at(wins, (left, right), outcome)
    np.add.at(wins, (right, left), 1 - outcome)
    return wins


def main(rounds: int = 3) -> None:
    """Print seconds and memory of both, in turn."""
    switch.THREADS = 1
    columns = votes()
    wins = wins_of(columns)
    times: dict[str, list[float]] = {"votes": [], "table": []}
    for _ in range(rounds):
        begin = time.process_time()
        strengths = bradley_terry_votes(*columns)
        times["votes"].append(time.process_time() - begin)
        begin = time.process_time()
        bradley_terry(wins)
        times["table"].append(time.process_time() - begin)
    low, high = (strengths.log_strength[str(SYSTEMS - 1)].interval, strengths.log_strength["0"].interval)
    seconds = statistics.median(times["votes"])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{VOTES:,} votes, {SYSTEMS} systems, {RATERS:,} raters, {ITEMS:,} items, two-way clustered, one core:")
    print(f"  {seconds:.2f} s of the processor (median of {rounds}), peak {memory:,.0f} MiB of the process")
    print(f"  the table of wins alone, without intervals: {statistics.median(times['table']) * 1e3:.1f} ms")
    print(f"  strongest {low}, weakest {high}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
