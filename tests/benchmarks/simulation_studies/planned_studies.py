"""Studies of the size that the planner asks for: how often they decide, where it promised four times in five.

Ratings are made here without the planner's formulas: every rater of a task, every text and every context is drawn. HUSE
and HUSE-Q are planned from studies of `tests.benchmarks.worlds`, which the planner's own simulation does not know.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metrics.compiled import switch as compiled
from metrics.huse.batch import line_values
from metrics.huse.model_differences import compare_models
from metrics.huse.subsampling import huse_arrays, subsample_sd
from metrics.inference.error_rate_intervals import subsample_interval
from metrics.inference.rating_differences import rating_difference
from metrics.inference.verdicts import decide
from metrics.planning import Pilot, fit_pilot
from metrics.planning.decisions import Assumed, Decision, contexts_needed, decision_chance
from metrics.planning.rating_power import RatingSpreads, fit_spreads
from metrics.planning.study_size import StudySize
from tests.benchmarks.simulation_studies.decision_worlds import CUTS
from tests.benchmarks.simulation_studies.huse_studies import beside
from tests.benchmarks.simulation_studies.page import table, within
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import Total, total
from tests.benchmarks.simulation_studies.works import Sums, chunk_sizes
from tests.benchmarks.worlds import Made, World

STUDIES, CHUNK = 1000, 500
POWER, DRAWS, PLANNING = 0.8, 200, 400
PILOT = 30  # contexts, with 10 ratings a text
CONTEXT_SD = 0.6
SOURCES = (
    "metrics/inference/rating_differences.py",
    "metrics/inference/verdicts.py",
    "metrics/inference/cluster_variances.py",
    "metrics/inference/error_rate_intervals.py",
    "metrics/huse/model_differences.py",
    "metrics/huse/subsampling.py",
    "metrics/planning/decisions.py",
    "metrics/planning/huse_power.py",
    "metrics/planning/huse_precision.py",
    "metrics/planning/pilot.py",
    "metrics/planning/pilot_texts.py",
    "metrics/planning/rating_power.py",
    "metrics/planning/study_size.py",
    "tests/benchmarks/worlds.py",
    "tests/benchmarks/simulation_studies/planned_studies.py",
)


@dataclass(frozen=True)
class RatingPlan:
    """What is true of ratings, and what is to be found. size: its contexts are planned. labels: of a scale 0 to 5.

    pilot: each study is planned from one of its own; else from the true spreads.
    """

    spreads: RatingSpreads
    difference: float
    size: StudySize
    pilot: bool = False
    labels: bool = False

    def study(self, size: StudySize, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Context, rater, source and rating of each rating; the last source lies below the one before it."""
        rater = _raters(size, rng)
        source, context = (axis.ravel() for axis in np.mgrid[: size.sources, : size.contexts])
        spreads, people = self.spreads, size.people
        quality = rng.normal(0, CONTEXT_SD, size.contexts)[context] + rng.normal(0, spreads.text, size.texts)
        quality -= self.shift * (source == size.sources - 1)
        leaning = rng.normal(0, spreads.slope, (people, size.sources)) + rng.normal(0, spreads.severity, (people, 1))
        felt = quality[:, None] + leaning[rater, source[:, None]] + rng.normal(0, spreads.noise, rater.shape)
        rating = np.searchsorted(CUTS, felt) if self.labels else felt
        each = size.raters
        return np.repeat(context, each), rater.ravel(), np.repeat(source, each), rating.ravel()

    @property
    def shift(self) -> float:
        """How far the worse generator lies below, in what is felt."""
        return _shift(self.spreads, self.difference) if self.labels else self.difference

    def planned(self, rng: np.random.Generator) -> tuple[StudySize, float]:
        """The size for the power wanted, and the power that is promised."""
        spreads = self.spreads
        if self.pilot:
            context, rater, source, rating = self.study(replace(self.size, contexts=PILOT, raters=10), rng)
            spreads = fit_spreads(context, rater, source, rating)
        decision, assumed = Decision("ratings", self.difference, POWER), Assumed(spreads=spreads)
        size = contexts_needed(decision, assumed, self.size)
        assert size is not None
        return size, decision_chance(decision, assumed, size).power


@functools.cache
def _shift(spreads: RatingSpreads, difference: float) -> float:
    """How far the worse must lie below in what is felt, for that difference of labels."""
    rng = np.random.default_rng(7)
    sd = np.sqrt(CONTEXT_SD**2 + spreads.text**2 + spreads.slope**2 + spreads.severity**2 + spreads.noise**2)
    felt, shifts = rng.normal(0, sd, 1_000_000), np.linspace(0, 2, 101)
    apart = [np.searchsorted(CUTS, felt).mean() - np.searchsorted(CUTS, felt - shift).mean() for shift in shifts]
    return float(np.interp(difference, apart, shifts))


def _raters(size: StudySize, rng: np.random.Generator) -> np.ndarray:
    """(texts, raters): each source dealt evenly over the tasks, each task to different people, who do as many each."""
    task = np.concatenate(
        [(rng.permutation(size.contexts) + source * size.contexts) % size.pages for source in range(size.sources)]
    )
    done, who = np.zeros(size.people), np.empty((size.pages, size.raters), dtype=np.int64)
    for page in range(size.pages):
        who[page] = np.argsort(done + rng.random(size.people))[: size.raters]
        done[who[page]] += 1
    return who[task]


def rating_studies(plan: RatingPlan, studies: int, seed: tuple[int, ...]) -> Arrays:
    """planned: (studies, 3): found (0 or 1), contexts, power promised."""
    rng, found = np.random.default_rng(seed), np.empty((studies, 3))
    plans = None if plan.pilot else plan.planned(rng)
    for i in range(studies):
        size, promised = plans or plan.planned(rng)
        context, rater, source, rating = plan.study(size, rng)
        better, worse = size.sources - 2, size.sources - 1
        compared = rating_difference(context, rater, source, rating, (better, worse))  # type: ignore[arg-type]
        found[i] = decide([compared], family="pairs")[0].outcome == "better", size.contexts, promised
    return {"planned": found}


def _pilot(world: World, pairs: int, rng: np.random.Generator) -> Pilot:
    made = replace(world, pairs=pairs).study(rng)
    return fit_pilot(made.rated, made.q - 50, made.z, made.context)


def huse_studies(world: World, pairs: int, studies: int, seed: tuple[int, ...]) -> Arrays:
    """planned, for HUSE below 1: from one earlier study of so many pairs."""
    compiled.load_kernels()
    rng, found = np.random.default_rng(seed), np.empty((studies, 3))
    decision, assumed = Decision("huse", power=POWER), Assumed(_pilot(world, pairs, rng), None, 2 * PLANNING)
    size = contexts_needed(decision, assumed, StudySize(20, world.raters, 1, 1))
    assert size is not None
    promised = decision_chance(decision, assumed, size).power
    sized = replace(world, pairs=size.contexts)
    for i in range(studies):
        made = sized.study(rng)
        value = huse_arrays(made.sums, made.q, made.z)[0]
        sd = subsample_sd(made.sums, made.q, made.z, rng, DRAWS, context=made.context).huse
        below = subsample_interval(value, sd, sized.texts, 0.95).high < 1
        found[i] = below, size.contexts, promised
    return {"planned": found}


def quality_studies(world: World, difference: float, pairs: int, studies: int, seed: tuple[int, ...]) -> Arrays:
    """planned, for a difference of HUSE-Q: from one earlier study of the better generator, of so many pairs."""
    compiled.load_kernels()
    rng, found = np.random.default_rng(seed), np.empty((studies, 3))
    decision, assumed = Decision("huse_q", difference, POWER), Assumed(_pilot(world, pairs, rng), None, PLANNING)
    size = contexts_needed(decision, assumed, StudySize(20, world.raters, 1))
    assert size is not None
    promised = decision_chance(decision, assumed, size).power
    better = replace(world, pairs=size.contexts)
    worse = replace(better, sep=_worse_by(better, difference, rng))
    for i in range(studies):
        one, two = beside(better, worse, rng)
        apart = compare_models({"a": one.items("a"), "b": two.items("b")}, draws=DRAWS, seed=i).differences[0].huse_q
        assert apart.interval is not None
        found[i] = apart.interval.low > 0, size.contexts, promised
    return {"planned": found}


def _worse_by(world: World, difference: float, rng: np.random.Generator, studies: int = 200) -> float:
    """`sep` of a generator beside the same references whose HUSE-Q is expected so much lower, at the world's size."""
    seeds = rng.integers(1 << 31, size=studies)

    def lower(sep: float) -> float:
        made = (beside(world, replace(world, sep=sep), np.random.default_rng(seed)) for seed in seeds)
        return float(np.mean([np.subtract(*(_quality(each) for each in pair)) for pair in made]))

    low, high = world.sep, world.sep + 4
    while high - low > 0.02:
        middle = (low + high) / 2
        low, high = (middle, high) if lower(middle) < difference else (low, middle)
    return (low + high) / 2


def _quality(made: Made) -> float:
    """HUSE-Q alone."""
    sign = np.where(made.z, 1.0, -1.0)[None]
    return float(line_values(made.sums[None].astype(np.float64), sign, 16, 1)[0])


STATED = RatingSpreads(text=0.8, slope=0.0, severity=0.5, noise=1.2)
LEANING = RatingSpreads(text=0.8, slope=0.3, severity=0.5, noise=1.2)
FEW = RatingSpreads(text=0.5, slope=0.3, severity=0.7, noise=1.0)
RATINGS = {
    "ratings, .44, 10 a text; spreads stated": RatingPlan(STATED, 0.44, StudySize(20, 10)),
    "ratings, .3, 5 a text, slope .3; spreads stated": RatingPlan(LEANING, 0.3, StudySize(20, 5)),
    "ratings, .25, 5 a text, 4 tasks a person; spreads stated": RatingPlan(FEW, 0.25, StudySize(20, 5, tasks=4)),
    "ratings, .44, 10 a text; a pilot of 30 contexts": RatingPlan(STATED, 0.44, StudySize(20, 10), pilot=True),
    "ratings, .3, 5 a text, slope .3; a pilot of 30 contexts": RatingPlan(LEANING, 0.3, StudySize(20, 5), pilot=True),
    "labels, .3, 5 a text, slope .3; a pilot of 30 contexts": RatingPlan(
        LEANING, 0.3, StudySize(20, 5), pilot=True, labels=True
    ),
}
HIGH, MIDDLE, STRONG = World(sep=0.5, raters=10), World(raters=10), World(sep=0.6, shared=1.2, raters=6)
PRIORS, MANY_PRIORS, OF_PRIOR, PRIOR_PAIRS = 5, 15, 60, 600


def planned_works() -> Iterator[Sums]:
    """Plan by plan."""
    for place, (name, plan) in enumerate(RATINGS.items()):
        chunks = (
            Job(f"planned {name} {i}", rating_studies, (plan, size, (2060, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(STUDIES, CHUNK))
        )
        yield Sums(name, tuple(chunks), planned_total)
    for place, (name, make, arguments, priors) in enumerate(
        (
            ("HUSE below 1; an earlier study of 5,000 pairs", huse_studies, (HIGH, 5000), PRIORS),
            ("HUSE below 1; an earlier study of 600 pairs", huse_studies, (HIGH, PRIOR_PAIRS), PRIORS),
            ("HUSE-Q, .2; an earlier study of 600 pairs", quality_studies, (MIDDLE, 0.2, PRIOR_PAIRS), MANY_PRIORS),
            (
                "HUSE-Q, .25, strong contexts, 6 a text; an earlier study of 600 pairs",
                quality_studies,
                (STRONG, 0.25, PRIOR_PAIRS),
                MANY_PRIORS,
            ),
        )
    ):
        chunks = (
            Job(f"planned {name} {i}", make, (*arguments, OF_PRIOR, (2061, place, i)), SOURCES) for i in range(priors)
        )
        yield Sums(name, tuple(chunks), planned_total)


def planned_total(found: Arrays) -> Total:
    """Sums of: found, contexts, power promised."""
    return total(found["planned"])


def planned_table(rows: list[tuple[str, Total]]) -> str:
    """Planned and achieved, per cent."""
    cells = []
    for name, found in rows:
        achieved, contexts, promised = found.means()
        share = within(achieved, found.studies)
        cells.append([name, f"{contexts:.0f}", f"{100 * promised:.1f}", share, str(found.studies)])
    return table(["to find; planned from", "contexts, mean", "promised", "found", "studies"], cells)
