"""Intervals of the task kinds' designs: several criteria, 0 to 100, preferences, error labels, each by its preset.

Texts are dealt into tasks as a preset deals them, and each task goes to people drawn from a pool: so the raters of a
text are those of its whole task. People and texts are those of `crossed_studies`: strict, fair or kind, exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.inference.bradley_terry import bradley_terry_votes
from metrics.inference.clustered_means import share_by_context
from metrics.inference.rating_differences import rating_difference
from metrics.report.sections.rating_scales import mean_of
from metrics.types import Estimate
from tests.benchmarks.simulation_studies.crossed_studies import FIXED, crossed_tallies
from tests.benchmarks.simulation_studies.judging_rows import COUNTING
from tests.benchmarks.simulation_studies.judging_studies import ends
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes

SOURCES = (
    "metrics/inference/bradley_terry.py",
    "metrics/inference/cluster_variances.py",
    "metrics/inference/clustered_means.py",
    "metrics/inference/proportions.py",
    "metrics/inference/rating_differences.py",
    "metrics/report/sections/rating_scales.py",
    "tests/benchmarks/simulation_studies/kind_studies.py",
)
CHUNK = 500
FIVE, FOUR = (-1.2, -0.3, 0.6, 1.4), (-0.6, 0.5, 1.5)
SYSTEMS = np.array(["a", "b"])


@dataclass(frozen=True)
class KindWorld:
    """Two systems on the same contexts, the second worse by .4; pairs of them for preferences.

    make: the function of this class that makes the estimates. per_task, each: texts (or pairs) of a task and people who
    do it, of `pool`. new_people: drawn anew for each study; else the same, for intervals with these raters.
    """

    make: str
    measures: tuple[str, ...]
    contexts: int
    per_task: int
    each: int
    pool: int
    new_people: bool = True

    def estimates(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """Of one study."""
        return getattr(self, f"_{self.make}")(rng, level)

    def _dealt(self, rng: np.random.Generator, lines: int) -> tuple[np.ndarray, np.ndarray]:
        """Line and rater of each answer."""
        order = rng.permutation(lines)
        tasks = [order[at : at + self.per_task] for at in range(0, lines, self.per_task)]
        people = [rng.choice(self.pool, self.each, replace=False) for _ in tasks]
        line = np.concatenate([np.repeat(task, self.each) for task in tasks])
        return line, np.concatenate([np.tile(who, len(task)) for task, who in zip(tasks, people, strict=True)])

    def _people(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Kindness of each person, and how they lean to each system."""
        draws = rng if self.new_people else np.random.default_rng(FIXED)
        return 0.6 * draws.choice((-1.0, 0.0, 1.5), self.pool), draws.uniform(-0.3, 0.3, (self.pool, 2))

    def _felt(self, rng: np.random.Generator, questions: int) -> tuple[np.ndarray, ...]:
        """Context, rater and system of each answer, and what is felt (answers, questions)."""
        shared = 0.5 * rng.uniform(-1.7, 1.7, self.contexts)
        context, system = np.repeat(np.arange(self.contexts), 2), np.tile((0, 1), self.contexts)
        general = 0.7 * (rng.exponential(size=len(context)) - 1) + shared[context] - 0.4 * system
        quality = general[:, None] + 0.4 * (rng.exponential(size=(len(context), questions)) - 1)
        kindness, lean = self._people(rng)
        line, rater = self._dealt(rng, len(context))
        # One mood for all questions about a text.
        mood = kindness[rater] + lean[rater, system[line]] + rng.logistic(0, 0.3, len(line))
        return context[line], rater, system[line], quality[line] + mood[:, None] + rng.logistic(0, 0.5, (len(line), 1))

    def _scales(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        context, rater, system, felt = self._felt(rng, 4)
        value = np.searchsorted(FIVE, felt)
        return self._compared(context, rater, system, (value[:, 0], value[:, 3]), level)

    def _numbers(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        context, rater, system, felt = self._felt(rng, 1)
        # People use more or less of the slider, and its ends hold what passes them.
        reach = 12 + 10 * (rater % 3)
        value = np.clip(np.rint(60 + reach * felt[:, 0]), 0, 100)
        return self._compared(context, rater, system, (value,), level)

    def _severities(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        context, rater, system, felt = self._felt(rng, 1)
        return self._compared(context, rater, system, (np.searchsorted(FOUR, -felt[:, 0]),), level)

    def _compared(
        self,
        context: np.ndarray,
        rater: np.ndarray,
        system: np.ndarray,
        values: Sequence[np.ndarray],
        level: float,
    ) -> Sequence[Estimate]:
        """With new people the difference on each question; with these the mean of the first system."""
        if self.new_people:
            names = SYSTEMS[system]
            return [
                rating_difference(context, rater, names, value, ("a", "b"), level=level).difference for value in values
            ]
        first, value = system == 0, values[0]
        count = np.bincount(context[first])
        means = np.bincount(context[first], weights=value[first]) / count
        by_text = {str(at): float(mean) for at, mean in enumerate(means)}
        return [mean_of("quality", "a", by_text, dict(zip(by_text, by_text, strict=True)), level)]

    def _labels(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        context, _, system, felt = self._felt(rng, 1)
        first = system == 0
        # Bad texts have the error more often; a text may have others as well.
        has = rng.random(len(felt)) < 1 / (1 + np.exp(1.2 + 1.5 * felt[:, 0]))
        hits = np.bincount(context[first], weights=has[first]).astype(np.int64)
        return [self._share(hits, np.bincount(context[first]), level)]

    def _preferences(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        apart = 0.3 + 0.9 * (rng.exponential(size=self.contexts) - rng.exponential(size=self.contexts))
        lean = self._people(rng)[1]
        pair, rater = self._dealt(rng, self.contexts)
        felt = apart[pair] + 2 * (lean[rater, 0] - lean[rater, 1]) + rng.logistic(0, 0.7, len(pair))
        outcome = np.where(np.abs(felt) < 0.3, 0.5, felt > 0)
        if not self.new_people:
            halves = np.bincount(pair, weights=2 * outcome).astype(np.int64)
            return [self._share(halves, 2 * np.bincount(pair), level)]
        first, second = np.full(len(pair), "a"), np.full(len(pair), "b")
        found = bradley_terry_votes(pair, rater, first, second, outcome, names=("a", "b"), level=level)
        return [found.differences[0].difference]

    def _share(self, hits: np.ndarray, totals: np.ndarray, level: float) -> Estimate:
        share = share_by_context(hits, totals, np.arange(self.contexts))
        return Estimate(share.value, 0, share.interval(level, "items"), {}, (), "")


DIFFERENCES = ("difference, first criterion", "difference, fourth criterion")
# Texts of a task and raters of a text are those of the presets.
WORLDS: Mapping[str, KindWorld] = {
    "summeval, 50 articles, 20 people": KindWorld("scales", DIFFERENCES, 50, 5, 5, 20),
    "summeval, 50 articles, these 20 people": KindWorld("scales", ("mean",), 50, 5, 5, 20, new_people=False),
    "hanna, 60 prompts, 25 people": KindWorld("scales", DIFFERENCES, 60, 3, 3, 25),
    "0 to 100, 60 sources, 15 people": KindWorld("numbers", ("difference",), 60, 20, 5, 15),
    "0 to 100, 60 sources, these 15 people": KindWorld("numbers", ("mean",), 60, 20, 5, 15, new_people=False),
    "two models, 80 prompts, 20 people": KindWorld("preferences", ("log odds",), 80, 10, 5, 20),
    "two models, 80 prompts, these 20 people": KindWorld("preferences", ("win rate",), 80, 10, 5, 20, new_people=False),
    "error labels, 60 contexts, these 20 people": KindWorld("labels", ("share",), 60, 15, 5, 20, new_people=False),
    "error labels, 60 contexts, 20 people": KindWorld("severities", ("difference of severity",), 60, 15, 5, 20),
}


def judged(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures); intervals: (studies, measures, levels, 2)."""
    world = WORLDS[name]
    values = np.empty((studies, len(world.measures)))
    intervals = np.empty((*values.shape, len(LEVELS), 2))
    for i in range(studies):
        for at, level in enumerate(LEVELS):
            estimates = world.estimates(np.random.default_rng((*seed, i)), level)
            values[i] = [each.value for each in estimates]
            intervals[i, :, at] = [ends(each.interval) for each in estimates]
    return {"values": values, "intervals": intervals}


def judged_values(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures), for the target."""
    of_studies = (WORLDS[name].estimates(np.random.default_rng((*seed, i)), LEVELS[0]) for i in range(studies))
    return {"values": np.array([[each.value for each in estimates] for estimates in of_studies])}


def kind_works(studies: int) -> Iterator[Work]:
    """World by world; targets are the estimators' expectations, from twice as many further studies."""
    for place, (name, world) in enumerate(WORLDS.items()):
        chunks = tuple(
            Job(f"kinds {name} {i}", judged, (name, size, (2090, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(studies, CHUNK))
        )
        target = Job(f"kinds {name} target", judged_values, (name, 2 * studies, (2091, place)), SOURCES)
        yield Work(name, world.measures, chunks, crossed_tallies, COUNTING, target)
