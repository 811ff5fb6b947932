"""Measure what the numbers, their intervals and the test are worth, and write docs/validity.md: `make truth`.

Simulated studies are kept in var/truth and used again while the code behind them is unchanged, so a run that was
stopped goes on. Long at full size: `--studies` and `--headline` make it shorter.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotation.rehearsal.world import validity
from annotation.rehearsal.world.truths import TRUTHS_FILE, load
from annotation.rehearsal.world.validity_page import page as demo_page
from tests.benchmarks.truth import huse_studies, judging_studies, size_studies
from tests.benchmarks.truth.coverage import Row
from tests.benchmarks.truth.huse_rows import TITLES, difference_rows, huse_rows
from tests.benchmarks.truth.judging_rows import accuracy_rows, alpha_rows, hj_rows, joined, quiz_rows
from tests.benchmarks.truth.page import coverage_table, section, summary, table, within
from tests.benchmarks.truth.running import simulate
from tests.benchmarks.truth.store import ROOT, Job
from tests.benchmarks.truth.wording import HEAD, SECTIONS, UNFINISHED
from tests.benchmarks.worlds import ONE_SOURCE, WORLDS

PAGE = ROOT / "docs" / "validity.md"
ByWorld = dict[str, list[Job]]


@dataclass(frozen=True)
class Plan:
    """All studies to simulate, section by section."""

    huse: ByWorld
    differences: ByWorld
    accuracy: ByWorld
    hj: ByWorld
    alpha: ByWorld
    quizzes: ByWorld
    sizes: ByWorld
    bias: tuple[tuple[int, int, Job], ...]

    def jobs(self) -> list[Job]:
        """Every job once, first chunks and targets first, so that an early look has all worlds in it."""
        worlds = [jobs for part in self._parts() for jobs in part.values()]
        first = [job for jobs in worlds for job in dict.fromkeys((jobs[0], jobs[-1]))]
        longest = max(len(jobs) for jobs in worlds)
        others = [jobs[i] for i in range(1, longest) for jobs in worlds if i < len(jobs) - 1]
        return list(dict.fromkeys([*first, *(job for _, _, job in self.bias), *others, *(jobs[-1] for jobs in worlds)]))

    def so_far(self) -> Plan:
        """What is there already: worlds with a chunk at least and, where they have one, their target."""
        sizes = tuple(cell for cell in self.bias if cell[2].file.exists())
        return Plan(*(_there(part) for part in self._parts()), sizes)

    def _parts(self) -> Iterable[ByWorld]:
        return self.huse, self.differences, self.accuracy, self.hj, self.alpha, self.quizzes, self.sizes


def _there(part: ByWorld) -> ByWorld:
    kept = {name: [job for job in jobs if job.file.exists()] for name, jobs in part.items()}
    return {
        name: kept[name]
        for name, jobs in part.items()
        if jobs[0] in kept[name] and (not jobs[-1].name.endswith("target") or jobs[-1] in kept[name])
    }


def plan(studies: int, headline: int) -> Plan:
    """studies: a row; headline: in the main worlds of HUSE."""
    return Plan(
        huse_studies.huse_jobs(studies, headline),
        huse_studies.difference_jobs(studies),
        judging_studies.accuracy_jobs(studies),
        judging_studies.hj_jobs(5 * studies),
        judging_studies.alpha_jobs(studies),
        judging_studies.quiz_jobs(studies),
        size_studies.size_jobs(studies),
        tuple(huse_studies.bias_jobs()),
    )


def lines(given: Plan, missing: int) -> Iterator[str]:
    """The page, part by part. missing: pieces of work not done yet."""
    yield HEAD
    if missing:
        yield UNFINISHED.format(missing=missing)
    worlds = {**WORLDS, **ONE_SOURCE}
    huse = {name: huse_rows(name, worlds[name], jobs) for name, jobs in given.huse.items()}
    together = [row for name in WORLDS for row in huse.get(name, ())]
    apart = [row for name in ONE_SOURCE for row in huse.get(name, ())]
    pairs = huse_studies.PAIRS
    between = [row for name, jobs in given.differences.items() for row in difference_rows(name, pairs[name], jobs)]
    accuracy = [row for name, jobs in given.accuracy.items() for row in accuracy_rows(name, jobs)]
    hj = [row for name, jobs in given.hj.items() for row in hj_rows(name, jobs)]
    alpha = [row for name, jobs in given.alpha.items() for row in alpha_rows(name, jobs)]
    rates = [row for name, jobs in given.quizzes.items() for row in quiz_rows(name, jobs)]
    parts: dict[str, list[Row]] = {
        "huse": together,
        "one source": apart,
        "differences": between,
        "accuracy": accuracy,
        "hj": hj,
        "alpha": alpha,
        "nnd": rates,
    }
    yield section_text("in short", summary([row for rows in parts.values() for row in rows]))
    for name, rows in parts.items():
        yield section_text(name, coverage_table(rows))
    yield section_text("size", _sizes(given.sizes))
    if given.bias:
        yield section_text("bias", _bias(given.bias))
    yield demo_page(load())


def section_text(name: str, *parts: str) -> str:
    """A section by its name in `wording`."""
    title, text = SECTIONS[name]
    return "\n".join(section(title, text, *parts))


def _sizes(by_design: ByWorld) -> str:
    rows = []
    for name, jobs in by_design.items():
        found = joined(jobs)
        studies = len(found["p"])
        shares = [float(np.mean(found[key][:, j] <= 0.05)) for j in range(2) for key in ("p", "mid_p")]
        rows.append([name, *(within(share, studies) for share in shares), str(studies)])
    return table(["design", "HUSE, p", "HUSE, mid-p", "HUSE-Q, p", "HUSE-Q, mid-p", "studies"], rows)


def _bias(jobs: Iterable[tuple[int, int, Job]]) -> str:
    cells: dict[int, dict[int, np.ndarray]] = {}
    for texts, ratings, job in jobs:
        cells.setdefault(texts, {})[ratings] = job.arrays()["values"].mean(axis=0)
    counts = sorted({r for found in cells.values() for r in found})
    rows = [
        [str(texts), *(", ".join(f"{mean:.3f}" for mean in found[r].tolist()) if r in found else "" for r in counts)]
        for texts, found in cells.items()
    ]
    return table(["texts", *(f"{r} ratings: {', '.join(TITLES)}" for r in counts)], rows)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure what the numbers and their intervals are worth.")
    parser.add_argument("--studies", type=int, default=2000, help="simulated studies behind each row")
    parser.add_argument("--headline", type=int, default=10_000, help="in the main worlds of HUSE")
    parser.add_argument(
        "--demo", type=int, default=2000, help="studies of the demo's design, four times as many besides"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--look", action="store_true", help="simulate nothing: write the page from what is there")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables go")
    options = parser.parse_args(arguments)
    begin = time.time()
    given = plan(options.studies, options.headline)
    if not options.look:
        simulate(given.jobs(), options.processes)
    if options.demo and not options.look:
        sizes = ["--studies", str(4 * options.demo), "--coverage", str(options.demo)]
        validity.main([*sizes, "--processes", str(options.processes), "--truths", str(TRUTHS_FILE)])
    missing = sum(not job.file.exists() for job in given.jobs())
    options.page.write_text("\n".join(lines(given.so_far(), missing)), encoding="utf-8")
    print(f"Wrote {options.page} after {(time.time() - begin) / 60:.0f} minutes.", flush=True)


if __name__ == "__main__":
    main()
