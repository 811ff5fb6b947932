"""A whole report with every interval: seconds, and the memory of a process that does nothing else.

    python -m tests.benchmarks.bench_report [SIZE]

The goals: 200 texts x 20 raters in under 20 s, 5,000 texts x 20 raters in under 3 minutes and 1.5 GB; 1,000,000 ratings
from the file of their snapshot, as `python -m metrics report` reads it, in under 1 GB.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from metrics.cli.report import read_snapshot_file
from metrics.report.build import build_report, report_of
from metrics.report.formats.write import write_report
from metrics.report.result import Report
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from tests.metrics.report.samples import NOW, study

SIZES = {"200 texts x 20 raters": 100, "5,000 texts x 20 raters": 2500}  # texts of each of two sources
LARGEST = {"50,000 texts x 20 raters": 25_000}  # 1,000,000 ratings
PREPARE = "--prepare"


def from_records(texts: int) -> None:
    """Build and write the report of a study in memory, and print."""
    records = study({"model": (0.5, 0.5)}, texts=texts, raters=20)
    begun = time.perf_counter()
    finish(build_report(records, seed=1), begun)


def from_snapshot(path: Path) -> None:
    """Build and write the report of a file, and print. The bytes of the file are dropped once they are read."""
    begun = time.perf_counter()
    waiting = [read_snapshot_file(path)]
    finish(report_of(waiting.pop(), seed=1), begun)


def finish(report: Report, begun: float) -> None:
    built = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        write_report(report, Path(folder), now=NOW)
    written = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{built - begun:7.1f} s computed  {written - built:6.1f} s written  {peak:5.2f} GB", flush=True)


def prepare(texts: int, path: Path) -> None:
    """Write the snapshot of a study, without rows of what was said or paid for each assignment."""
    records = replace(study({"model": (0.5, 0.5)}, texts=texts, raters=20), versions=(), commit=None, command=None)
    content = content_of(records)
    header = Header(records.study.name, 1, NOW, "ada", "benchmark", sha256_of(content))
    path.write_bytes(Snapshot(header, content).document())


def main(names: list[str]) -> None:
    """Each size in a process of its own, so that the peak of memory is its own."""
    for name in names or [*SIZES, *LARGEST]:
        print(f"{name:<26}", end="", flush=True)
        if name in SIZES:
            run(name)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "snapshot.json")
            run(PREPARE, name, path)
            run(name, path)


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "tests.benchmarks.bench_report", "--in-process", *arguments], check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--in-process", "--prepare", name, path]:
            prepare(LARGEST[name], Path(path))
        case ["--in-process", name, path]:
            from_snapshot(Path(path))
        case ["--in-process", name]:
            from_records(SIZES[name])
        case names:
            main(names)
