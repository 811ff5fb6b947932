"""What the intervals and the test of HUSE are worth: measured in simulated studies, written to docs/huse-coverage.md.

    python -m tests.benchmarks.coverage_huse [studies] [headline studies]

The target of an interval is the expectation of the estimator at the same number of texts and raters (mean of 4,000
further studies). Intervals use 200 draws here, half of what `evaluate` uses.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from metrics import compare_models, compiled, huse_arrays, permutation_test, subsample_interval, subsample_sd
from metrics.components import component_errors, half_samples
from metrics.resampling import normal_quantile
from tests.benchmarks.worlds import ONE_SOURCE, WORLDS, Made, World

OUT = Path(__file__).resolve().parents[2] / "docs" / "huse-coverage.md"
MEASURES = ("huse", "huse_q", "huse_d")
LEVELS = (0.95, 0.90)
HEADLINE = ("near 1", "middle", "low", "HITs interleaved, skewed")
TARGET_STUDIES, DRAWS = 4000, 200
HEAD = """# Measured coverage of HUSE's intervals, and the size of its test

Made by `make truth` (`python -m tests.benchmarks.coverage_huse`); do not edit by hand. What the numbers mean, and how
the rule was chosen: [huse-interval.md](huse-interval.md). Each cell is HUSE / HUSE-Q / HUSE-D, in per cent.
"""


def target(world: World, rng: np.random.Generator) -> np.ndarray:
    """E[HUSE], E[HUSE-Q], E[HUSE-D]."""
    values = []
    for _ in range(TARGET_STUDIES):
        made = world.study(rng)
        values.append(huse_arrays(made.sums, made.q, made.z))
    return np.mean(values, axis=0)


def hits(made: Made, truth: np.ndarray, rng: np.random.Generator, raters: bool) -> Iterator[list[bool]]:
    """By level, with and (where asked) also without the raters' component: whether each interval holds the truth."""
    values = huse_arrays(made.sums, made.q, made.z)
    errors = subsample_sd(made.sums, made.q, made.z, rng, DRAWS, context=made.context)
    part = np.zeros(3)
    if raters:
        part = component_errors(half_samples(made.rated, made.q, made.z, rng, DRAWS, context=made.context)[0])
    for added in (np.zeros(3), part) if raters else (part,):
        for level in LEVELS:
            row = []
            for name, value, aim, extra in zip(MEASURES, values, truth, added, strict=True):
                own = subsample_interval(value, getattr(errors, name), len(made.z), level, name == "huse_d")
                half = math.hypot((own.high - own.low) / 2, normal_quantile(level) * float(extra))
                row.append(abs(value - aim) <= half)
            yield row


def coverage(
    world: World, studies: int, rng: np.random.Generator, raters: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The target, and the share of studies whose intervals hold it."""
    truth = target(world, rng)
    held = np.array([list(hits(world.study(rng), truth, rng, raters)) for _ in range(studies)])
    return truth, held.mean(axis=0)


def cells(shares: np.ndarray) -> str:
    return " | ".join("/".join(f"{100 * share:.1f}" for share in row) for row in shares)


def interleaved(studies: int, headline: int) -> Iterator[str]:
    yield "## Intervals of one study\n"
    at_95, at_90 = (f"{_error(level, studies)} ({_error(level, headline)})" for level in LEVELS)
    yield f"{studies} studies a row, {headline} in the rows marked \\*."
    yield f"Monte-Carlo error in points: {at_95} at 95, {at_90} at 90.\n"
    yield "| world | target HUSE, Q, D | 95 % | 90 % |\n|---|---|---|---|"
    for place, (name, world) in enumerate(WORLDS.items()):
        truth, shares = coverage(world, headline if name in HEADLINE else studies, np.random.default_rng([2026, place]))
        mark = " \\*" if name in HEADLINE else ""
        yield f"| {name}{mark} | {', '.join(f'{t:.3f}' for t in truth)} | {cells(shares)} |"


def one_source(studies: int) -> Iterator[str]:
    yield "\n## Designs in which raters saw one source only\n"
    yield "`evaluate` draws texts; `evaluate_rated` adds the raters' component where most ratings are of such raters."
    yield f"{studies} studies a row.\n"
    yield "| world | target HUSE, Q, D | 95 %, texts | 90 %, texts | 95 %, texts and raters | 90 %, texts and raters |"
    yield "|---|---|---|---|---|---|"
    for place, (name, world) in enumerate(ONE_SOURCE.items()):
        truth, shares = coverage(world, studies, np.random.default_rng([2027, place]), raters=True)
        yield f"| {name} | {', '.join(f'{t:.3f}' for t in truth)} | {cells(shares)} |"


PAIRS = {
    "equal models": (World(), World()),
    "one worse": (World(sep=0.5), World(sep=1.5)),
    "one given away by log p": (World(), World(q_sep=2.0)),
    "equal, strong contexts": (World(shared=1.5), World(shared=1.5)),
}


def differences(studies: int) -> Iterator[str]:
    yield "\n## Differences between two models on the same contexts and references\n"
    yield f"{studies} studies a row.\n"
    yield "| worlds | target HUSE, Q, D | 95 % | 90 % |\n|---|---|---|---|"
    for place, (name, worlds) in enumerate(PAIRS.items()):
        rng = np.random.default_rng([2028, place])
        truth = _difference_target(*worlds, rng)
        held = np.array([_difference_hits(*_beside(*worlds, rng), truth, place) for _ in range(studies)])
        yield f"| {name} | {', '.join(f'{t:.3f}' for t in truth)} | {cells(held.mean(axis=0))} |"


def _beside(first: World, second: World, rng: np.random.Generator) -> tuple[Made, Made]:
    """Two models beside the same references, contexts and pool of raters."""
    one = first.study(rng)
    return one, second.study(rng, one).with_references_of(one)


def _difference_target(first: World, second: World, rng: np.random.Generator) -> np.ndarray:
    made = (_beside(first, second, rng) for _ in range(TARGET_STUDIES))
    pairs = [[huse_arrays(m.sums, m.q, m.z) for m in pair] for pair in made]
    return np.mean([np.subtract(*pair) for pair in pairs], axis=0)


def _difference_hits(one: Made, two: Made, truth: np.ndarray, seed: int) -> list[list[bool]]:
    found = compare_models({"a": one.items("a"), "b": two.items("b")}, draws=DRAWS, seed=seed).differences[0]
    rows = []
    for level in LEVELS:
        row = []
        for name, aim in zip(MEASURES, truth, strict=True):
            estimate = getattr(found, name)
            half = (estimate.interval.high - estimate.interval.low) / 2
            half *= normal_quantile(level) / normal_quantile(estimate.interval.level)
            row.append(abs(estimate.value - aim) <= half)
        rows.append(row)
    return rows


def sizes(studies: int) -> Iterator[str]:
    yield "\n## Size of the permutation test\n"
    yield f"Share of {studies} studies without any difference in which p is at most .05 (Monte-Carlo error .005).\n"
    yield "| design | HUSE, p | HUSE, mid-p | HUSE-Q, p | HUSE-Q, mid-p |\n|---|---|---|---|---|"
    null = {
        "100 pairs, within contexts": World(sep=0, q_sep=0),
        "50 pairs, within contexts": World(sep=0, q_sep=0, pairs=50),
        "100 and 100 texts, within HITs": World(sep=0, q_sep=0, paired=False, hits="interleaved", pool=60, skew=1.5),
        "100 and 100 texts, freely": World(sep=0, q_sep=0, paired=False),
    }
    for place, (name, world) in enumerate(null.items()):
        rng = np.random.default_rng([2029, place])
        rejected = np.array([_rejections(world, name, rng) for _ in range(studies)])
        yield f"| {name} | {' | '.join(f'{share:.4f}' for share in rejected.mean(axis=0))} |"


def _rejections(world: World, name: str, rng: np.random.Generator) -> list[bool]:
    made = world.study(rng)
    items = made.items()
    named = {item.id: str(hit) for item, hit in zip(items, made.hit, strict=True)} if "HITs" in name else None
    seed = int(rng.integers(2**31))
    found = [permutation_test(items, m, hits=named, seed=seed) for m in ("huse", "huse_q")]
    return [p <= 0.05 for test in found for p in (test.p, test.mid_p)]


def bias() -> Iterator[str]:
    yield "\n## Expectation by number of texts and raters, world `middle`\n"
    large = World(pairs=20_000).expected(np.random.default_rng(5))
    limit = huse_arrays(*large, k=200)
    yield "Without noise of raters, 40,000 texts and k = 200, close to L(phi): HUSE "
    yield f"{limit[0]:.3f}, HUSE-Q {limit[1]:.3f}."
    yield "Below, means of 1,000 studies, k = 16 (Monte-Carlo error at most .005).\n"
    ratings = (5, 10, 20, 40)
    yield "| texts | " + " | ".join(f"r = {r}" for r in ratings) + " |\n|---|" + "---|" * len(ratings)
    for pairs in (25, 50, 100, 200):
        row = []
        for r in ratings:
            world, rng = World(pairs=pairs, raters=r, pool=80), np.random.default_rng([2030, pairs, r])
            made = [world.study(rng) for _ in range(1000)]
            row.append(np.mean([huse_arrays(one.sums, one.q, one.z)[:2] for one in made], axis=0))
        yield f"| {2 * pairs} | " + " | ".join(f"{huse:.3f}, Q {quality:.3f}" for huse, quality in row) + " |"


def _error(share: float, studies: int) -> str:
    return f"{100 * math.sqrt(share * (1 - share) / studies):.2f}"


def main(studies: int = 2000, headline: int = 10_000) -> None:
    """Measure and write, line by line, so that a run can be watched."""
    compiled.load()
    begin = time.time()
    lines = [HEAD]
    for part in (interleaved(studies, headline), one_source(studies), differences(studies), sizes(studies), bias()):
        for line in part:
            lines.append(line)
            print(f"{time.time() - begin:7.0f} s  {line}", flush=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*(int(given) for given in sys.argv[1:3]))
