"""The report of several criteria: 2,000 texts of two systems, four criteria, five raters a text.

    python -m tests.benchmarks.bench_criteria

The goal: under 20 s from the records to every file.
"""

from __future__ import annotations

import time
from dataclasses import replace

from metrics.report.build import build_report
from tests.benchmarks.bench_report import finish
from tests.metrics.report.samples import rated

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
CONTEXTS, RATERS = 1000, 5


def main() -> None:
    """Build and write the report, and print."""
    records = rated({"alpha": 0.5, "beta": 0.0}, contexts=CONTEXTS, raters=RATERS)
    ratings = tuple(
        replace(row, criterion=name, value=1 + (int(row.value) + shift * (hash_of(row.text) % 2)) % 5)
        for shift, name in enumerate(CRITERIA)
        for row in records.ratings
    )
    records = replace(records, ratings=ratings)
    print(f"{len(records.texts):,} texts, {len(ratings):,} ratings  ", end="", flush=True)
    begun = time.perf_counter()
    finish(build_report(records, seed=1), begun)


def hash_of(text: str) -> int:
    """A number of a text's name, the same in every run."""
    return sum(map(ord, text))


if __name__ == "__main__":
    main()
