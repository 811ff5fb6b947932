"""One valid replicate of HUSE's interval, 200 texts and 20 raters, against the original's loop on the same draws.

    python -m tests.benchmarks.bench_replicate [rounds]

A replicate is half of the contexts and HUSE, HUSE-Q and log p alone of it with 11 neighbours. The reference draws the
same halves by the same seed and runs the plain restatement of the original's per-point loop three times, with a
relative tolerance of 1e-12 on the cut so that ties are exact; every replicate and the standard errors must agree before
anything is timed. A round times the loop on a few replicates, then numpy, then the compiled loops on one and on two
threads; the ratio is the median over rounds. The last ratio of a line is to a loop that leaves log p alone out, though
ours does not.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from metrics.compiled import switch as compiled
from metrics.huse.subsampling import SHARE, disjoint_pairs, neighbours_in, subsample_sd
from metrics.huse.subsets import Study
from tests.benchmarks.bench_huse import texts
from tests.metrics.plain import loop_twice_error

DRAWS, LOOPED = 8000, 20
K = neighbours_in(SHARE, 16)


FEATURES = ([0, 1], [0], [1])


def loop(
    sums: np.ndarray, q: np.ndarray, is_model: np.ndarray, rows: np.ndarray, measures: int = 3
) -> list[list[float]]:
    """HUSE, HUSE-Q and log p alone (or the first of them) of each half, point by point."""
    pairs = np.stack((sums / 20, q), axis=1)
    return [
        [loop_twice_error(pairs[row][:, used], is_model[row], K, tolerance=1e-12) for used in FEATURES[:measures]]
        for row in rows
    ]


def halves(z: np.ndarray, context: np.ndarray, seed: int, draws: int) -> np.ndarray:
    """Text numbers of so many halves: (draws, texts)."""
    chosen = np.concatenate(list(disjoint_pairs(z, context, np.random.default_rng(seed), draws // 2)))
    return np.nonzero(chosen)[1].reshape(len(chosen), -1)


def agree(sums: np.ndarray, q: np.ndarray, is_model: np.ndarray, context: np.ndarray, draws: int = 200) -> None:
    """Compare every replicate with the loop's."""
    z = is_model == 0
    rows = halves(z, context, 7, draws)
    slow = np.array(loop(sums, q, is_model, rows))
    found = Study(sums, q, z, K).values(rows)
    fast = np.stack((found.huse, found.huse_q, found.log_prob_only), axis=1)
    if not np.allclose(slow, fast, rtol=0, atol=1e-12):
        raise SystemExit("The replicates differ from the loop's.")
    apart = np.subtract(*np.split(np.column_stack((slow, 1 + slow[:, 0] - slow[:, 1])), 2))
    errors = subsample_sd(sums, q, z, np.random.default_rng(7), draws, context=context)
    ours = errors.huse, errors.huse_q, errors.log_prob_only, errors.huse_d
    if not np.allclose(np.sqrt((apart**2).mean(axis=0) / 4), ours, rtol=1e-9):
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

    def slow(measures: int) -> object:
        return loop(sums, q, is_model, halves(z, context, 1, LOOPED), measures)

    def ours(kernels: Any, threads: int) -> Callable[[], object]:
        def work() -> object:
            compiled._state.update(kernels=kernels, tried=True)
            compiled.THREADS = threads
            return subsample_sd(sums, q, z, np.random.default_rng(1), DRAWS, context=context)

        return work

    agree(sums, q, is_model, context)
    compiled.load_kernels()
    kernels = compiled.get_kernels()
    ways = {"numpy": ours(None, 1), "compiled, 1 thread": ours(kernels, 1), "compiled, 2 threads": ours(kernels, 2)}
    agree(sums, q, is_model, context)
    for work in ways.values():
        work()
    ratios: dict[str, list[float]] = {name: [] for name in ways}
    of_two: dict[str, list[float]] = {name: [] for name in ways}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            mine = min(seconds(work, DRAWS) for _ in range(3))
            ratios[name].append(seconds(lambda: slow(3), LOOPED) / mine)
            of_two[name].append(seconds(lambda: slow(2), LOOPED) / mine)
            times[name].append(mine)
    for name, values in ratios.items():
        spread = f"({min(values):.0f}-{max(values):.0f})"
        two = statistics.median(of_two[name])
        mine = 1e6 * statistics.median(times[name])
        print(f"{name:<22} {mine:6.1f} us  {statistics.median(values):5.0f}x {spread:<12} {two:5.0f}x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
