"""Further intervals that a report prints, in worlds that no rule was made in: raters crossed with items, contexts that
texts share, sources of unequal size, and nothing normal but by chance.

People are strict, fair or kind; texts are better or worse by an exponential amount; texts of a context lean together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.agreement.intraclass import intraclass_correlations
from metrics.agreement.kappa import cohen_kappa
from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment, check_judgments
from metrics.evaluators.accuracy import measure_accuracy
from metrics.inference.correlation import hj_frequency
from metrics.inference.mixed_model import mixed_model
from metrics.inference.t_tests import two_sample_t
from metrics.text_scores.h_score import mean_estimate
from metrics.text_scores.roc import auc_estimate
from metrics.types import Estimate
from tests.benchmarks.simulation_studies.judging_rows import COUNTING, mean_tallies
from tests.benchmarks.simulation_studies.judging_studies import ends
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS, Tally
from tests.benchmarks.simulation_studies.works import Means, Work, chunk_sizes

SOURCES = (
    "metrics/agreement/intraclass.py",
    "metrics/agreement/kappa.py",
    "metrics/inference/clustered_means.py",
    "metrics/evaluators/accuracy.py",
    "metrics/inference/correlation.py",
    "metrics/inference/effect_sizes.py",
    "metrics/inference/mixed_model.py",
    "metrics/inference/proportions.py",
    "metrics/inference/t_tests.py",
    "metrics/text_scores/h_score.py",
    "metrics/text_scores/roc.py",
    "tests/benchmarks/simulation_studies/crossed_studies.py",
)
CHUNK, TARGET = 500, 4000
SLOW = 500  # studies of the mixed model
EVALUATOR_MEASURES = ("precision", "specificity", "percent_human", "percent_confident")
MEASURES = {
    "evaluators": EVALUATOR_MEASURES,
    "mixed model": ("difference", "mean of the first source"),
    "agreement": ("icc_2_1", "icc_2_k", "kappa"),
    "texts": ("AUC", "mean of a score", "r with log frequency"),
    "people": ("Cohen's d", "Hedges' g", "difference of means"),
}
FIXED = 17  # seed of the items that stay the same for new evaluators


@dataclass(frozen=True)
class CrossedWorld:
    """kind: which intervals, one of MEASURES. first, second: texts of each source; raters: people, each of whom judges
    `share` of all texts; per_context: texts of one source that share a context; sd of contexts: `context`."""

    kind: str
    first: int
    second: int
    raters: int
    share: float = 1.0
    per_context: int = 1
    context: float = 0.5

    def estimates(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """The estimates of one study."""
        return getattr(self, f"_{self.kind.replace(' ', '_')}")(rng, level)  # type: ignore[no-any-return]

    def _texts(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        people, models = (self._quality(rng, n) for n in (self.first, self.second))
        contexts = [[str(i // self.per_context) for i in range(n)] for n in (self.first, self.second)]
        scores = [1 / (1 + np.exp(-side)) for side in (people[0], models[0] - 1)]
        area = auc_estimate(scores[1], scores[0], contexts=(contexts[1], contexts[0]), level=level)
        frequency = np.exp(people[0] + rng.normal(size=self.first))
        correlation = hj_frequency(people[0], frequency, level=level).pearson.estimate
        return area, mean_estimate(scores[1].tolist(), contexts=contexts[1], level=level), correlation

    def _quality(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Quality and context of n texts."""
        context = np.arange(n) // self.per_context
        shared = self.context * rng.uniform(-1.7, 1.7, int(context.max()) + 1)
        return 0.7 * (rng.exponential(size=n) - 1) + shared[context], context

    def _ratings(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Item, rater, whether of the second source, and label of each rating."""
        quality = np.concatenate((self._quality(rng, self.first)[0], self._quality(rng, self.second)[0] - 0.4))
        kindness = 0.6 * rng.choice((-1.0, 0.0, 1.5), self.raters)
        lean = rng.uniform(-0.4, 0.4, (self.raters, 2))
        item, rater = np.nonzero(rng.random((len(quality), self.raters)) < self.share)
        second = item >= self.first
        felt = quality[item] + kindness[rater] + lean[rater, second.astype(int)] + rng.logistic(0, 0.6, len(item))
        return item, rater, second, np.searchsorted((-1.5, -0.7, 0.0, 0.8, 1.6), felt)

    def _mixed_model(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        item, rater, second, label = self._ratings(rng)
        fit = mixed_model(label.tolist(), item.tolist(), rater.tolist(), {"second": second.astype(float)}, level=level)
        return fit.effects["second"], fit.effects["intercept"]

    def _agreement(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        *_, label = self._ratings(rng)
        table = label.reshape(-1, self.raters)
        found = intraclass_correlations(table, confidence=level)
        pair = [(column > 2).astype(int).tolist() for column in table.T[:2]]
        return found.icc_2_1, found.icc_2_k, cohen_kappa(*pair, draws=400, confidence=level, seed=1)

    def _evaluators(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        fixed = np.random.default_rng(FIXED)
        doubt = np.concatenate((self._quality(fixed, self.first)[0] - 0.3, self._quality(fixed, self.second)[0] + 0.3))
        skill, bias = np.exp(0.4 * rng.normal(size=self.raters)), 0.5 * rng.choice((-1.0, 0.0, 1.0), self.raters)
        judgments = []
        for rater in range(self.raters):
            items = rng.choice(len(doubt), max(2, round(self.share * len(doubt))), replace=False)
            felt = skill[rater] * doubt[items] + bias[rater] + rng.logistic(0, 0.6, len(items))
            points = 1 + np.searchsorted((-1.0, 0.0, 1.0), felt)
            judgments += [
                EvaluatorJudgment(str(rater), str(item), MACHINE if item >= self.first else HUMAN, int(point))
                for item, point in zip(items, points, strict=True)
            ]
        found = measure_accuracy(check_judgments(judgments), level=level)
        return [getattr(found, name) for name in EVALUATOR_MEASURES]

    def _people(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        shares = [
            rng.binomial(5, np.clip(rng.beta(6, 4, n) + move, 0, 1)) / 5
            for n, move in ((self.first, 0.0), (self.second, 0.1))
        ]
        test = two_sample_t(shares[1].tolist(), shares[0].tolist(), level=level)
        return test.cohens_d, test.hedges_g, test.difference


WORLDS = {
    "40 evaluators x 10 of 60 texts, 20 human": CrossedWorld("evaluators", 20, 40, 40, share=1 / 6),
    "15 evaluators x all of 30 texts": CrossedWorld("evaluators", 15, 15, 15),
    "ratings, 60 and 30 texts, 25 crossed raters, .3 rated": CrossedWorld("mixed model", 60, 30, 25, share=0.3),
    "ratings, 40 and 40 texts, 12 crossed raters": CrossedWorld("mixed model", 40, 40, 12),
    "50 texts x 20 crossed raters": CrossedWorld("agreement", 30, 20, 20),
    "30 texts x 6 crossed raters": CrossedWorld("agreement", 20, 10, 6),
    "120 and 60 texts, 4 of a context": CrossedWorld("texts", 120, 60, 0, per_context=4, context=1.0),
    "40 and 80 texts, a context each": CrossedWorld("texts", 40, 80, 0),
    "conditions of 60 and 30 people": CrossedWorld("people", 60, 30, 0),
}


def crossed(world: CrossedWorld, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures); intervals: (studies, measures, levels, 2)."""
    names = MEASURES[world.kind]
    values, intervals = np.empty((studies, len(names))), np.empty((studies, len(names), len(LEVELS), 2))
    for i in range(studies):
        for at, level in enumerate(LEVELS):
            found = world.estimates(np.random.default_rng((*seed, i)), level)
            values[i] = [np.nan if one.value is None else one.value for one in found]
            intervals[i, :, at] = [ends(one.interval) for one in found]
    return {"values": values, "intervals": intervals}


def crossed_values(world: CrossedWorld, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures), for the target."""
    found = (world.estimates(np.random.default_rng((*seed, i)), LEVELS[0]) for i in range(studies))
    return {"values": np.array([[np.nan if one.value is None else one.value for one in each] for each in found])}


def crossed_tallies(found: Arrays, means: Means) -> list[Tally]:
    """One a measure; studies without an interval are not counted."""
    tallies = []
    for j, mean in enumerate(means):
        kept = ~np.isnan(found["intervals"][:, j, 0, 0])
        part = {"values": found["values"][kept, j], "intervals": found["intervals"][kept, j]}
        tallies += mean_tallies(part, (mean,))
    return tallies


def crossed_works(studies: int) -> Iterator[Work]:
    """World by world; targets are the estimators' expectations, from as many further studies again."""
    for place, (name, world) in enumerate(WORLDS.items()):
        count = min(studies, SLOW) if world.kind == "mixed model" else studies
        chunks = tuple(
            Job(f"crossed {name} {i}", crossed, (world, size, (2050, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(count, CHUNK))
        )
        target = Job(f"crossed {name} target", crossed_values, (world, min(TARGET, 2 * count), (2051, place)), SOURCES)
        yield Work(name, MEASURES[world.kind], chunks, crossed_tallies, COUNTING, target)
