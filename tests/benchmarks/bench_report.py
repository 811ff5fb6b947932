"""A whole report with every interval: seconds, and the memory of a process that does nothing else.

    python -m tests.benchmarks.bench_report

The goals: 200 texts x 20 raters in under 20 s, 5,000 texts x 20 raters in under 3 minutes and 1.5 GB.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from metrics.report.build import build_report
from metrics.report.formats.write import write_report
from tests.metrics.report.samples import NOW, study

SIZES = {"200 texts x 20 raters": 100, "5,000 texts x 20 raters": 2500}  # texts of each of two sources


def one(texts: int) -> None:
    """Build and write one report, and print."""
    given = study({"model": (0.5, 0.5)}, texts=texts, raters=20)
    begun = time.perf_counter()
    report = build_report(given, seed=1)
    built = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        write_report(report, Path(folder), now=NOW)
    written = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{built - begun:7.1f} s computed  {written - built:6.1f} s written  {peak:5.2f} GB", flush=True)


def main() -> None:
    """Each size in a process of its own, so that the peak of memory is its own."""
    for name in SIZES:
        print(f"{name:<26}", end="", flush=True)
        subprocess.run([sys.executable, "-m", "tests.benchmarks.bench_report", name], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(SIZES[sys.argv[1]])
    else:
        main()
