"""`make bench`: run every benchmark, or those named, and write what they printed to docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = {
    "The marketplace on PostgreSQL, two web processes": "tests.benchmarks.bench_marketplace",
    "The worker site under a closed loop of workers, PostgreSQL, two web processes": "tests.load",
    "The marketplace's books after 10,000 random steps": "tests.benchmarks.prove_ledger",
    "Collecting 100,000 submissions of 25 ratings, PostgreSQL": "tests.benchmarks.bench_ingest",
    "Importing 1,000,000 ratings": "tests.benchmarks.bench_import_ratings",
    "HJ of 500,000 texts from 10 million ratings": "tests.benchmarks.bench_hj",
    "Pages of the console over 100,000 and 1,000,000 judgments": "tests.benchmarks.bench_console",
    "Importing 100,000 texts": "tests.benchmarks.bench_import_texts",
    "Building near-negative tests": "tests.benchmarks.bench_nnd",
    "Scoring candidates with real model sizes against the original loops": "tests.benchmarks.bench_loglik",
    "What `import metrics` and its measures cost": "tests.benchmarks.bench_import",
    "HUSE against a plain restatement of the original loop, 200 texts": "tests.benchmarks.bench_huse",
    "One valid replicate of HUSE's interval against the original loop": "tests.benchmarks.bench_replicate",
    "HUSE of 100,000 and 1,000,000 texts against a bare cKDTree query": "tests.benchmarks.bench_large",
    "Krippendorff's alpha, 100,000 items x 20 raters, 15 % filled": "tests.benchmarks.bench_alpha",
    "The review desk's pages at 10,000 assignments": "tests.benchmarks.bench_desk",
    "Requests to the console and the web API at 10,000 assignments": "tests.benchmarks.bench_requests",
    "Evidence about 100,000 assignments": "tests.benchmarks.bench_evidence",
    "Dawid-Skene and MACE on 1 million ratings beside crowd-kit": "tests.benchmarks.bench_workers",
    "Crossed mixed model, 100,000 ratings": "tests.benchmarks.bench_mixed",
    "A whole report with every interval": "tests.benchmarks.bench_report",
    "A ticked exclusion rule, 1,000,000 ratings": "tests.benchmarks.bench_tick",
    "A report of several criteria": "tests.benchmarks.bench_criteria",
}
HEAD = """# Benchmarks

Made by `make bench` on {machine}, Python {python}. Ratios are of one run in which both sides take turns; absolute
times depend on the machine and on what else it does.
"""


PAGE = ROOT / "docs" / "benchmarks.md"


def chosen(names: list[str]) -> dict[str, str]:
    """The benchmarks whose modules end in these names; without names, all."""
    found = {title: module for title, module in BENCHMARKS.items() if not names or module.split(".")[-1] in names}
    if unknown := set(names) - {module.split(".")[-1] for module in found.values()}:
        raise SystemExit(f"There is no benchmark {', '.join(sorted(unknown))}.")
    return found


def written(page: str) -> dict[str, str]:
    """The sections of a page by their titles."""
    return {part.split("\n", 1)[0]: f"## {part.rstrip()}\n" for part in page.split("\n## ")[1:]}


def main(names: list[str]) -> None:
    machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    sections = written(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for title, module in chosen(names).items():
        print(f"{title} ...", flush=True)
        ran = subprocess.run([sys.executable, "-m", module], cwd=ROOT, capture_output=True, text=True, check=True)
        print(ran.stdout)
        sections[title] = f"## {title}\n\n`python -m {module}`\n\n```\n{ran.stdout.rstrip()}\n```\n"
        head = HEAD.format(machine=machine, python=platform.python_version())
        PAGE.write_text("\n".join([head, *(sections[t] for t in BENCHMARKS if t in sections)]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
