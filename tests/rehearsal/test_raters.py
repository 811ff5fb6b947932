from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from annotation.design.kinds.typicality.kind import LABELS as TYPICALITY_LABELS
from annotation.rehearsal.world import LABELS, RaterProfile, draw_crowd, label
from annotation.rehearsal.world.raters import (
    SPAM_KINDS,
    Crowd,
    TextFeatures,
    expected_code,
    label_codes,
    text_features,
    text_keys,
)

HONEST = RaterProfile("rater-001", competence=0.8, bias=0.1)


def judge(features: TextFeatures, rater: RaterProfile, seed: int = 1) -> np.ndarray:
    return label_codes(features, Crowd.of([rater]), np.zeros((len(features.keys), 1), dtype=np.int64), seed)[:, 0]


def texts_at(impression: float, n: int = 4000) -> TextFeatures:
    return TextFeatures(text_keys([f"text {impression} {i}" for i in range(n)]), np.full(n, impression))


def test_labels_are_those_of_the_shipped_scale_from_invalid_up():
    by_code = {int(code): name for name, code, _ in TYPICALITY_LABELS}
    assert tuple(by_code[code] for code in range(6)) == LABELS


def test_a_label_hangs_on_seed_rater_and_headline_only(world):
    texts = world.sample_references(30, np.random.default_rng(0))
    forwards, backwards = world.labels(texts, HONEST, 7), world.labels(texts[::-1], HONEST, 7)
    assert forwards == backwards[::-1]
    assert forwards == [LABELS[label(world.features([text]), HONEST, 7)] for text in texts]
    assert forwards != world.labels(texts, HONEST, 8)
    assert forwards != world.labels(texts, RaterProfile("rater-002", 0.8, 0.1), 7)


def test_many_judgments_at_once_are_the_same_as_one_by_one(world):
    features = world.features(world.sample_model(40, 1.0, np.random.default_rng(1)))
    people = draw_crowd(12, 0.25, np.random.default_rng(2))
    rows = np.random.default_rng(3).integers(0, 12, (40, 5))
    together = label_codes(features, Crowd.of(people), rows, seed=4)
    alone = [[label(features[slice(i, i + 1)], people[rater], 4) for rater in raters] for i, raters in enumerate(rows)]
    assert together.tolist() == alone


def test_what_is_more_typical_gets_higher_labels():
    means = [judge(texts_at(impression), HONEST).mean() for impression in (0.5, 1.5, 2.5, 3.5)]
    assert means == sorted(means)


def test_broken_headlines_read_as_worse_than_rare_ones(world):
    references = world.features(world.sample_references(2000, np.random.default_rng(4)))
    broken = world.features([f"Storm museum {i} vaccine gold Harwick" for i in range(2000)])
    assert judge(broken, HONEST).mean() < 1.2
    assert judge(references, HONEST).mean() > 2.5


def test_among_references_surprise_lowers_the_impression():
    keys = text_keys([f"text {i}" for i in range(4000)])
    surprise = np.linspace(1.3, 3.0, 4000)
    found = text_features(keys, -surprise * 8, np.full(4000, 8)).impression
    assert np.corrcoef(surprise, found)[0, 1] < -0.5


@pytest.mark.parametrize("spam", SPAM_KINDS[1:])
def test_a_spammer_answers_alike_whatever_the_headline_says(spam):
    rater = RaterProfile("rater-009", competence=0.9, bias=2.0, spam=spam)
    keys = text_keys([f"text {i}" for i in range(500)])
    awful, splendid = (judge(TextFeatures(keys, np.full(500, impression)), rater) for impression in (-3.0, 8.0))
    assert (awful == splendid).all()


def test_random_clicks_use_all_labels_equally():
    found = judge(texts_at(3.0, 12_000), RaterProfile("rater-010", 0.9, 0.0, "random"))
    assert chisquare(np.bincount(found, minlength=6)).pvalue > 1e-4


def test_constant_and_middle_spammers_do_as_named():
    constant = judge(texts_at(3.0), RaterProfile("rater-011", 0.9, 0.0, "constant"))
    middle = judge(texts_at(3.0), RaterProfile("rater-012", 0.9, 0.0, "middle"))
    assert len(set(constant.tolist())) == 1
    assert set(middle.tolist()) == {2, 3}


@pytest.mark.parametrize("impression", [0.3, 1.9, 3.4])
def test_the_expected_code_is_the_mean_over_many_honest_raters(impression):
    crowd = Crowd.of(draw_crowd(40_000, 0.0, np.random.default_rng(5)))
    one = TextFeatures(text_keys(["one headline"]), np.array([impression]))
    codes = label_codes(one, crowd, np.arange(40_000)[None, :], seed=6)[0]
    assert abs(codes.mean() - expected_code(one.impression)[0]) < 5 * codes.std() / 200


def test_a_crowd_holds_the_share_of_spammers_asked_for():
    people = draw_crowd(60, 0.1, np.random.default_rng(7))
    assert sum(bool(rater.spam) for rater in people) == 6
    assert {rater.spam for rater in people} == set(SPAM_KINDS)
    assert len({rater.id for rater in people}) == 60
    assert all(0 < rater.competence <= 1 for rater in people)


def test_a_share_of_spammers_outside_zero_to_one_is_refused():
    with pytest.raises(ValueError, match="spam_share"):
        draw_crowd(10, 1.2, np.random.default_rng(0))
