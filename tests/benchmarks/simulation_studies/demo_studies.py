"""Studies of the demo's size in the demo's world, without its pages: do the intervals hold the truths that it prints?

HUSE is measured by `annotation.rehearsal.world.validity`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from annotation.rehearsal.implied_truths import ImpliedTruths, load
from annotation.rehearsal.judges import BIAS, CUTS, GIFT, SKILL, USUAL
from annotation.rehearsal.world import Design, World, implied
from annotation.rehearsal.world.study import pack_hits, sums_in_hits
from annotation.rehearsal.world.vocabulary import token_counts
from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment, check_judgments
from metrics.evaluators.accuracy import evaluator_accuracies, measure_accuracy
from metrics.inference.t_tests import two_sample_t
from metrics.nnd.rates import context_interval
from metrics.text_scores.h_score import mean_estimate
from tests.benchmarks.simulation_studies.judging_rows import COUNTING, accuracy_tallies
from tests.benchmarks.simulation_studies.judging_studies import ends
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes

MOST, CHUNK = 1000, 100
# As `annotation.rehearsal.clark.four_trainings` has it, which needs a database to be imported.
TEXTS, EVALUATORS, TEMPERATURE = 75, 4 * Design().ratings, 1.0
TEXTS_A_HIT = 5
TRAINED = tuple(training for training in SKILL if training != "none")
ACCURACIES = (*(f"accuracy, {training}" for training in SKILL), *(f"{training} less none" for training in TRAINED))
WORLD = (
    "annotation/rehearsal/implied_truths.py",
    "annotation/rehearsal/world/implied.py",
    "annotation/rehearsal/world/raters.py",
    "annotation/rehearsal/world/study.py",
    "annotation/rehearsal/world/model.py",
    "tests/benchmarks/simulation_studies/demo_studies.py",
)
Seed = tuple[int, ...]


@functools.cache
def the_world() -> World:
    """The shipped world, read once."""
    return World.load()


@functools.cache
def truths() -> ImpliedTruths:
    """What the demo prints as the truth of each line."""
    return load()


def four_trainings(studies: int, seed: Seed) -> Arrays:
    """values, targets: (studies, measures); intervals: (studies, measures, levels, 2); measures as in ACCURACIES."""
    rng = np.random.default_rng(seed)
    arrays, expected = _empty(studies, len(ACCURACIES)), truths().accuracies
    for i in range(studies):
        bodies = the_world().sample_references(TEXTS, rng)
        bodies += the_world().sample_model(TEXTS, TEMPERATURE, rng)
        impressions = the_world().features(bodies).impression
        shares = {}
        for j, training in enumerate(SKILL):
            table = check_judgments(_judged(impressions, training, rng))
            shares[training] = list(evaluator_accuracies(table).values())
            estimates = [measure_accuracy(table, level=level).accuracy_crossed for level in LEVELS]
            _put(arrays, (i, j), estimates, expected[training])
        for j, training in enumerate(TRAINED, start=len(SKILL)):
            tests = [two_sample_t(shares[training], shares["none"], level=level) for level in LEVELS]
            _put(arrays, (i, j), [test.difference for test in tests], expected[training] - expected["none"])
    return arrays


def _machine() -> np.ndarray:
    return np.repeat([False, True], TEXTS)


def _judged(impressions: np.ndarray, training: str, rng: np.random.Generator) -> list[EvaluatorJudgment]:
    """What evaluators with this training answer, each of whom does one HIT."""
    hits = pack_hits(_machine().astype(np.int64), TEXTS_A_HIT, rng)
    judgments = []
    for evaluator in range(EVALUATORS):
        rows = hits[evaluator % len(hits)]
        gift, bias = np.exp(GIFT * rng.standard_normal()), BIAS * rng.standard_normal()
        doubts = SKILL[training] * gift * (USUAL - impressions[rows]) + bias + rng.standard_normal(len(rows))
        points = 1 + np.searchsorted(CUTS, doubts)
        judgments += [
            EvaluatorJudgment(str(evaluator), str(row), MACHINE if _machine()[row] else HUMAN, int(point), {})
            for row, point in zip(rows, points, strict=True)
        ]
    return judgments


def near_negative(studies: int, seed: Seed) -> Arrays:
    """As `four_trainings`; a measure for each temperature of the model that takes the tests."""
    design, rates = Design(), truths().pass_rates
    arrays = _empty(studies, len(design.temperatures))
    for i in range(studies):
        rng = np.random.default_rng([*seed, i])
        ids, sources = implied.draw_texts(the_world(), design, rng)
        features = the_world().features_of(ids, the_world().grammar.vocabulary.decode(ids))
        sums, hits = sums_in_hits(features, sources, design, int(rng.integers(2**32)))
        log_probs = the_world().model.log_probs(ids, design.temperatures) / token_counts(ids)
        counts = np.array(
            [
                implied.count_passed(sums[rows], implied.GAP * design.ratings, log_probs[:, rows], features[rows])
                for rows in hits
            ]
        )
        totals = counts[:, 0].astype(np.int64)
        for j, t in enumerate(design.temperatures, start=1):
            arrays["values"][i, j - 1] = counts[:, j].sum() / totals.sum()
            arrays["targets"][i, j - 1] = rates[t].by_crowd
            arrays["intervals"][i, j - 1] = [ends(context_interval(counts[:, j], totals, level)) for level in LEVELS]
    return arrays


def fractions(studies: int, seed: Seed) -> Arrays:
    """As `four_trainings`; two measures: mean frac(p) of the references, and of the model's texts."""
    design, rng = Design(), np.random.default_rng(seed)
    arrays, expected = _empty(studies, 2), (truths().references, truths().machine)
    for i in range(studies):
        ids, sources = implied.draw_texts(the_world(), design, rng)
        fp = implied.text_fractions(the_world(), ids, 1.0)
        for j, side in enumerate((sources == 0, sources > 0)):
            _put(arrays, (i, j), [mean_estimate(fp[side].tolist(), level=level) for level in LEVELS], expected[j])
    return arrays


def _empty(studies: int, measures: int) -> Arrays:
    shape = (studies, measures)
    return {"values": np.empty(shape), "targets": np.empty(shape), "intervals": np.empty((*shape, len(LEVELS), 2))}


def _put(arrays: Arrays, place: tuple[int, int], estimates: list, target: float) -> None:
    """Store the estimate of one measure, which has an interval for each of LEVELS."""
    arrays["values"][place], arrays["targets"][place] = estimates[0].value, target
    arrays["intervals"][place] = [ends(estimate.interval) for estimate in estimates]


def demo_works(studies: int) -> Iterator[Work]:
    """The measures of the demo besides HUSE; at most MOST studies of each."""
    design = Design()
    makes = {
        "human or machine": (
            four_trainings,
            ACCURACIES,
            (
                "annotation/rehearsal/judges.py",
                "metrics/evaluators/accuracy.py",
                "metrics/inference/t_tests.py",
                "metrics/inference/proportions.py",
            ),
        ),
        "near-negative tests": (
            near_negative,
            tuple(f"pass rate, t={t:.1f}" for t in design.temperatures),
            ("metrics/nnd/rates.py", "metrics/inference/proportions.py"),
        ),
        "human-likelihood": (fractions, ("frac(p), people", "frac(p), model"), ("metrics/text_scores/h_score.py",)),
    }
    for place, (name, (make, measures, sources)) in enumerate(makes.items()):
        chunks = tuple(
            Job(f"demo {name} {i}", make, (size, (2041, place, i)), (*WORLD, *sources))
            for i, size in enumerate(chunk_sizes(min(studies, MOST), CHUNK))
        )
        yield Work(f"the demo: {name}", measures, chunks, accuracy_tallies, COUNTING)
