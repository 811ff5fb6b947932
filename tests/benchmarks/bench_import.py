"""What `import metrics` costs beyond `import numpy`, in processor time of a new process.

python -m tests.benchmarks.bench_import [rounds]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys


def seconds(code: str) -> float:
    """Processor time of one new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int = 9) -> None:
    """Time in turn and print."""
    pairs = [(seconds("import numpy"), seconds("import metrics")) for _ in range(rounds)]
    beyond = [ours - numpy for numpy, ours in pairs]
    print(f"import numpy            {statistics.median(numpy for numpy, _ in pairs):.3f} s")
    print(f"import metrics, beyond  {statistics.median(beyond):.3f} s ({min(beyond):.3f}-{max(beyond):.3f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
