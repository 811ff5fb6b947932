"""Studies of evaluators' accuracy, HJ, Krippendorff's alpha and near-negative pass rates, with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from metrics import krippendorff_alpha
from metrics.agreement.krippendorff import alpha_arrays
from metrics.data.human_judgment import human_judgments
from metrics.evaluators.accuracy import measure_accuracy
from metrics.nnd.rates import context_interval
from metrics.types import Interval, RatingSums
from tests.benchmarks import coverage_accuracy
from tests.benchmarks.simulation_studies.judging_rows import (
    COUNTING,
    accuracy_tallies,
    hj_tallies,
    mean_tallies,
    rate_tallies,
)
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes

ALPHA_DRAWS = 400  # 1,000 in a report
ALPHA_TARGET = 4000
CHUNK = 500
COMMON = ("tests/benchmarks/simulation_studies/judging_studies.py",)
Sources = tuple[str, ...]
Seed = tuple[int, ...]


def ends(interval: Interval | None) -> tuple[float, float]:
    """Low and high; NaN where there is no interval."""
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def accuracy(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values, targets: (studies, measures); intervals: (studies, measures, levels, 2)."""
    world, rng = coverage_accuracy.WORLDS[name], np.random.default_rng(seed)
    measures = list(coverage_accuracy.MEASURES)
    values, targets = np.empty((studies, len(measures))), np.empty((studies, len(measures)))
    intervals = np.empty((studies, len(measures), len(LEVELS), 2))
    for i in range(studies):
        judgments, truths = world.study(rng)
        found = [measure_accuracy(judgments, level=level) for level in LEVELS]
        for j, measure in enumerate(measures):
            values[i, j], targets[i, j] = getattr(found[0], measure).value, truths[measure]
            intervals[i, j] = [ends(getattr(one, measure).interval) for one in found]
    return {"values": values, "targets": targets, "intervals": intervals}


@dataclass(frozen=True)
class Text:
    """A text of some quality rated 0 to 5 by so many raters with biases and noise; None: a quality drawn anew."""

    quality: float | None
    raters: int = 20

    def ratings(self, rng: np.random.Generator, times: int, raters: int) -> tuple[np.ndarray, np.ndarray]:
        """Qualities (times,) and ratings (times, raters)."""
        quality = rng.normal(size=times) if self.quality is None else np.full(times, self.quality)
        noise = 0.5 * rng.normal(size=(times, raters)) + rng.normal(size=(times, raters))
        return quality, np.clip(np.rint(2.5 + 0.7 * quality[:, None] + noise), 0, 5).astype(np.int64)

    def expected(self, quality: np.ndarray) -> np.ndarray:
        """Expected rating of each quality, from the normal distribution of bias plus noise."""
        from scipy.special import ndtr

        cuts = np.arange(5) + 0.5
        above = ndtr((2.5 + 0.7 * quality[:, None] - cuts) / np.hypot(0.5, 1.0))
        return np.asarray(above.sum(axis=1))


TEXTS = {
    "texts as they come, 20 raters": Text(None),
    "texts as they come, 10 raters": Text(None, 10),
    "texts as they come, 5 raters": Text(None, 5),
    "middle of the scale, 20 raters": Text(0.0),
    "near the top, 20 raters": Text(3.0),
    "near the bottom, 20 raters": Text(-3.0),
}


def judged_texts(text: Text, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values, targets: (studies,); intervals: (studies, levels, 2)."""
    rng = np.random.default_rng(seed)
    quality, codes = text.ratings(rng, studies, text.raters)
    sums = [
        RatingSums(str(i), text.raters, Fraction(int(row.sum())), Fraction(int((row * row).sum())))
        for i, row in enumerate(codes)
    ]
    found = [human_judgments(sums, level=level).items for level in LEVELS]
    intervals = np.array([[ends(one[entry.item].interval) for one in found] for entry in sums])
    return {"values": codes.mean(axis=1), "targets": text.expected(quality), "intervals": intervals}


@dataclass(frozen=True)
class Agreement:
    """Items rated on five labels. signal: sd of items. bias: sd of raters. pool: raters; as many as `each`: crossed.

    skew: sd of the logarithm of how eagerly a rater takes items.
    """

    items: int = 100
    each: int = 5
    signal: float = 1.0
    bias: float = 0.5
    pool: int = 1000
    level: str = "nominal"
    resampled: str = "items"
    skew: float = 0.0

    def study(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Item, rater and value of each rating."""
        quality = rng.normal(size=self.items) * self.signal
        bias = rng.normal(size=self.pool) * self.bias
        eagerness = rng.normal(size=self.pool) * self.skew + rng.gumbel(size=(self.items, self.pool))
        rater = np.argpartition(-eagerness, self.each - 1, axis=1)[:, : self.each]
        noisy = quality[:, None] + bias[rater] + rng.normal(size=rater.shape)
        value = np.clip(np.rint(2 + 0.8 * noisy), 0, 4).astype(np.int64)
        return np.repeat(np.arange(self.items), self.each), rater.ravel(), value.ravel()


AGREEMENTS = {
    "100 items, raters of their own, nominal": Agreement(),
    "100 items, raters of their own, interval": Agreement(level="interval"),
    "50 items, raters of their own, interval": Agreement(items=50, level="interval"),
    "30 items, raters of their own, interval": Agreement(items=30, level="interval"),
    "alpha near 0, ordinal": Agreement(signal=0.2, level="ordinal"),
    "alpha near 1, ordinal": Agreement(signal=5.0, bias=0.1, level="ordinal"),
    "20 crossed raters, interval": Agreement(each=20, pool=20, level="interval", resampled="both"),
    "5 crossed raters, interval": Agreement(each=5, pool=5, level="interval", resampled="both"),
    "pool of 40, skewed, interval": Agreement(pool=40, skew=1.5, level="interval", resampled="both"),
}


def agreements(made: Agreement, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies,); intervals: (studies, levels, 2)."""
    rng = np.random.default_rng(seed)
    values, intervals = np.empty(studies), np.empty((studies, len(LEVELS), 2))
    for i in range(studies):
        study = made.study(rng)
        for j, confidence in enumerate(LEVELS):
            found = krippendorff_alpha(
                *study,
                made.level,
                draws=ALPHA_DRAWS,
                confidence=confidence,
                seed=i,
                resampled=made.resampled,
            )
            values[i], intervals[i, j] = found.value, ends(found.interval)
    return {"values": values, "intervals": intervals}


def alphas_only(made: Agreement, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies,), for the target."""
    rng = np.random.default_rng(seed)
    studied = (made.study(rng) for _ in range(studies))
    return {"values": np.array([alpha_arrays(item, value, made.level) for item, _, value in studied], dtype=float)}


@dataclass(frozen=True)
class Quiz:
    """Contexts with one to six tests each, passed with a chance that varies between contexts: beta of this mean, and
    with so much correlation between two tests of a context."""

    contexts: int
    rate: float
    correlation: float = 0.3

    def study(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Tests passed and tests, by context."""
        tests = rng.integers(1, 7, self.contexts)
        spread = 1 / self.correlation - 1
        chance = rng.beta(self.rate * spread, (1 - self.rate) * spread, self.contexts)
        return rng.binomial(tests, chance).astype(np.float64), tests


QUIZZES = {
    "100 contexts, rate .5": Quiz(100, 0.5),
    "100 contexts, rate .8": Quiz(100, 0.8),
    "100 contexts, rate .95": Quiz(100, 0.95),
    "30 contexts, rate .5": Quiz(30, 0.5),
    "30 contexts, rate .8": Quiz(30, 0.8),
    "30 contexts, rate .95": Quiz(30, 0.95),
    "10 contexts, rate .7": Quiz(10, 0.7),
    "100 contexts, rate .05": Quiz(100, 0.05),
}


def quizzes(quiz: Quiz, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies,); intervals: (studies, levels, 2). The target is the mean chance of a test."""
    rng = np.random.default_rng(seed)
    values, intervals = np.empty(studies), np.empty((studies, len(LEVELS), 2))
    for i in range(studies):
        hits, totals = quiz.study(rng)
        values[i] = hits.sum() / totals.sum()
        intervals[i] = [ends(context_interval(hits, totals, level)) for level in LEVELS]
    return {"values": values, "intervals": intervals}


def chunks_of(
    kind: str, make: Callable[..., Arrays], name: str, world: object, studies: int, *, sources: Sources, seed: Seed
) -> tuple[Job, ...]:
    """Chunks of studies of one world."""
    return tuple(
        Job(f"{kind} {name} {i}", make, (world, size, (*seed, i)), (*COMMON, *sources))
        for i, size in enumerate(chunk_sizes(studies, CHUNK))
    )


def accuracy_works(studies: int) -> Iterator[Work]:
    """Evaluators' accuracy, by world."""
    sources = (
        "metrics/inference/proportions.py",
        "metrics/evaluators/accuracy.py",
        "tests/benchmarks/coverage_accuracy.py",
    )
    for place, name in enumerate(coverage_accuracy.WORLDS):
        chunks = chunks_of("accuracy", accuracy, name, name, studies, sources=sources, seed=(2031, place))
        yield Work(name, tuple(coverage_accuracy.MEASURES), chunks, accuracy_tallies, COUNTING)


def hj_works(studies: int) -> Iterator[Work]:
    """HJ of one text, by world."""
    for place, (name, text) in enumerate(TEXTS.items()):
        sources = ("metrics/data/human_judgment.py",)
        chunks = chunks_of("hj", judged_texts, name, text, studies, sources=sources, seed=(2032, place))
        yield Work(name, ("HJ",), chunks, hj_tallies, COUNTING)


def alpha_works(studies: int) -> Iterator[Work]:
    """Alpha by world, with the studies behind the target."""
    sources = (
        "metrics/agreement/krippendorff_intervals.py",
        "metrics/agreement/disagreement.py",
        "metrics/agreement/value_counts.py",
    )
    for place, (name, made) in enumerate(AGREEMENTS.items()):
        chunks = chunks_of("alpha", agreements, name, made, studies, sources=sources, seed=(2033, place))
        target = Job(f"alpha {name} target", alphas_only, (made, ALPHA_TARGET, (2034, place)), (*COMMON, *sources))
        yield Work(name, ("alpha",), chunks, mean_tallies, COUNTING, target)


def quiz_works(studies: int) -> Iterator[Work]:
    """Pass rates, by world; the target is the chance of a test to be passed."""
    for place, (name, quiz) in enumerate(QUIZZES.items()):
        sources = ("metrics/inference/proportions.py", "metrics/nnd/rates.py")
        chunks = chunks_of("nnd", quizzes, name, quiz, studies, sources=sources, seed=(2035, place))
        yield Work(name, ("pass rate",), chunks, partial(rate_tallies, quiz.rate), COUNTING)
