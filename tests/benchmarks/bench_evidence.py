"""Evidence about 100,000 assignments: every filter, and the sentences of all flags.

    python -m tests.benchmarks.bench_evidence [assignments]

Two halves: 25-item typicality HITs without reasons, and 5-item HITs each answer of which is explained. Studies of the
simulated crowds (tests.benchmarks.simulation_studies.crowd_worlds) are laid side by side; making them is not timed.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import fields, replace

import numpy as np

from annotation.quality.filters import FILTERS
from annotation.quality.measure import measure_work
from annotation.quality.work_table import Lines, Reasons, Work
from annotation.rehearsal.world import World
from tests.benchmarks.simulation_studies.crowd_worlds import EXPLAINED, TYPICALITY, study


def beside(one: Work, times: int) -> Work:
    """So many copies of a study with workers, texts and reasons of their own."""
    n, m, t, w = len(one), len(one.lines.text), len(one.bodies), int(one.worker.max()) + 1
    copies = np.repeat(np.arange(times), m)
    columns = {field.name: np.tile(getattr(one.lines, field.name), times) for field in fields(Lines)}
    columns["assignment"] += copies * n
    columns["text"] += copies * t
    own = ("cell", "work_seconds", "unanswered", "checks", "checks_passed", "practice", "practice_right", "device")
    rows = np.tile(one.reasons.line, times) + np.repeat(np.arange(times), len(one.reasons.line)) * m
    bodies = [f"{body} {i}" for i in range(times) for body in one.reasons.body]
    return replace(
        one,
        worker=np.tile(one.worker, times) + np.repeat(np.arange(times), n) * w,
        lines=Lines(**columns),
        reasons=Reasons(rows, bodies),
        bodies=list(one.bodies) * times,
        **{name: np.tile(getattr(one, name), times) for name in own},
    )


def told(work: Work) -> tuple[int, float]:
    """Sentences made of all flags, and seconds for everything."""
    start = time.perf_counter()
    found = measure_work(work)
    sentences = [
        one.finding_sentence(float(found.measured[one.kind].value[i]), int(found.measured[one.kind].n[i]))
        for one in FILTERS
        for i in np.flatnonzero(found.raised[one.kind])
    ]
    return len(sentences), time.perf_counter() - start


def main(assignments: int) -> None:
    """Time and print."""
    world, total = World.load(), 0.0
    for setting in (TYPICALITY, EXPLAINED):
        one = study(setting, world, np.random.default_rng(1)).work
        work = beside(one, assignments // 2 // len(one))
        sentences, seconds = told(work)
        total += seconds
        print(f"{len(work):>7,} assignments, {setting.name:<26} {seconds:6.2f} s  {sentences:,} flags told")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"together {total:.2f} s (at most 20 s), one process, {peak:.1f} GB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
