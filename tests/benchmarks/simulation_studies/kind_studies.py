"""Intervals of the task kinds' designs: several criteria, 0 to 100, documents, preferences, error labels, by preset.

Texts are dealt into tasks as a preset deals them, and each task goes to people drawn from a pool: so the raters of a
text are those of its whole task. People and texts are those of `crossed_studies`: strict, fair or kind, exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.inference.bradley_terry import bradley_terry_votes
from metrics.inference.rating_differences import rating_difference
from metrics.inference.rating_means import RatedBy, mean_of_ratings, share_of_answers, weights_by_text
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
    "metrics/inference/proportions.py",
    "metrics/inference/rating_differences.py",
    "metrics/inference/rating_means.py",
    "tests/benchmarks/simulation_studies/kind_studies.py",
)
CHUNK = 500
FIVE, FOUR = (-1.2, -0.3, 0.6, 1.4), (-0.6, 0.5, 1.5)
SYSTEMS = np.array(["a", "b"])


@dataclass(frozen=True)
class Answers:
    """Answers of a study, by answer. line: the text, document or pair that was dealt; felt: (answers, questions)."""

    context: np.ndarray
    rater: np.ndarray
    task: np.ndarray
    line: np.ndarray
    system: np.ndarray
    felt: np.ndarray

    def of_first(self) -> tuple[np.ndarray, RatedBy]:
        """Which answers are of the first system, and who gave them to what."""
        first = self.system == 0
        return first, RatedBy(self.context[first], self.rater[first], self.task[first])


@dataclass(frozen=True)
class KindWorld:
    """Two systems on the same contexts, the second worse by .4; pairs of them for preferences.

    make: the function of this class that makes the estimates. per_task, each: texts (documents, pairs) of a task and
    people who do it, of `pool`. new_people: drawn anew for each study; else the same, for intervals with these raters.
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

    def _dealt(self, rng: np.random.Generator, lines: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Line, rater and task of each answer."""
        order = rng.permutation(lines)
        tasks = [order[at : at + self.per_task] for at in range(0, lines, self.per_task)]
        people = [rng.choice(self.pool, self.each, replace=False) for _ in tasks]
        line = np.concatenate([np.repeat(task, self.each) for task in tasks])
        rater = np.concatenate([np.tile(who, len(task)) for task, who in zip(tasks, people, strict=True)])
        return line, rater, np.repeat(np.arange(len(tasks)), [self.each * len(task) for task in tasks])

    def _people(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Kindness of each person, and how they lean to each system."""
        draws = rng if self.new_people else np.random.default_rng(FIXED)
        return 0.6 * draws.choice((-1.0, 0.0, 1.5), self.pool), draws.uniform(-0.3, 0.3, (self.pool, 2))

    def _felt(self, rng: np.random.Generator, questions: int) -> Answers:
        """A text of each system for each context."""
        shared = 0.5 * rng.uniform(-1.7, 1.7, self.contexts)
        context, system = np.repeat(np.arange(self.contexts), 2), np.tile((0, 1), self.contexts)
        general = 0.7 * (rng.exponential(size=len(context)) - 1) + shared[context] - 0.4 * system
        quality = general[:, None] + 0.4 * (rng.exponential(size=(len(context), questions)) - 1)
        kindness, lean = self._people(rng)
        line, rater, task = self._dealt(rng, len(context))
        # One mood for all questions about a text.
        mood = kindness[rater] + lean[rater, system[line]] + rng.logistic(0, 0.3, len(line))
        felt = quality[line] + mood[:, None] + rng.logistic(0, 0.5, (len(line), 1))
        return Answers(context[line], rater, task, line, system[line], felt)

    def _scales(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        answers = self._felt(rng, 4)
        value = np.searchsorted(FIVE, answers.felt)
        return self._compared(answers, (value[:, 0], value[:, 3]), level)

    def _numbers(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        answers = self._felt(rng, 1)
        # People use more or less of the slider, and its ends hold what passes them.
        reach = 12 + 10 * (answers.rater % 3)
        return self._compared(answers, (np.clip(np.rint(60 + reach * answers.felt[:, 0]), 0, 100),), level)

    def _documents(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """Documents of 3 to 8 parts, which share its quality; a rater has one mood for all parts of a document."""
        documents = self._felt(rng, 1)
        parts = rng.integers(3, 9, self.contexts)[documents.context]
        of_answer = np.repeat(np.arange(len(parts)), parts)
        part = np.arange(len(of_answer)) - np.repeat(np.cumsum(parts) - parts, parts)
        own = 0.6 * (rng.exponential(size=(2 * self.contexts, 8)) - 1)
        felt = documents.felt[of_answer, 0] + own[documents.line[of_answer], part]
        felt += rng.logistic(0, 0.4, len(felt))
        line = 8 * documents.line[of_answer] + part
        context, rater, task = (each[of_answer] for each in (documents.context, documents.rater, documents.task))
        answers = Answers(context, rater, task, line, documents.system[of_answer], felt[:, None])
        return self._compared(answers, (np.searchsorted(FIVE, felt),), level)

    def _compared(self, answers: Answers, values: Sequence[np.ndarray], level: float) -> Sequence[Estimate]:
        """With new people the difference on each question, and the mean of the first system; with these the mean."""
        first, by = answers.of_first()
        weight = weights_by_text(answers.line[first])
        mean = mean_of_ratings(by, values[0][first], weight=weight, these_raters=not self.new_people, level=level)
        if not self.new_people:
            return [mean]
        names = SYSTEMS[answers.system]
        columns = (answers.context, answers.rater, names)
        differences = [rating_difference(*columns, value, ("a", "b"), level=level).difference for value in values]
        return [*differences, mean]

    def _errors(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """The share of an error, and with new people the difference of severity."""
        answers = self._felt(rng, 1)
        first, by = answers.of_first()
        # Bad texts have the error more often; a text may have others as well.
        has = rng.random(len(answers.felt)) < 1 / (1 + np.exp(1.2 + 1.5 * answers.felt[:, 0]))
        share = share_of_answers(by, has[first].astype(float), these_raters=not self.new_people, level=level)
        if not self.new_people:
            return [share]
        return [self._compared(answers, (np.searchsorted(FOUR, -answers.felt[:, 0]),), level)[0], share]

    def _preferences(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """The win rate, and with new people the log odds."""
        apart = 0.3 + 0.9 * (rng.exponential(size=self.contexts) - rng.exponential(size=self.contexts))
        lean = self._people(rng)[1]
        pair, rater, task = self._dealt(rng, self.contexts)
        felt = apart[pair] + 2 * (lean[rater, 0] - lean[rater, 1]) + rng.logistic(0, 0.7, len(pair))
        outcome = np.where(np.abs(felt) < 0.3, 0.5, felt > 0)
        by = RatedBy(pair, rater, task)
        rate = share_of_answers(by, outcome, these_raters=not self.new_people, level=level)
        if not self.new_people:
            return [rate]
        first, second = np.full(len(pair), "a"), np.full(len(pair), "b")
        strengths = bradley_terry_votes(pair, rater, first, second, outcome, names=("a", "b"), level=level)
        return [strengths.differences[0].difference, rate]


DIFFERENCES = ("difference, first criterion", "difference, fourth criterion", "mean, first criterion")
SINGLE = ("difference", "mean")
# Texts of a task and raters of a text are those of the presets.
WORLDS: Mapping[str, KindWorld] = {
    "summeval, 50 articles, 20 people": KindWorld("scales", DIFFERENCES, 50, 5, 5, 20),
    "summeval, 50 articles, these 20 people": KindWorld("scales", ("mean",), 50, 5, 5, 20, new_people=False),
    "hanna, 60 prompts, 25 people": KindWorld("scales", DIFFERENCES, 60, 3, 3, 25),
    "0 to 100, 60 sources, 15 people": KindWorld("numbers", SINGLE, 60, 20, 5, 15),
    "0 to 100, 60 sources, these 15 people": KindWorld("numbers", ("mean",), 60, 20, 5, 15, new_people=False),
    "documents, 30 of 3 to 8 parts, 15 people": KindWorld("documents", SINGLE, 30, 3, 3, 15),
    "documents, 30 of 3 to 8 parts, these 15 people": KindWorld("documents", ("mean",), 30, 3, 3, 15, new_people=False),
    "two models, 80 prompts, 20 people": KindWorld("preferences", ("log odds", "win rate"), 80, 10, 5, 20),
    "two models, 80 prompts, these 20 people": KindWorld("preferences", ("win rate",), 80, 10, 5, 20, new_people=False),
    "error labels, 60 contexts, 20 people": KindWorld("errors", ("difference of severity", "share"), 60, 15, 5, 20),
    "error labels, 60 contexts, these 20 people": KindWorld("errors", ("share",), 60, 15, 5, 20, new_people=False),
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
