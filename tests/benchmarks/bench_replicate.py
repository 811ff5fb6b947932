"""One valid replicate of HUSE's interval, 200 texts and 20 raters, against the original's loop on the same draws.

    python -m tests.benchmarks.bench_replicate [rounds]

A replicate is half of the contexts and HUSE and HUSE-Q of it with 11 neighbours (ours computes log p alone as well).
The reference draws the same halves by the same seed and runs the plain restatement of the original's per-point loop,
with a relative tolerance of 1e-12 on the cut so that ties are exact; every replicate must agree before anything is
timed. A round times the loop on a few replicates, then numpy, then the compiled loops on one and on two threads; the
ratio is the median over rounds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from metrics import compiled, subsample_sd
from metrics.resampling import SHARE, disjoint_pairs, neighbours_in
from metrics.subsets import Study
from tests.benchmarks.bench_huse import texts
from tests.metrics.plain import loop_twice_error

DRAWS, LOOPED = 8000, 20
K = neighbours_in(SHARE, 16)


def loop(sums: np.ndarray, q: np.ndarray, is_model: np.ndarray, rows: np.ndarray) -> list[tuple[float, float]]:
    """HUSE and HUSE-Q of each half, point by point."""
    pairs = np.stack((sums / 20, q), axis=1)
    return [
        (
            loop_twice_error(pairs[row], is_model[row], K, tolerance=1e-12),
            loop_twice_error(pairs[row, :1], is_model[row], K, tolerance=1e-12),
        )
        for row in rows
    ]


def halves(z: np.ndarray, context: np.ndarray, seed: int, draws: int) -> np.ndarray:
    """Text numbers of so many halves: (draws, texts)."""
    chosen = np.concatenate(list(disjoint_pairs(z, context, np.random.default_rng(seed), draws // 2)))
    return np.nonzero(chosen)[1].reshape(len(chosen), -1)


def agree(sums: np.ndarray, q: np.ndarray, is_model: np.ndarray, context: np.ndarray, draws: int = 200) -> None:
    """Compare every replicate with the loop's."""
    z = is_model == 0
    slow = np.array(loop(sums, q, is_model, halves(z, context, 7, draws)))
    fast = np.stack(Study(sums, q, z, K).huse_and_q(halves(z, context, 7, draws)), axis=1)
    if not np.allclose(slow, fast, rtol=0, atol=1e-12):
        raise SystemExit("The replicates differ from the loop's.")
    slow = np.column_stack((slow, 1 + slow[:, 0] - slow[:, 1]))
    expected = np.sqrt((np.subtract(*np.split(slow, 2)) ** 2).mean(axis=0) / 4)
    found = subsample_sd(sums, q, z, np.random.default_rng(7), draws, context=context)
    if not np.allclose(expected, (found.huse, found.huse_q, found.huse_d), rtol=1e-9):
        raise SystemExit("The standard errors differ from the loop's.")
    print(f"{draws} replicates by the same seed, and their standard errors, agree with the loop's.")


def seconds(work: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) / repeats


def main(rounds: int = 7) -> None:
    """Time and print."""
    sums, q, is_model = texts()
    context = np.repeat(np.arange(100), 2)
    z = is_model == 0

    def slow() -> object:
        return loop(sums, q, is_model, halves(z, context, 1, LOOPED))

    def ours(kernels: Any, threads: int) -> Callable[[], object]:
        def work() -> object:
            compiled._state.update(kernels=kernels, tried=True)
            compiled.THREADS = threads
            return subsample_sd(sums, q, z, np.random.default_rng(1), DRAWS, context=context)

        return work

    agree(sums, q, is_model, context)
    compiled.load()
    kernels = compiled.kernels(False)
    ways = {"numpy": ours(None, 1), "compiled, 1 thread": ours(kernels, 1), "compiled, 2 threads": ours(kernels, 2)}
    agree(sums, q, is_model, context)
    for work in ways.values():
        work()
    ratios: dict[str, list[float]] = {name: [] for name in ways}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            one, mine = seconds(slow, LOOPED), min(seconds(work, DRAWS) for _ in range(3))
            ratios[name].append(one / mine)
            times[name].append(mine)
    for name, values in ratios.items():
        spread = f"({min(values):.0f}-{max(values):.0f})"
        print(f"{name:<22} {1e6 * statistics.median(times[name]):6.1f} us  {statistics.median(values):5.0f}x {spread}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
