"""Intervals of how often a text of each source is chosen among the k texts of a context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.report.sections.chosen_texts import Choice, share_rows
from metrics.types import Estimate
from tests.benchmarks.simulation_studies.crossed_studies import crossed_tallies
from tests.benchmarks.simulation_studies.judging_rows import COUNTING
from tests.benchmarks.simulation_studies.judging_studies import ends
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes

SOURCES = (
    "metrics/inference/cluster_variances.py",
    "metrics/inference/rating_differences.py",
    "metrics/inference/rating_means.py",
    "metrics/report/sections/chosen_texts.py",
    "tests/benchmarks/simulation_studies/choice_studies.py",
)
MEASURES = ("chosen", "chosen less chance")
CHUNK = 500


@dataclass(frozen=True)
class ChoiceWorld:
    """Raters choose the best of 3 to `most` texts of each context; those of the first source are better by .4.

    each: raters of a context, of `pool` people who lean to sources by a normal of sd `lean`.
    """

    contexts: int
    most: int
    each: int
    pool: int
    lean: float

    def estimates(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """Share of the choices that fell on the first source, and less chance."""
        leaning, choices = self.lean * rng.normal(size=(self.pool, 3)), []
        for context in range(self.contexts):
            source = np.concatenate((np.arange(3), rng.integers(0, 3, rng.integers(0, self.most - 2))))
            text = 0.4 * (source == 0) + 0.7 * rng.exponential(size=len(source))
            shown = tuple(Counter("abc"[each] for each in source).items())
            raters = rng.random(self.pool).argsort()[: self.each]
            felt = text + leaning[raters][:, source] + rng.gumbel(0, 0.7, (self.each, len(source)))
            best = source[felt.argmax(axis=1)].tolist()
            choices += [Choice(f"c{context}", f"w{at}", shown, "abc"[of]) for at, of in zip(raters, best, strict=True)]
        row = next(row for row in share_rows(choices, level) if row[0] == "a")
        return [each for each in row if isinstance(each, Estimate)]


WORLDS: Mapping[str, ChoiceWorld] = {
    "choices, 60 contexts of 3 to 6 texts, 8 of 30 raters": ChoiceWorld(60, 6, 8, 30, 0.3),
    "choices, 40 contexts of 3 texts, 6 of 12 raters": ChoiceWorld(40, 3, 6, 12, 0.5),
}


def chosen(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures); intervals: (studies, measures, levels, 2)."""
    values, intervals = np.empty((studies, 2)), np.empty((studies, 2, len(LEVELS), 2))
    for i in range(studies):
        for at, level in enumerate(LEVELS):
            found = WORLDS[name].estimates(np.random.default_rng((*seed, i)), level)
            values[i] = [one.value for one in found]
            intervals[i, :, at] = [ends(one.interval) for one in found]
    return {"values": values, "intervals": intervals}


def chosen_values(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures), for the target."""
    found = (WORLDS[name].estimates(np.random.default_rng((*seed, i)), LEVELS[0]) for i in range(studies))
    return {"values": np.array([[one.value for one in each] for each in found])}


def choice_works(studies: int) -> Iterator[Work]:
    """World by world, half as many studies; targets are expectations, from twice as many further ones."""
    count = studies // 2
    for place, name in enumerate(WORLDS):
        chunks = tuple(
            Job(f"report {name} {i}", chosen, (name, size, (2080, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(count, CHUNK))
        )
        target = Job(f"report {name} target", chosen_values, (name, 2 * count, (2081, place)), SOURCES)
        yield Work(name, MEASURES, chunks, crossed_tallies, COUNTING, target)
