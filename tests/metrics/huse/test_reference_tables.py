"""Tables that the original code, or a throw-away script, gave on the released studies: aggregation, removal, facts.

Not here, as they are of other people's classifiers or random draws: scikit-learn's rows, MACE (its random starts are
not ours; `test_workers` says what it gives here), exactly 15 or 16 neighbours in file order, and 50 workers removed
(0.44 / 0.71 there; the original's loop over the same rows gives 0.44 / 0.69, as ours does). One-coin Dawid-Skene is in
`test_workers`, the rest in `test_reference_facts`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from metrics import Item, dawid_skene, evaluate
from metrics.data.items import check_items
from metrics.huse.classifier import HJ, LOG_PROB, Classifier
from metrics.huse.permutation_test import permutation_test
from metrics.huse.subsampling import huse_arrays
from tests.metrics.factories import batch_items, summary_items
from tests.metrics.judgments_made import released
from tests.metrics.raters import squality_ratings
from tests.metrics.released_study import Released, huse_with, kept_only, spearman, study_of

pytestmark = pytest.mark.needs_data


@pytest.fixture
def study(data_dir) -> Released:
    return study_of(data_dir)


# --- aggregation ---


def majority(values: np.ndarray) -> int:
    """The most frequent label; the highest of several."""
    return max(Counter(values.tolist()).items(), key=lambda entry: (entry[1], entry[0]))[0]


AGGREGATED = {
    "majority": (majority, (0.75, 0.73, 1.02), 0.767824),
    "median": (lambda values: Fraction(float(np.median(values))), (0.69, 0.66, 1.03), 0.924681),
    "trimmed": (lambda values: Fraction(int(np.sort(values)[2:-2].sum()), 16), (0.47, 0.56, 0.91), 0.995854),
    "mean": (lambda values: Fraction(int(values.sum()), 20), (0.53, 0.58, 0.95), 1.0),
}


@pytest.mark.parametrize("name", AGGREGATED)
def test_huse_by_other_summaries_of_the_ratings(study, name):
    summary, expected, correlation = AGGREGATED[name]
    judged = {item: summary(study.of(item)) for item in study.ids}
    assert huse_with(study, judged) == pytest.approx(expected, abs=1e-12)
    assert spearman(study, judged) == pytest.approx(correlation, abs=2e-4)


def test_the_trimmed_mean_by_exact_ties(study):
    judged = {item: Fraction(int(np.sort(study.of(item))[2:-2].sum()), 16) for item in study.ids}
    assert huse_with(study, judged, "exact")[1] == pytest.approx(0.57, abs=1e-12)


def test_huse_by_dawid_skene(study):
    found = dawid_skene(study.item.tolist(), study.rater.tolist(), study.value.tolist(), smoothing=0)
    assert found.iterations == 8
    expected = dict(zip(found.items, found.expectation(), strict=True))
    assert huse_with(study, expected) == pytest.approx((0.65, 0.68, 0.97), abs=1e-12)
    likeliest = dict(zip(found.items, map(int, found.likeliest()), strict=True))
    assert huse_with(study, likeliest) == pytest.approx((0.65, 0.70, 0.95), abs=1e-12)
    assert huse_with(study, likeliest, "exact")[1] == pytest.approx(0.68, abs=1e-12)
    assert spearman(study, likeliest) == pytest.approx(0.869041, abs=1e-6)


def test_huse_by_ratings_weighted_with_each_workers_agreement(study):
    weight = np.array([max(r, 0.0) if r == r else 0.0 for r in (study.by_worker[w] for w in study.rater)])
    judged = {i: np.average(study.of(i), weights=weight[study.item == i]) for i in study.ids}
    assert huse_with(study, judged) == pytest.approx((0.45, 0.64, 0.81), abs=1e-12)
    assert spearman(study, judged) == pytest.approx(0.959215, abs=1e-6)


def test_huse_by_ratings_centred_or_standardised_within_workers(study):
    # Invalid here, as workers saw one source; the numbers are those of the table all the same.
    mean = {w: Fraction(int(study.value[study.rater == w].sum()), int((study.rater == w).sum())) for w in study.rater}
    sd = {w: study.value[study.rater == w].std() for w in study.rater}
    centred, standard = {}, {}
    for name in study.ids:
        rows = np.flatnonzero(study.item == name)
        away = [Fraction(int(study.value[row])) - mean[study.rater[row]] for row in rows]
        centred[name] = sum(away, Fraction(0)) / 20
        sds = [sd[study.rater[row]] for row in rows]
        standard[name] = float(np.mean([float(a) / s if s else 0.0 for a, s in zip(away, sds, strict=True)]))
    assert huse_with(study, centred) == pytest.approx((0.57, 0.68, 0.89), abs=1e-12)
    assert huse_with(study, standard) == pytest.approx((0.72, 0.71, 1.01), abs=1e-12)


# --- removal ---

WORST = [
    (5, 3875, 18, (0.54, 0.61, 0.93)),
    (10, 3725, 16, (0.51, 0.65, 0.86)),
    (15, 3375, 15, (0.52, 0.61, 0.91)),
    (20, 3250, 14, (0.53, 0.56, 0.97)),
    (25, 2900, 12, (0.52, 0.61, 0.91)),
    (30, 2400, 9, (0.52, 0.61, 0.91)),
    (40, 2150, 6, (0.49, 0.63, 0.86)),
]


@pytest.mark.parametrize(("workers", "ratings", "fewest", "expected"), WORST)
def test_huse_without_the_workers_who_agree_least(study, workers, ratings, fewest, expected):
    # A worker without a correlation counts as the worst.
    order = sorted(
        study.by_worker, key=lambda w: study.by_worker[w] if study.by_worker[w] == study.by_worker[w] else -9
    )
    left, least, means = kept_only(study, np.isin(study.rater, order[:workers]))
    assert (left, least) == (ratings, fewest)
    assert huse_with(study, means) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("limit", "ratings", "fewest", "expected"),
    [(0.0, 3225, 14, (0.54, 0.60, 0.94)), (0.2, 2350, 9, (0.53, 0.67, 0.86))],
)
def test_huse_without_workers_below_a_correlation(study, limit, ratings, fewest, expected):
    kept = [name for name, r in study.by_worker.items() if r >= limit]
    left, least, means = kept_only(study, ~np.isin(study.rater, kept))
    assert (left, least) == (ratings, fewest)
    assert huse_with(study, means) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("seconds", "ratings", "fewest", "expected"),
    [(60, 3850, 19, (0.51, 0.60, 0.91)), (120, 3675, 18, (0.47, 0.59, 0.88)), (300, 3300, 15, (0.49, 0.65, 0.84))],
)
def test_huse_without_quick_assignments(study, seconds, ratings, fewest, expected):
    left, least, means = kept_only(study, study.seconds < seconds)
    assert (left, least) == (ratings, fewest)
    assert huse_with(study, means) == pytest.approx(expected, abs=1e-12)


def test_huse_without_straight_lined_assignments(study):
    removed = np.zeros(len(study.value), dtype=bool)
    for rows in study.assignments:
        if Counter(study.value[rows].tolist()).most_common(1)[0][1] >= 20:
            removed |= rows
    assert int((~removed).sum()) == 3700
    assert huse_with(study, kept_only(study, removed)[2]) == pytest.approx((0.53, 0.62, 0.91), abs=1e-12)


def test_how_workers_and_assignments_agree_with_the_others(study):
    by_worker = np.array(list(study.by_worker.values()))
    assert np.nanmean(by_worker) == pytest.approx(0.3305392077354786, abs=1e-12)
    assert np.nanmedian(by_worker) == pytest.approx(0.32501578073045423, abs=1e-12)
    assert [int((by_worker < limit).sum()) for limit in (0, 0.1, 0.2, 0.3)] == [20, 25, 31, 41]
    by_assignment = np.array([study.agreement(rows) for rows in study.assignments])
    assert np.nanmean(by_assignment) == pytest.approx(0.31099878479758314, abs=1e-12)
    assert (int(np.isnan(by_assignment).sum()), int((by_assignment < 0).sum())) == (2, 30)
    bias = [(study.value[study.rater == w] - study.others[study.rater == w]).mean() for w in dict.fromkeys(study.rater)]
    assert np.std(bias, ddof=1) == pytest.approx(0.674599206197519, abs=1e-12)


# --- facts behind the headline ---


def test_errors_by_source_neighbours_and_tied_votes(data_dir):
    table = check_items(summary_items(data_dir), k=16)
    facts = {}
    for mode in ("paper", "exact"):
        classifier = Classifier(table, mode, 16)
        for features in ((HJ, LOG_PROB), (HJ,), (LOG_PROB,)):
            votes = classifier.votes(features)
            wrong = (votes.balance * table.sign < 0) | ((votes.balance == 0) & ~table.z)
            on_model, on_reference = int((wrong & ~table.z).sum()), int((wrong & table.z).sum())
            counts = (int(votes.count.min()), int(votes.count.max()), int((votes.count == 16).sum()))
            facts[mode, features] = (on_model, on_reference), counts, int((votes.balance == 0).sum())
    assert facts["paper", (HJ, LOG_PROB)] == ((32, 21), (16, 16, 200), 13)
    assert facts["exact", (HJ, LOG_PROB)] == ((32, 21), (16, 16, 200), 13)
    assert facts["paper", (HJ,)][:2] == ((44, 14), (16, 24, 66))
    assert facts["exact", (HJ,)] == ((44, 16), (16, 30, 31), 4)
    assert facts["exact", (LOG_PROB,)][0::2] == ((68, 48), 43)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (6, (0.53, 0.66)),
        (10, (0.56, 0.57)),
        (12, (0.50, 0.59)),
        (14, (0.52, 0.59)),
        (18, (0.50, 0.57)),
        (20, (0.48, 0.61)),
        (22, (0.47, 0.62)),
        (32, (0.46, 0.61)),
        (42, (0.43, 0.59)),
        (52, (0.52, 0.59)),
        (76, (0.58, 0.63)),
    ],
)
def test_the_rest_of_the_originals_sweep_over_k(data_dir, k, expected):
    found = evaluate(summary_items(data_dir), ["paper"], k=k, draws=0)["paper"]
    assert (found.huse.value, found.huse_q.value) == pytest.approx(expected, abs=1e-12)


def test_probabilities_in_place_of_their_logs(data_dir):
    items = batch_items(data_dir, 20)
    sums, z = np.array([int(item.hj * 20) for item in items]), np.array([i.source == "reference" for i in items])
    total, length = np.array([i.log_prob for i in items]), np.array([i.length for i in items])
    assert huse_arrays(sums, np.exp(total / length), z)[0] == pytest.approx(0.50, abs=1e-12)
    assert huse_arrays(sums, np.exp(total), z)[0] == pytest.approx(0.56, abs=1e-12)


def test_exchanged_labels_have_a_mean_near_that_of_a_thousand_shuffles(data_dir):
    found = permutation_test(summary_items(data_dir), permutations=999, seed=1)
    # 1.01603 over 1,000 shuffles, each with an sd of about 0.095.
    assert found.null_mean == pytest.approx(1.01603, abs=4 * 0.095 * (2 / 1000) ** 0.5)
    assert found.p == pytest.approx(0.001)


# --- other studies ---


@pytest.mark.parametrize(
    ("kind", "bart", "dpr"), [("correctness", 0.03, 0.06), ("selection", 0.01, 0.04), ("overall", 0.00, 0.04)]
)
def test_huse_q_of_squality(data_dir, kind, bart, dpr):
    names, _, values = squality_ratings(data_dir, kind)
    sums, counts = Counter(), Counter(names)
    for name, value in zip(names, values, strict=True):
        sums[name] += Fraction(value)
    for system, expected in (("bart", bart), ("bart-dpr", dpr)):
        items = [
            Item(n, "reference" if n.endswith("-human") else "model", sums[n] / counts[n], None, 1)
            for n in sums
            if n.split("-", 2)[2] in (system, "human")
        ]
        found = evaluate(items, ["exact"], draws=0, missing="quality_only")["exact"]
        assert (found.huse_q.n, found.huse_q.value) == (200, pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("files", "macro_f1", "majority_vote"),
    [
        (("v_select",), 0.4629074162738796, 0.55),
        (("v_write",), 0.491048463820741, 0.5466666666666666),
        (("v_select", "v_write"), 0.4753205841222556, 0.62),
    ],
)
def test_three_way_answers_by_macro_f1_and_majority(data_dir, files, macro_f1, majority_vote):
    answers = released(data_dir, *files)
    picked, gold = np.array([a.rating == 4 for a in answers]), np.array([a.truth == "machine" for a in answers])
    picked, gold = picked.reshape(-1, 3).argmax(axis=1), gold.reshape(-1, 3).argmax(axis=1)
    scores = []
    for paragraph in range(3):
        right = int(((picked == paragraph) & (gold == paragraph)).sum())
        scores.append(2 * right / int((picked == paragraph).sum() + (gold == paragraph).sum()))
    assert np.mean(scores) == pytest.approx(macro_f1, abs=1e-12)
    item = [a.item.split("-")[0] for a in answers[::3]]
    shares = []
    for name in dict.fromkeys(item):
        rows = [i for i, other in enumerate(item) if other == name]
        votes = Counter(picked[rows].tolist())
        top = [paragraph for paragraph, count in votes.items() if count == max(votes.values())]
        shares.append((gold[rows[0]] in top) / len(top))
    assert np.mean(shares) == pytest.approx(majority_vote, abs=1e-12)
