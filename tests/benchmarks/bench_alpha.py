"""Krippendorff's alpha on 100,000 items x 20 raters, 15 % filled, five labels.

    python -m tests.benchmarks.bench_alpha [rounds] [--python FILE]

Each round times everything in turn, our loops loaded beforehand; ratios are medians over rounds. "restated" is the
definition over value counts in plain numpy (a count matrix, a coincidence matrix, their sums). The whole benchmark
runs in an environment that has the `krippendorff` package, so that both are timed in one run: that of --python, or
one that is made in a temporary folder, with our versions of numpy and scipy, and thrown away (the package is GPL and
no requirement of ours). The package reads a dense matrix of raters by items; it is given both memory layouts, and
ratios are to the faster one.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable

import numpy as np

from metrics.agreement.krippendorff import alpha_arrays, krippendorff_alpha
from metrics.compiled import switch as compiled
from tests.benchmarks.temporary_site import beside

PACKAGE = "0.9.0"
Work = dict[str, Callable[[], object]]


def ratings(items: int = 100_000, raters: int = 20, fill: float = 0.15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """item, rater, value: items differ in quality."""
    rng = np.random.default_rng(0)
    item, rater = np.nonzero(rng.random((items, raters)) < fill)
    value = np.clip(np.rint(2 + rng.normal(size=items)[item] + rng.normal(size=len(item))), 0, 4)
    return item, rater, value.astype(np.int8)


def restated(item: np.ndarray, value: np.ndarray) -> float:
    """Ordinal alpha from a count matrix and a coincidence matrix."""
    counts = np.zeros((item.max() + 1, value.max() + 1))
    np.add.at(counts, (item, value), 1)
    counts = counts[counts.sum(axis=1) > 1]
    weighted = counts / (counts.sum(axis=1) - 1)[:, None]
    coincidences = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=0)
    middle = np.cumsum(totals) - totals / 2
    difference = (middle[:, None] - middle) ** 2
    n = totals.sum()
    return float(1 - (n - 1) * (coincidences * difference).sum() / (totals @ difference @ totals))


def jobs() -> Work:
    """What is timed, by name."""
    item, rater, value = ratings()
    work: Work = {
        "ours": lambda: alpha_arrays(item, value, "ordinal"),
        "ours, 1,000-replicate interval": lambda: krippendorff_alpha(item, rater, value, "ordinal", draws=1000),
        "restated": lambda: restated(item, value),
    }
    if importlib.util.find_spec("krippendorff"):
        krippendorff = importlib.import_module("krippendorff")
        matrix = np.full((20, 100_000), np.nan)
        matrix[rater, item] = value
        by_item = np.ascontiguousarray(matrix.T).T
        work["package"] = lambda: krippendorff.alpha(matrix, level_of_measurement="ordinal")
        work["package, stored by item"] = lambda: krippendorff.alpha(by_item, level_of_measurement="ordinal")
    return work


def main(rounds: int = 9) -> None:
    """Time and print."""
    compiled.load_kernels()
    work = jobs()
    work["ours"]()  # loops are compiled once
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, job in work.items():
            start = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - start)
    for name, seconds in times.items():
        print(f"{name:<32} {1e3 * statistics.median(seconds):8.2f} ms")
    show("restated / ours", times["restated"], times["ours"])
    if "package" not in times:
        print("The package was not timed: it could not be installed.")
        return
    package = [min(pair) for pair in zip(times["package"], times["package, stored by item"], strict=True)]
    show("package / ours", package, times["ours"])
    show("package's one value / our interval", package, times["ours, 1,000-replicate interval"])


def show(name: str, slow: list[float], fast: list[float]) -> None:
    """Median, smallest and largest ratio over rounds."""
    ratios = [a / b for a, b in zip(slow, fast, strict=True)]
    print(f"{name:<36} {statistics.median(ratios):6.1f}x ({min(ratios):.1f}-{max(ratios):.1f})")


if __name__ == "__main__":
    beside("tests.benchmarks.bench_alpha", "krippendorff", f"krippendorff=={PACKAGE}", main, rounds=9)
