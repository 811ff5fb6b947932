"""The rest of the tables of the released studies: spreads, scaling, curves of HUSE-Q, resamples, raters, removal.

Not here: scikit-learn's 15-NN curves of the original (`replicate_exps`, another classifier) and run times.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from metrics import evaluate
from metrics.huse.subsampling import huse_arrays
from metrics.inference.t_tests import two_sample_t
from metrics.text_scores.roc import auc
from tests.metrics.factories import batch_items, summary_items
from tests.metrics.raters import squality_ratings
from tests.metrics.released_study import Released, huse_with, kept_only, study_of

pytestmark = pytest.mark.needs_data


@pytest.fixture
def study(data_dir) -> Released:
    return study_of(data_dir)


def test_spread_of_judgments_and_probabilities_and_how_the_sources_differ(data_dir):
    items = batch_items(data_dir, 20)
    hj = np.array([float(item.hj) for item in items])
    rate = np.array([item.log_prob / item.length for item in items])
    model = np.array([item.source == "model" for item in items])
    assert hj.std() == pytest.approx(0.768460758594738, rel=1e-12)
    assert hj.std(ddof=1) == pytest.approx(0.7703891449607574, rel=1e-12)
    assert rate.std() == pytest.approx(1.4127038611817564, rel=1e-12)
    assert (hj[model].mean(), hj[~model].mean()) == pytest.approx((3.6585, 4.275), rel=1e-12)
    found = two_sample_t(hj[model], hj[~model], equal_variances=True)
    assert (found.t, found.p) == pytest.approx((-6.1618024496198895, 3.949438168884926e-09), rel=1e-9)
    assert auc(hj[model], hj[~model]) == pytest.approx(0.69605, abs=1e-12)


def test_floats_depend_on_the_unit_of_hj_and_exact_ties_do_not(data_dir):
    given, rng = summary_items(data_dir), np.random.default_rng(0)
    qualities = Counter()
    for factor in rng.uniform(0.1, 10, 150):
        scaled = [replace(item, hj=Fraction(float(item.hj) * float(factor)), exact=False) for item in given]
        found = evaluate(scaled, ["paper"], draws=0)["paper"]
        assert found.huse.value == pytest.approx(0.53, abs=1e-12)
        qualities[round(found.huse_q.value, 2)] += 1
    # Over 2,000 constants: 0.58 in 146, 0.59 in 284, 0.60 in 527, 0.61 in 840, 0.62 in 203.
    assert set(qualities) <= {0.58, 0.59, 0.60, 0.61, 0.62}
    mean = sum(value * count for value, count in qualities.items()) / 150
    assert mean == pytest.approx((0.58 * 146 + 0.59 * 284 + 0.60 * 527 + 0.61 * 840 + 0.62 * 203) / 2000, abs=0.004)
    seventh = [replace(item, hj=item.hj * Fraction(22, 7)) for item in given]
    assert evaluate(seventh, ["exact"], draws=0)["exact"].huse_q.value == pytest.approx(0.60, abs=1e-12)


def test_the_originals_rule_does_not_depend_on_the_order_of_rows(data_dir):
    given, rng = summary_items(data_dir), np.random.default_rng(1)
    for _ in range(30):
        found = evaluate([given[at] for at in rng.permutation(len(given))], ["paper"], draws=0)["paper"]
        assert (found.huse.value, found.huse_q.value) == pytest.approx((0.53, 0.58), abs=1e-12)


# Means and sds of HUSE-Q over 400 draws, by the original's floating-point ties.
QUALITY_BY_RATINGS = {
    1: (0.891225, 0.145862),
    3: (0.813075, 0.116685),
    8: (0.687250, 0.073895),
    15: (0.633750, 0.054845),
}
QUALITY_BY_TEXTS = {50: (0.631100, 0.130003), 110: (0.610182, 0.073611), 170: (0.607088, 0.043129)}


def near(values: list[float], mean: float, sd: float) -> bool:
    return bool(abs(np.mean(values) - mean) <= 4 * sd * np.sqrt(1 / len(values) + 1 / 400))


@pytest.mark.parametrize("ratings", QUALITY_BY_RATINGS)
def test_huse_q_of_some_of_the_ratings_in_floats(study, ratings):
    rng = np.random.default_rng(ratings)
    own = {name: study.of(name) for name in study.ids}
    found = []
    for _ in range(60):
        means = {name: Fraction(int(rng.permutation(own[name])[:ratings].sum()), ratings) for name in study.ids}
        found.append(huse_with(study, means)[1])
    assert near(found, *QUALITY_BY_RATINGS[ratings])


@pytest.mark.parametrize("texts", QUALITY_BY_TEXTS)
def test_huse_q_of_some_of_the_texts_in_floats(data_dir, texts):
    given, rng = summary_items(data_dir), np.random.default_rng(texts)
    sides = [[item for item in given if item.source == source] for source in ("reference", "model")]
    found = []
    for _ in range(60):
        drawn = [side[at] for side in sides for at in rng.permutation(100)[: texts // 2]]
        found.append(evaluate(drawn, ["paper"], draws=0)["paper"].huse_q.value)
    assert near(found, *QUALITY_BY_TEXTS[texts])


def columns_of(study: Released) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings (texts x 20), log p per token, is-reference."""
    ratings = np.array([study.of(name) for name in study.ids])
    rate = np.array([item.log_prob / item.length for item in study.items])
    return ratings, rate, np.array([item.source == "reference" for item in study.items])


def test_raters_drawn_again_raise_huse_and_texts_drawn_again_lower_it(study):
    ratings, rate, z = columns_of(study)
    rng = np.random.default_rng(5)
    raters, texts = [], []
    for _ in range(200):
        again = np.take_along_axis(ratings, rng.integers(0, 20, ratings.shape), axis=1).sum(axis=1)
        raters.append(huse_arrays(again, rate, z))
        drawn = np.concatenate([rng.choice(np.flatnonzero(side), 100) for side in (z, ~z)])
        texts.append(huse_arrays(ratings[drawn].sum(axis=1), rate[drawn], z[drawn])[0])
    # 1,000 draws each, and sds of .05439, .06295 and about .07.
    error = 4 * np.sqrt(1 / 200 + 1 / 1000)
    assert np.mean([one[0] for one in raters]) == pytest.approx(0.59386, abs=0.05439 * error)
    assert np.mean([one[1] for one in raters]) == pytest.approx(0.67506, abs=0.06295 * error)
    assert np.std([one[0] for one in raters]) == pytest.approx(0.05439, rel=0.25)
    assert np.mean(texts) == pytest.approx(0.46309, abs=0.07 * error)


# --- workers ---


def test_how_many_workers_gave_how_many_assignments_and_ratings(study):
    of_worker = Counter(study.rater[rows][0] for rows in study.assignments)
    assert (len(study.assignments), len(of_worker), len(study.value)) == (160, 93, 4000)
    assert Counter(of_worker.values()) == {1: 75, 2: 8, 3: 1, 5: 1, 6: 1, 7: 1, 8: 6}
    assert np.mean(list(of_worker.values())) == pytest.approx(1.7204301075268817)
    assert [int((study.value == code).sum()) for code in range(1, 7)] == [496, 288, 627, 803, 1014, 772]
    by_hit = [study.value[study.hit == hit].mean() for hit in sorted(set(study.hit))]
    assert by_hit == pytest.approx([4.228, 3.882, 4.196, 3.684, 4.422, 3.246, 3.822, 4.254], abs=1e-9)


def test_how_long_assignments_took(study):
    seconds = np.array([study.seconds[rows][0] for rows in study.assignments])
    assert (seconds.mean(), seconds.std(ddof=1)) == pytest.approx((1254.70625, 1014.0100454570143))
    assert (seconds.min(), np.median(seconds), seconds.max()) == (30, 804, 3592)
    expected = [35.95, 89.9, 164.6, 440, 1964.5, 2852.9, 3176.25]
    assert np.percentile(seconds, [1, 5, 10, 25, 75, 90, 95]) == pytest.approx(expected)
    assert [int((seconds < limit).sum()) for limit in (60, 100, 120, 180, 300)] == [6, 9, 13, 17, 28]
    assert int((seconds >= 3000).sum()) == 11


def test_how_workers_agree_with_the_others_at_the_quantiles(study):
    by_worker = np.array([r for r in study.by_worker.values() if r == r])
    found = [by_worker.min(), *np.percentile(by_worker, [10, 25, 75, 90]), by_worker.max()]
    assert found == pytest.approx([-0.497756, -0.142376, 0.060462, 0.673343, 0.746425, 0.911123], abs=1e-6)
    by_assignment = np.array([study.agreement(rows) for rows in study.assignments])
    assert np.nanmedian(by_assignment) == pytest.approx(0.29051656904077905)
    assert int((by_assignment < 0.1).sum()) == 44
    seconds = np.array([study.seconds[rows][0] for rows in study.assignments])
    known = ~np.isnan(by_assignment)
    assert stats.spearmanr(seconds[known], by_assignment[known]).statistic == pytest.approx(0.3304597045456357)


def test_rank_agreement_and_constant_answers_of_assignments(study):
    ranks, most = [], []
    for rows in study.assignments:
        most.append(Counter(study.value[rows].tolist()).most_common(1)[0][1])
        if most[-1] < 25:
            ranks.append(stats.spearmanr(study.value[rows], study.others[rows]).statistic)
    assert np.mean(ranks) == pytest.approx(0.3120722842087579)
    assert (sum(m >= 20 for m in most), sum(m == 25 for m in most)) == (12, 2)


def test_thirty_workers_look_like_spammers(study):
    suspects = set()
    for name, r in study.by_worker.items():
        own = study.value[study.rater == name]
        straight = Counter(own.tolist()).most_common(1)[0][1] >= 0.8 * len(own)
        quick = np.mean([study.seconds[rows][0] for rows in study.assignments if study.rater[rows][0] == name]) < 120
        if not r >= 0.1 or straight or quick:
            suspects.add(name)
    assert (len(suspects), int(np.isin(study.rater, sorted(suspects)).sum())) == (30, 1400)


# HUSE and HUSE-Q, mean and sd over 200 draws of so many workers to remove.
RANDOM = {
    10: ((0.5223, 0.0427), (0.6105, 0.0517)),
    20: ((0.5358, 0.0532), (0.6262, 0.0673)),
    30: ((0.5444, 0.0637), (0.6322, 0.0725)),
}


@pytest.mark.parametrize("workers", RANDOM)
def test_huse_without_workers_drawn_at_random(study, workers):
    rng, names = np.random.default_rng(workers), sorted(study.by_worker)
    found = []
    for _ in range(80):
        removed = np.isin(study.rater, rng.choice(names, workers, replace=False))
        found.append(huse_with(study, kept_only(study, removed)[2])[:2])
    for values, (mean, sd) in zip(zip(*found, strict=True), RANDOM[workers], strict=True):
        assert np.mean(values) == pytest.approx(mean, abs=4 * sd * np.sqrt(1 / 80 + 1 / 200))
        assert np.std(values) == pytest.approx(sd, rel=0.35)


# --- reviews from 0 to 100 ---


def test_reviews_of_squality_by_system_and_as_a_guess(data_dir):
    names, _, values = squality_ratings(data_dir, "overall")
    system = np.array([name.split("-", 2)[2] for name in names])
    value = np.array(values, dtype=float)
    means = {name: value[system == name].mean() for name in ("bart", "bart-dpr", "human")}
    expected = {"bart": 18.136666666666667, "bart-dpr": 27.913333333333334, "human": 91.26}
    assert means == pytest.approx(expected, rel=1e-12)
    machine, human = value[system == "bart"] < 50, value[system == "human"] < 50
    assert (machine.sum(), human.sum(), (~machine).sum(), (~human).sum()) == (276, 6, 24, 294)
