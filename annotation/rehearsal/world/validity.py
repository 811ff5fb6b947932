"""Measure the truths of the demo's world and what its intervals are worth: a part of `make truth`.

Simulates the demo's study thousands of times without its pages and writes `truths.json` next to this file
(`python -m annotation.rehearsal.world.validity`). A few minutes on two cores; the same seed gives the same numbers.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metrics.huse.subsampling import subsample_sd
from metrics.inference.error_rate_intervals import METHOD, subsample_interval

from .bayes import CELL, COARSER, STATED, Counts, bayes_error, count, no_counts, quality_only
from .simulation import MEASURES, Floats, Studies, simulate
from .study import Design
from .truths import TRUTHS_FILE, Binned, Expected, Known, Truth, Truths, load, save
from .validity_page import page
from .world import Fingerprint, World

SEED = 20261120
CHUNK = 100  # studies in one piece of work
DRAWS = 400  # half-samples for each interval, as in a report
LEVELS = (0.90, 0.95)


@dataclass(frozen=True)
class Chunk:
    """One piece of work: `studies` studies with the given seed, with intervals or without."""

    seed: int
    studies: int
    intervals: bool


@dataclass(frozen=True)
class Counted:
    """What one chunk adds. estimates and sds: (s, t, 3), sds only with intervals; overlap: (t, texts)."""

    estimates: Floats
    overlap: Floats
    counts: Counts
    sds: Floats


def plan(studies: int, coverage_studies: int, seed: int = SEED) -> tuple[list[Chunk], list[Chunk]]:
    """Chunks for the expectations and, with seeds of their own, for the coverage."""
    expectation = [Chunk(seed * 10_000 + i, size, False) for i, size in enumerate(_sizes(studies))]
    coverage = [Chunk(seed * 10_000 + 5_000 + i, size, True) for i, size in enumerate(_sizes(coverage_studies))]
    return expectation, coverage


def _sizes(total: int) -> list[int]:
    return [min(CHUNK, total - first) for first in range(0, total, CHUNK)]


def work(chunk: Chunk) -> Counted:
    """Simulate one chunk and keep what is counted."""
    studies = simulate(World.load(), Design(), chunk.studies, chunk.seed)
    sds = _sds(studies, chunk.seed) if chunk.intervals else np.empty((0, len(studies.q_model), 3))
    overlap = studies.overlap.reshape(len(studies.q_model), -1)
    return Counted(studies.estimates(), overlap, count(studies), sds)


def _sds(studies: Studies, seed: int) -> Floats:
    rng = np.random.default_rng([seed, 2])
    rows = []
    for study in range(len(studies)):
        arms = (studies.arm(study, t) for t in range(len(studies.q_model)))
        sds = [subsample_sd(arm.sums, arm.q, arm.reference, rng, DRAWS, k=studies.design.k) for arm in arms]
        rows.append([[getattr(sd, name) for name in MEASURES] for sd in sds])
    return np.array(rows)


def gather(results: Iterable[Counted]) -> Counted:
    """Add chunks up in their order."""
    parts = list(results)
    counts = no_counts(parts[0].counts.shape[1])
    for part in parts:
        counts += part.counts
    return Counted(
        np.concatenate([part.estimates for part in parts]),
        np.concatenate([part.overlap for part in parts], axis=1),
        counts,
        np.concatenate([part.sds for part in parts]),
    )


def measure(expectation: Counted, coverage: Counted, design: Design, seed: int) -> Truths:
    """The truths from both sets of studies; L_star and L_phi use the texts of both."""
    overlap = np.concatenate([expectation.overlap, coverage.overlap], axis=1)
    counts = expectation.counts + coverage.counts
    return Truths(
        world=Fingerprint.shipped(),
        design=design,
        seed=seed,
        studies=len(expectation.estimates),
        coverage_studies=len(coverage.estimates),
        draws=DRAWS,
        interval=METHOD,
        texts_per_source=overlap.shape[1],
        cell=STATED * CELL,
        temperatures=tuple(
            Truth(
                temperature=t,
                l_star=_mean(overlap[i]),
                l_phi=_l_phi(counts[:, i], STATED),
                expected={name: _expected(expectation, coverage, design, i, j) for j, name in enumerate(MEASURES)},
                l_phi_by_cell={f"{CELL * size:g}": _l_phi(counts[:, i], size)["huse"] for size in COARSER},
            )
            for i, t in enumerate(design.temperatures)
        ),
    )


def measure_again(stored: Truths, coverage: Counted) -> Truths:
    """Return the stored truths with the intervals measured again: for a change of the interval alone."""
    return replace(
        stored,
        coverage_studies=len(coverage.estimates),
        draws=DRAWS,
        interval=METHOD,
        temperatures=tuple(
            replace(
                truth,
                expected={
                    name: _covered(truth.expected[name], coverage, stored.design, i, j)
                    for j, name in enumerate(MEASURES)
                },
            )
            for i, truth in enumerate(stored.temperatures)
        ),
    )


def _mean(values: Floats) -> Known:
    return Known(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def _l_phi(counts: Counts, coarser: int) -> dict[str, Binned]:
    both, quality = bayes_error(counts, coarser), bayes_error(quality_only(counts), coarser)
    return {
        "huse": Binned(both.held_out, both.se, both.in_sample),
        "huse_q": Binned(quality.held_out, quality.se, quality.in_sample),
        "huse_d": Binned(
            1 + both.held_out - quality.held_out,
            float(np.hypot(both.se, quality.se)),
            1 + both.in_sample - quality.in_sample,
        ),
    }


def _expected(expectation: Counted, coverage: Counted, design: Design, arm: int, measure: int) -> Expected:
    values = expectation.estimates[:, arm, measure]
    known = _mean(values)
    return _covered(Expected(known.value, known.se, float(values.std(ddof=1)), {}, {}), coverage, design, arm, measure)


def _covered(known: Expected, coverage: Counted, design: Design, arm: int, measure: int) -> Expected:
    """With the share of the intervals that hold the expectation, and their mean half-widths."""
    estimates, sds = coverage.estimates[:, arm, measure], coverage.sds[:, arm, measure]
    texts, difference = design.references + design.generated, MEASURES[measure] == "huse_d"
    covered, width = {}, {}
    for level in LEVELS:
        pairs = zip(estimates, sds, strict=True)
        intervals = [subsample_interval(float(v), float(sd), texts, level, difference) for v, sd in pairs]
        share = float(np.mean([i.low <= known.value <= i.high for i in intervals]))
        covered[f"{level:.2f}"] = Known(share, float(np.sqrt(share * (1 - share) / len(intervals))))
        width[f"{level:.2f}"] = float(np.mean([(i.high - i.low) / 2 for i in intervals]))
    return replace(known, coverage=covered, half_width=width)


def run(chunks: list[Chunk], processes: int, tell: Callable[[str], None]) -> Iterator[Counted]:
    """Results in the order of the chunks, a line of progress every tenth of the way."""
    steps = {round(len(chunks) * tenth / 10) for tenth in range(1, 11)}
    for done, result in enumerate(_results(chunks, processes), start=1):
        if done in steps:
            tell(f"  {sum(chunk.studies for chunk in chunks[:done])} studies")
        yield result


def _results(chunks: list[Chunk], processes: int) -> Iterator[Counted]:
    if processes == 1:
        yield from map(work, chunks)
        return
    # Each process has one core; threads inside the linear algebra would only compete.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, chunks)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the truths of the rehearsal world and the intervals' worth.")
    parser.add_argument("--studies", type=int, default=8000, help="studies behind each expectation")
    parser.add_argument("--coverage", type=int, default=2000, help="other studies, for the intervals")
    parser.add_argument("--intervals-only", action="store_true", help="keep the stored truths, measure the coverage")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--truths", type=Path, default=TRUTHS_FILE, help="where the truths go")
    parser.add_argument("--page", type=Path, help="where the tables go too")
    options = parser.parse_args(arguments)
    expectation, coverage = plan(options.studies, options.coverage)
    expected = None
    if not options.intervals_only:
        _tell(f"Expectations: {options.studies} simulated studies")
        expected = gather(run(expectation, options.processes, _tell))
    _tell(f"Intervals: {options.coverage} other studies, {DRAWS} half-samples each")
    covered = gather(run(coverage, options.processes, _tell))
    truths = measure(expected, covered, Design(), SEED) if expected else measure_again(load(options.truths), covered)
    save(truths, options.truths)
    if options.page:
        options.page.parent.mkdir(parents=True, exist_ok=True)
        options.page.write_text(page(truths), encoding="utf-8")
    _tell(" and ".join(f"Wrote {path}" for path in (options.truths, options.page) if path))


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
