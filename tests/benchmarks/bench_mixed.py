"""The crossed mixed model on 100,000 ratings: seconds, and the memory of a process that does nothing else.

    python -m tests.benchmarks.bench_mixed

The dense covariance matrix of 100,000 ratings would hold 80 GB; the goal is under 20 s and 1 GB.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from metrics.inference.mixed_model import mixed_model

WORLDS = {
    "20,000 items x 200 raters": (20_000, 200, False),
    "20,000 items x 200 raters, slopes by rater": (20_000, 200, True),
    "50 items x 5,000 raters": (50, 5_000, False),
    "5,000 items x 1,000 raters": (5_000, 1_000, False),
}


def one(items: int, raters: int, slopes: bool, n: int = 100_000) -> None:
    """Fit one world and print."""
    rng = np.random.default_rng(0)
    item, rater = rng.integers(0, items, n), rng.integers(0, raters, n)
    source = (item % 2).astype(float)
    severity = 0.5 * rng.normal(size=raters)[rater] + 0.3 * slopes * rng.normal(size=raters)[rater] * source
    value = rng.normal(size=items)[item] + severity + 0.3 * source + rng.normal(size=n)
    start = time.perf_counter()
    found = mixed_model(value, item, rater, {"source": source}, slope="source" if slopes else None)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    effect = found.effects["source"]
    sd = {name: round(variance**0.5, 3) for name, variance in found.variances.items() if variance >= 0}
    print(f"{seconds:7.2f} s  {peak:5.2f} GB  source {effect.value:.3f}  sd {sd}  {', '.join(found.flags)}", flush=True)


def main() -> None:
    """Each world in a process of its own, so that the peak of memory is its own."""
    for name in WORLDS:
        print(f"{name:<44}", end="", flush=True)
        subprocess.run([sys.executable, "-m", "tests.benchmarks.bench_mixed", name], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(*WORLDS[sys.argv[1]])
    else:
        main()
