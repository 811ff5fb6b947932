"""HUSE on 200 texts against a plain restatement of the original's per-point loop, interleaved in one run.

    python -m tests.benchmarks.bench_huse [rounds]

Each round times the loop (three leave-one-out runs: both features, HJ, log p) and ours in turn; the ratio printed is
the median over rounds. "from items" includes validation of 200 records and everything up to the result with its
flags and signatures, without intervals; "from arrays" is the entry for simulations (two runs, so its loop has two):
in numpy, as a fresh process has it, and by the compiled loops, once they are loaded. "a fresh process" is the first
call of all, which must not wait for a compiler.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from metrics import Item, evaluate
from metrics.compiled import switch as compiled
from metrics.huse.subsampling import huse_arrays, subsample_sd
from tests.metrics.plain import loop_huse, loop_twice_error

FIRST = """
import sys, time
from metrics.huse.subsampling import huse_arrays
from tests.benchmarks.bench_huse import texts
sums, q, is_model = texts()
start = time.perf_counter()
huse_arrays(sums, q, is_model == 0)
print(1e3 * (time.perf_counter() - start), "numba" in sys.modules)
"""


def texts(n: int = 200, raters: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rating sums, log p per token and is-model of a made-up study: HJ on a lattice, log p continuous."""
    rng = np.random.default_rng(seed)
    is_model = np.arange(n) % 2
    quality = rng.normal(3.8 - 0.6 * is_model, 0.6)
    ratings = np.clip(np.rint(quality[:, None] + rng.normal(0, 1.2, (n, raters))), 1, 6).sum(axis=1).astype(np.int64)
    return ratings, np.round(-np.abs(rng.normal(3 - 0.5 * is_model, 1.2, n)), 4), is_model


def as_items(sums: np.ndarray, q: np.ndarray, is_model: np.ndarray, raters: int = 20) -> list[Item]:
    """The same study as records."""
    return [
        Item(str(i), "model" if m else "reference", Fraction(int(s), raters), float(x) * 8, 8, ratings=raters)
        for i, (s, x, m) in enumerate(zip(sums, q, is_model, strict=True))
    ]


def clock(work: Callable[[], object], repeats: int) -> float:
    """Seconds for one call, the best of a few runs of `repeats` calls."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        best = min(best, (time.perf_counter() - start) / repeats)
    return best


def with_loops(loops: object, work: Callable[[], object]) -> Callable[[], object]:
    """The work with these compiled loops, or with none."""

    def run() -> object:
        compiled._state.update(kernels=loops, tried=True)
        return work()

    return run


def fresh_process() -> str:
    """The first call of a new process: milliseconds, and whether a compiler was waited for."""
    ran = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    milliseconds, compiler = ran.stdout.split()
    return f"{float(milliseconds):6.3f} ms  compiler loaded: {compiler}"


def main(rounds: int = 15) -> None:
    """Time and print."""
    sums, q, is_model = texts()
    items, hj, z = as_items(sums, q, is_model), sums / 20, is_model == 0
    pair = np.stack((q, hj), axis=1)
    three = lambda: loop_huse(hj, q, is_model)  # noqa: E731
    two = lambda: (loop_twice_error(pair, is_model), loop_twice_error(hj[:, None], is_model))  # noqa: E731
    compiled.load_kernels()
    loops = compiled.get_kernels()
    arrays = lambda: huse_arrays(sums, q, z)  # noqa: E731
    ours: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("exact mode, from items", with_loops(None, lambda: evaluate(items, ["exact"], draws=0)), three),
        ("paper mode, from items", with_loops(None, lambda: evaluate(items, ["paper"], draws=0)), three),
        ("from arrays, numpy", with_loops(None, arrays), two),
        ("from arrays, loaded", with_loops(loops, arrays), two),
    ]
    ratios: dict[str, list[float]] = {name: [] for name, _, _ in ours}
    times: dict[str, list[float]] = {name: [] for name, _, _ in ours}
    for _ in range(rounds):
        for name, fast, slow in ours:
            loop, mine = clock(slow, 2), clock(fast, 20)
            ratios[name].append(loop / mine)
            times[name].append(mine)
    for name, values in ratios.items():
        spread = f"({min(values):.1f}-{max(values):.1f})"
        print(f"{name:<24} {1e3 * statistics.median(times[name]):6.3f} ms  {statistics.median(values):5.1f}x {spread}")
    print(f"{'a fresh process':<24} {fresh_process()}")
    interval = lambda: subsample_sd(sums, q, z, np.random.default_rng(0), 400)  # noqa: E731
    for name, state in (("numpy", None), ("loaded", loops)):
        seconds = clock(with_loops(state, interval), 1)
        print(f"{'interval, 400 draws, ' + name:<28} {1e3 * seconds:6.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
