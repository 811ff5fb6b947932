"""HUSE and HUSE-Q of very many texts, ties exact, against a bare cKDTree query that ignores ties and votes.

    python -m tests.benchmarks.bench_large [rounds]

HJ is a lattice of sums of 20 ratings (or continuous, where the name says so), log p continuous. The tree is built and
asked for 17 neighbours of every point; ours sorts, searches, counts ties and votes in the plane and on the line. Both
sides use as many threads; ratios are medians over rounds in which they take turns.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from metrics.compiled import switch as compiled
from metrics.huse.subsampling import huse_arrays

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def study(n: int, lattice: bool) -> Arrays:
    """HJ, log p a unit, is-reference."""
    rng = np.random.default_rng(0)
    z = np.arange(n) % 2 == 0
    hj = 70 + 13 * rng.normal(size=n) + 8 * z
    return np.clip(np.rint(hj), 20, 120).astype(np.int64) if lattice else hj, rng.normal(size=n) - 0.3 * z, z


def tree(arrays: Arrays, threads: int) -> object:
    points = np.stack([column / column.std() for column in arrays[:2]], axis=1)
    return cKDTree(points).query(points, k=17, workers=threads)


def clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(n: int, lattice: bool, threads: int, rounds: int) -> float:
    """Print one line; our median seconds."""
    arrays = study(n, lattice)
    compiled.THREADS = threads
    huse_arrays(*arrays)
    pairs = [(clock(lambda: tree(arrays, threads)), clock(lambda: huse_arrays(*arrays))) for _ in range(rounds)]
    ratios = [theirs / mine for theirs, mine in pairs]
    mine = statistics.median(own for _, own in pairs)
    kind = "lattice" if lattice else "continuous"
    spread = f"({min(ratios):.1f}-{max(ratios):.1f})"
    median = statistics.median(ratios)
    print(f"{n:>9} {kind:<11} {threads} thread(s)  {1e3 * mine:7.1f} ms  {median:5.1f}x {spread}", flush=True)
    return mine


def main(rounds: int = 5) -> None:
    """Time and print."""
    compiled.load_kernels()
    for threads in (1, 2):
        small = measure(100_000, True, threads, 2 * rounds)
        large = measure(1_000_000, True, threads, rounds)
        print(f"          growth from 100,000 to 1,000,000 points: n^{math.log10(large / small):.2f}")
    measure(100_000, False, 2, rounds)
    measure(1_000_000, False, 2, max(1, rounds // 2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
