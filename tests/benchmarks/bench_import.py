"""What `import metrics` costs, and the first use of its measures beyond `import numpy`: processor time of a process.

python -m tests.benchmarks.bench_import [rounds]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

# One of each paper but the h-score, and agreement; reports load more (figures).
MEASURES = (
    "import metrics; metrics.evaluate, metrics.evaluate_judgments, metrics.pass_rates, metrics.krippendorff_alpha"
)
CODES = {
    "an empty process": "pass",
    "import numpy": "import numpy",
    "import metrics": "import metrics",
    "measures": MEASURES,
}


def seconds(code: str) -> float:
    """Processor time of one new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int = 9) -> None:
    """Time in turn and print."""
    times = [{name: seconds(code) for name, code in CODES.items()} for _ in range(rounds)]
    for name, base in (
        ("import numpy", "an empty process"),
        ("import metrics", "an empty process"),
        ("measures", "import numpy"),
    ):
        beyond = [row[name] - row[base] for row in times]
        spread = f"({min(beyond):.3f}-{max(beyond):.3f})"
        print(f"{name:<15} beyond {base:<17} {statistics.median(beyond):.3f} s {spread}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
