"""Intervals of a report beside the headline ones: raters crossed with texts, contexts of several texts, unequal sizes.

The worlds are those of `crossed_studies`: strict, fair and kind people, exponential texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.compiled import switch as compiled
from metrics.evaluators.comment_codes import Codebook, Coded, code_table
from metrics.huse.subsampling import huse_arrays, subsample_sd
from metrics.huse.subsets import Study
from metrics.inference.clustered_means import number_contexts, share_by_context
from metrics.inference.correlation import kendall_tau
from metrics.inference.drop_out import compare_drop_out
from metrics.inference.error_rate_intervals import subsample_interval
from metrics.inference.rank_sets import rank_sets
from metrics.inference.rating_differences import mean_rating, rating_difference
from metrics.inference.rating_means import RatedBy, share_of_answers
from metrics.inference.verdicts import decide
from metrics.nnd.administer import Outcome
from metrics.nnd.compare import _difference
from metrics.nnd.records import Candidate, NndTest
from metrics.text_scores.calibration import against_people
from metrics.text_scores.h_score import Thresholds, h_score
from metrics.types import Estimate, Interval
from tests.benchmarks.simulation_studies.crossed_studies import FIXED, crossed_tallies
from tests.benchmarks.simulation_studies.judging_rows import COUNTING
from tests.benchmarks.simulation_studies.judging_studies import ends
from tests.benchmarks.simulation_studies.store import Arrays, Job
from tests.benchmarks.simulation_studies.tallies import LEVELS
from tests.benchmarks.simulation_studies.works import Work, chunk_sizes
from tests.benchmarks.worlds import World

SOURCES = (
    "metrics/evaluators/comment_codes.py",
    "metrics/huse/subsampling.py",
    "metrics/inference/clustered_means.py",
    "metrics/inference/correlation.py",
    "metrics/inference/drop_out.py",
    "metrics/inference/error_rate_intervals.py",
    "metrics/inference/proportions.py",
    "metrics/inference/rank_sets.py",
    "metrics/inference/rating_differences.py",
    "metrics/inference/rating_means.py",
    "metrics/inference/verdicts.py",
    "metrics/nnd/compare.py",
    "metrics/nnd/rates.py",
    "metrics/text_scores/calibration.py",
    "metrics/text_scores/h_score.py",
    "metrics/text_scores/roc.py",
    "tests/benchmarks/simulation_studies/report_studies.py",
)
CUTS = (-1.5, -0.7, 0.0, 0.8, 1.6)
PER_CONTEXT = 4
LIMITS = Thresholds(0.4, 0.55, True, "known")
CHUNK, DRAWS = 500, 200
Make = Callable[[np.random.Generator, float], Sequence[Estimate]]


def _texts(rng: np.random.Generator, contexts: int, each: int = 1, shared: float = 0.5) -> np.ndarray:
    """(contexts x each,) quality, texts of a context one after the other."""
    leaning = shared * rng.uniform(-1.7, 1.7, contexts)
    return np.repeat(leaning, each) + 0.7 * (rng.exponential(size=contexts * each) - 1)


def _known(value: float, interval: Interval, truth: float) -> Estimate:
    """Less the truth, where that is known."""
    moved = Interval(interval.low - truth, interval.high - truth, interval.level, interval.method)
    return Estimate(value - truth, 0, moved, {}, (), "")


def _sources(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """Five sources on 60 contexts, 8 of 30 raters each text: mean of the first, superiority, ranks of all."""
    below, contexts, people, each = (0.0, 0.0, 0.25, 0.5, 0.5), 60, 30, 8
    names = tuple("abcde")
    kindness, lean = 0.6 * rng.choice((-1.0, 0.0, 1.5), people), rng.uniform(-0.4, 0.4, (people, len(names)))
    shared = 0.85 * rng.uniform(-1, 1, contexts)
    source, context = (axis.ravel() for axis in np.mgrid[: len(names), :contexts])
    text = shared[context] + 0.7 * rng.exponential(size=len(context)) - np.array(below)[source]
    rater = rng.random((len(text), people)).argsort(axis=1)[:, :each]
    felt = text[:, None] + kindness[rater] + lean[rater, source[:, None]] + rng.logistic(0, 0.6, rater.shape)
    value = np.searchsorted(CUTS, felt - 0.7).ravel()
    item, who, of = np.repeat(context, each), rater.ravel(), np.array(names)[np.repeat(source, each)]
    pairs = [rating_difference(item, who, of, value, pair, level=level) for pair in combinations(names, 2)]
    verdicts = decide(pairs, family="sources", alpha=1 - level)
    better = {(v.first, v.second) for v in verdicts if v.outcome == "better"}
    better |= {(v.second, v.first) for v in verdicts if v.outcome == "worse"}
    ranks = rank_sets(names, better)
    true_best = {name: 1 + sum(other < mine for other in below) for name, mine in zip(names, below, strict=True)}
    true_worst = {name: sum(other <= mine for other in below) for name, mine in zip(names, below, strict=True)}
    held = all(ranks[n][0] <= true_best[n] and ranks[n][1] >= true_worst[n] for n in names)
    joint = Interval(-1.0 if held else 1.0, 1.0, level, "rank sets")
    first = of == "a"
    mean = mean_rating(item[first], who[first], value[first], level=level)
    return mean, pairs[2].superiority, Estimate(0.0, 0, joint, {}, (), "")


def _scored(rng: np.random.Generator, level: float, contexts: int, each: int) -> Sequence[Estimate]:
    """Automatic scores: mean Fp, share called human, share of the tokens among the likeliest ten."""
    quality = _texts(rng, contexts, each, shared=0.8 if each > 1 else 0.5)
    names = [f"{i // each}" for i in range(len(quality))]
    fp = 1 / (1 + np.exp(-quality))
    score = h_score(
        {str(i): value for i, value in enumerate(fp.tolist())},
        LIMITS,
        contexts={str(i): name for i, name in enumerate(names)},
        level=level,
    )
    tokens = 5 + rng.geometric(0.05, len(quality))
    hits = rng.binomial(tokens, 0.2 + 0.7 * fp)
    share = share_by_context(hits, tokens, number_contexts(names))
    ranks = Estimate(share.value, 0, share.interval(level, "contexts"), {}, (), "")
    return score.mean_fp, score.h, ranks


def _against_people(rng: np.random.Generator, level: float, contexts: int, each: int) -> Sequence[Estimate]:
    """Verdicts of Fp beside those of nine people on each text."""
    quality = _texts(rng, contexts, each, shared=0.8 if each > 1 else 0.5)
    kindness = rng.choice((-0.6, 0.0, 0.9), 9)
    said = quality[:, None] + kindness + rng.logistic(0, 0.6, (len(quality), 9)) < 0
    fp = 1 / (1 + np.exp(-quality - rng.normal(0, 0.8, len(quality))))
    found = against_people(
        {str(i): value for i, value in enumerate(fp.tolist())},
        {str(i): value for i, value in enumerate(said.mean(axis=1).tolist())},
        Thresholds(0.5, 0.5, True, "known"),
        level=level,
    )
    return found.agreement, found.auc


def _labels(rng: np.random.Generator, level: float, contexts: int, each: int) -> Sequence[Estimate]:
    """Share of a label over new texts, 12 raters who stay the same, each text rated by 2 to 8 of them; win rate."""
    kindness = 0.6 * np.random.default_rng(FIXED).choice((-1.0, 0.0, 1.5), 12)
    quality, other = (_texts(rng, contexts, each, shared=0.8 if each > 1 else 0.5) for _ in range(2))
    context = np.arange(len(quality)) // each
    rated = rng.random((len(quality), 12)) < rng.uniform(0.2, 0.7, (len(quality), 1))
    label = np.searchsorted(CUTS, quality[:, None] + kindness + rng.logistic(0, 0.6, rated.shape))
    text, rater = np.nonzero(rated)
    by = RatedBy(context[text], rater, [None] * len(text))
    share = share_of_answers(by, (label >= 4)[rated].astype(float), these_raters=True, level=level)
    apart = quality - other + 0.3
    prefers = apart[:, None] + 0.5 * kindness + rng.logistic(0, 0.8, rated.shape)
    outcome = np.where(np.abs(prefers) < 0.3, 0.5, prefers > 0)[rated]
    return [share, share_of_answers(by, outcome, these_raters=True, level=level)]


def _comments(rng: np.random.Generator, level: float, people: int, each: int) -> Sequence[Estimate]:
    """Codes of comments: a code's share of the labels, and of the comments."""
    book = Codebook({"form": ("grammar", "style"), "content": ("repetition", "facts")})
    leaning = rng.normal(0, 1.0, (people, 4)) - np.array((0.8, 1.0, 1.2, 0.6))
    chance = 1 / (1 + np.exp(-np.repeat(leaning, each, axis=0)))
    given = rng.random(chance.shape) < chance
    coded = [
        Coded(str(i), "settled", tuple(np.array(book.codes)[row].tolist()) or ("null",)) for i, row in enumerate(given)
    ]
    writers = {str(i): str(i // each) for i in range(len(given))}
    row = next(one for one in code_table(coded, book, writers=writers, level=level).rows if one.code == "grammar")
    return row.share_of_labels, row.share_of_comments


def _drop_out(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """Four conditions of unequal size: the largest difference less the true one of the same two conditions."""
    people, chance = (60, 90, 120, 40), (0.10, 0.12, 0.22, 0.25)
    lost = [int(rng.binomial(n, p)) for n, p in zip(people, chance, strict=True)]
    found = compare_drop_out(lost, people, level=level)
    return [_known(found.difference, found.interval, chance[found.highest] - chance[found.lowest])]


TESTS = [
    NndTest(Candidate(f"h{i}", str(c), None, None, "good"), Candidate(f"l{i}", str(c), None, None, "bad"), True)
    for i, c in enumerate(np.repeat(np.arange(50), np.random.default_rng(FIXED).integers(1, 7, 50)).tolist())
]


def _pass_rates(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """Two models on the same 1 to 6 tests of each of 50 contexts."""
    context = np.array([int(test.context_id) for test in TESTS])
    ease = rng.normal(0, 1, 50)[context] + rng.normal(0, 0.5, len(context))
    passed = [ease + skill + rng.logistic(0, 1, len(context)) > 0 for skill in (1.2, 0.7)]
    one, two = ([Outcome(test, 0.0, 0.0, bool(hit)) for test, hit in zip(TESTS, side, strict=True)] for side in passed)
    return [_difference(list(zip(one, two, strict=True)), level, DRAWS, 1)]


def _systems(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """Kendall's tau of a metric with people over 12 systems."""
    people = rng.exponential(size=12)
    return [kendall_tau(people + rng.normal(0, 0.8, 12), people, level=level).estimate]


def _log_prob(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """HUSE by log p alone, 100 pairs."""
    compiled.load_kernels()
    made = World(q_sep=1.0).study(rng)
    value = Study(made.sums, made.q, made.z).values(np.arange(len(made.z))[None, :]).log_prob_only[0]
    sd = subsample_sd(made.sums, made.q, made.z, rng, DRAWS, context=made.context).log_prob_only
    return [Estimate(float(value), 0, subsample_interval(float(value), sd, len(made.z), level), {}, (), "")]


def _many_texts(rng: np.random.Generator, level: float) -> Sequence[Estimate]:
    """HUSE and its kin of 300 pairs with 10 ratings a text: many texts take few different mean ratings."""
    compiled.load_kernels()
    made = World(pairs=300, raters=10).study(rng)
    both, quality, diversity = huse_arrays(made.sums, made.q, made.z)
    sd = subsample_sd(made.sums, made.q, made.z, rng, DRAWS, context=made.context)
    found = ((both, sd.huse, False), (quality, sd.huse_q, False), (diversity, sd.huse_d, True))
    return [
        Estimate(value, 0, subsample_interval(value, error, len(made.z), level, apart), {}, (), "")
        for value, error, apart in found
    ]


@dataclass(frozen=True)
class ReportWorld:
    """measures, and the function of this module that makes their estimates, with its further arguments."""

    measures: tuple[str, ...]
    make: str
    arguments: tuple[int, ...] = ()
    studies: int = 1000

    def estimates(self, rng: np.random.Generator, level: float) -> Sequence[Estimate]:
        """Of one study."""
        return globals()[self.make](rng, level, *self.arguments)


SCORED = ("mean Fp", "share human-like", "share of tokens")
LABELED, CODED = ("share of a label", "win rate"), ("share of labels", "share of comments")
JUDGED = ("agreement with people", "AUC by people")
WORLDS: Mapping[str, ReportWorld] = {
    "5 sources, 60 contexts, 8 of 30 raters": ReportWorld(
        ("mean of a source", "superiority", "all rank sets"), "_sources"
    ),
    "45 contexts of 4 texts": ReportWorld(SCORED, "_scored", (45, 4)),
    "80 texts alone": ReportWorld(SCORED, "_scored", (80, 1)),
    "40 contexts of 3 texts, the same 12 raters": ReportWorld(LABELED, "_labels", (40, 3)),
    "90 contexts of a text, the same 12 raters": ReportWorld(LABELED, "_labels", (90, 1)),
    "30 contexts of 4 texts, 9 people": ReportWorld(JUDGED, "_against_people", (30, 4)),
    "100 texts alone, 9 people": ReportWorld(JUDGED, "_against_people", (100, 1)),
    "150 comments of as many people": ReportWorld(CODED, "_comments", (150, 1)),
    "150 comments, 5 a person": ReportWorld(CODED, "_comments", (30, 5)),
    "4 conditions of 40 to 120 people": ReportWorld(("largest difference of drop-out",), "_drop_out"),
    "2 models on 50 contexts": ReportWorld(("difference of pass rates",), "_pass_rates"),
    "12 systems": ReportWorld(("tau",), "_systems"),
    "100 pairs, log p": ReportWorld(("log p alone",), "_log_prob"),
    "300 pairs, 10 raters": ReportWorld(("HUSE", "HUSE-Q", "HUSE-D"), "_many_texts", studies=500),
}


def reported(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures); intervals: (studies, measures, levels, 2)."""
    world = WORLDS[name]
    values = np.empty((studies, len(world.measures)))
    intervals = np.empty((studies, len(world.measures), len(LEVELS), 2))
    for i in range(studies):
        for at, level in enumerate(LEVELS):
            found = world.estimates(np.random.default_rng((*seed, i)), level)
            values[i] = [np.nan if one.value is None else one.value for one in found]
            intervals[i, :, at] = [ends(one.interval) for one in found]
    return {"values": values, "intervals": intervals}


def reported_values(name: str, studies: int, seed: tuple[int, ...]) -> Arrays:
    """values: (studies, measures), for the target; 0 where the estimates are less a known truth."""
    world = WORLDS[name]
    if world.make == "_drop_out":
        return {"values": np.zeros((1, 1))}
    found = (world.estimates(np.random.default_rng((*seed, i)), LEVELS[0]) for i in range(studies))
    return {"values": np.array([[np.nan if one.value is None else one.value for one in each] for each in found])}


def report_works(studies: int) -> Iterator[Work]:
    """World by world; targets are the estimators' expectations, from as many further studies again."""
    for place, (name, world) in enumerate(WORLDS.items()):
        count = min(studies, world.studies)
        chunks = tuple(
            Job(f"report {name} {i}", reported, (name, size, (2070, place, i)), SOURCES)
            for i, size in enumerate(chunk_sizes(count, CHUNK))
        )
        target = Job(f"report {name} target", reported_values, (name, 2 * count, (2071, place)), SOURCES)
        yield Work(name, world.measures, chunks, crossed_tallies, COUNTING, target)
