"""What answers show of people: known workers are named, honest ones are not, and nothing depends on names."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.worker_models.duplicates import _tail, find_alike_pairs
from metrics.worker_models.people import KINDS, PeopleEvidence, judge_people
from metrics.worker_models.text_places import fit_places, unique_counts
from metrics.worker_models.ways_of_working import LabeledTexts, infer_ways

LABELS, TEXTS, PER_TASK = 6, 75, 25
HONEST = 12


def answers_of(labels: np.ndarray) -> LabeledTexts:
    """Everybody answers all texts, in the order of their numbers, in three tasks. labels: (people, texts)."""
    people, texts = labels.shape
    person, text = (column.ravel() for column in np.indices(labels.shape))
    return LabeledTexts(
        person=person,
        assignment=person * 3 + text // PER_TASK,
        text=text,
        label=labels.ravel(),
        bin=text % PER_TASK,
        labels=LABELS,
        people=people,
        texts=texts,
    )


def careful(rng: np.random.Generator, people: int) -> np.ndarray:
    place = rng.uniform(0, LABELS - 1, TEXTS)
    read = place + rng.normal(0, 0.4, (people, 1)) + rng.normal(0, 0.9, (people, TEXTS))
    return np.clip(np.rint(read), 0, LABELS - 1).astype(np.int64)


@pytest.fixture(scope="module")
def planted() -> PeopleEvidence:
    rng = np.random.default_rng(26)
    honest = careful(rng, HONEST + 3)
    clicks = rng.integers(0, LABELS, TEXTS)
    line = np.where(rng.random(TEXTS) < 0.97, 2, clicks)
    tires = np.where(np.arange(TEXTS) % PER_TASK < 11, honest[-3], rng.integers(0, LABELS, TEXTS))
    copies = np.where(rng.random(TEXTS) < 0.9, honest[0], honest[-2])
    bad = np.stack([clicks, line, LABELS - 1 - honest[-1], tires, copies])
    return judge_people(answers_of(np.concatenate([honest[:HONEST], bad])), [(1, 2)])


def test_people_whose_way_of_working_is_known_are_named(planted: PeopleEvidence) -> None:
    named = [KINDS[kind] for kind in planted.likeliest]
    assert named[1:HONEST] == ["careful"] * (HONEST - 1)
    assert named[HONEST:] == ["clicks", "line", "reversed", "tires", "duplicate"]
    assert (planted.bad[HONEST:] > 0.95).all()
    assert (planted.bad[1:HONEST] < 0.2).all()
    # From about the eleventh of 25 texts on.
    assert abs(planted.ways.tires_from[HONEST + 3] - 11) <= 3


def test_who_copied_is_named_with_whom_and_a_shared_device_alone_accuses_nobody(planted: PeopleEvidence) -> None:
    assert planted.partner[HONEST + 4] == 0
    assert planted.partner[0] == HONEST + 4
    assert planted.pairs.shared[0] == TEXTS
    assert planted.pairs.p_adjusted[0] < 0.001
    device = np.flatnonzero(planted.pairs.same_device)
    assert [(int(planted.pairs.first[at]), int(planted.pairs.second[at])) for at in device] == [(1, 2)]
    assert not planted.pairs.alike[device].any()
    assert (planted.partner[1:HONEST] == -1).all()


def test_chances_are_distributions_and_do_not_depend_on_how_people_are_numbered(planted: PeopleEvidence) -> None:
    np.testing.assert_allclose(planted.chance.sum(axis=1), 1)
    assert ((planted.chance >= 0) & (planted.chance <= 1)).all()
    rng = np.random.default_rng(3)
    labels = np.concatenate([careful(rng, 8), rng.integers(0, LABELS, (2, TEXTS))])
    order = rng.permutation(len(labels))
    there, back = judge_people(answers_of(labels)), judge_people(answers_of(labels[order]))
    np.testing.assert_allclose(there.chance[order], back.chance, atol=1e-5)


def test_equal_answers_of_two_straight_liners_are_no_copies() -> None:
    labels = careful(np.random.default_rng(5), 10)
    labels[:2] = 3
    work = answers_of(labels)
    assert not find_alike_pairs(work, infer_ways(work)).alike.any()


@pytest.mark.parametrize(
    ("chance", "n", "least"),
    [(0.5, 10, 8), (0.3, 25, 15), (0.9, 4, 0), (0.3, 5000, 2000), (0.4, 3001, 900), (0.6, 1200, 1200)],
)
def test_the_tail_of_agreements_is_the_binomial_where_all_chances_are_equal(chance: float, n: int, least: int) -> None:
    from scipy.stats import binom

    assert _tail(np.full(n, chance), least) == pytest.approx(binom.sf(least - 1, n, chance), rel=1e-9, abs=0)


def test_the_tail_of_unequal_chances_by_hand() -> None:
    # At least one of .2 and .5: 1 - .8 * .5.
    assert _tail(np.array([0.2, 0.5]), 1) == pytest.approx(0.6)
    # All of 1,000 of .8 and 500 of .9.
    assert _tail(np.repeat([0.8, 0.9], [1000, 500]), 1500) == pytest.approx(0.8**1000 * 0.9**500, rel=1e-9, abs=0)


def test_no_answers_and_answers_that_nobody_shares_show_nothing() -> None:
    nothing = judge_people(answers_of(np.zeros((0, TEXTS), dtype=np.int64)))
    assert len(nothing.bad) == 0
    alone = judge_people(answers_of(careful(np.random.default_rng(1), 1)))
    assert alone.ways.answers.tolist() == [0]
    assert KINDS[alone.likeliest[0]] == "careful"


@pytest.mark.parametrize("largest", [3, 100_000])
def test_texts_with_the_same_counts_lie_where_each_of_them_would(largest: int) -> None:
    counts = np.random.default_rng(3).integers(0, 3, (60, 5)).astype(float)
    counts[7, 2] = largest
    different, which, times = unique_counts(counts)
    assert (different[which] == counts).all()
    assert times.sum() == 60
    together, alone = fit_places(different, times), fit_places(counts, np.ones(60))
    assert np.allclose(together.places(different)[which], alone.places(counts), atol=1e-12)
    without = together.places_without_each(different).reshape(-1, 5, 41)
    assert np.allclose(without[which], alone.places_without_each(counts).reshape(-1, 5, 41), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_study_shows_whether_its_readers_answer_without_reading_now_and_then(seed: int) -> None:
    rng = np.random.default_rng(seed)
    read = careful(rng, 25)
    lapsing = np.where(rng.random(read.shape) < 0.06, rng.integers(0, LABELS, read.shape), read)
    usual = [infer_ways(answers_of(labels)).lapses for labels in (read, lapsing)]
    assert usual == [0.01, 0.04]
