"""The simulated crowds behind docs/quality.md, in small: who is found, whom the defaults wrong, what the page says."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.quality.filters import FILTERS
from annotation.rehearsal.world import World
from tests.benchmarks.simulation_studies.crowd_worlds import EXPLAINED, KINDS, TYPICALITY, study
from tests.benchmarks.simulation_studies.informed import informed, laws
from tests.benchmarks.simulation_studies.quality import crowds, lines

STUDIES = 6


@pytest.fixture(scope="module")
def found():
    return {one.name: crowds(one, STUDIES, (1, i)) for i, one in enumerate((TYPICALITY, EXPLAINED))}


def share(arrays, kind: str, part: str = "ours") -> float:
    return float(arrays[part][arrays["kinds"] == KINDS.index(kind)].mean())


@pytest.mark.parametrize("kind", ["straight-liner", "too fast", "random clicker"])
def test_who_does_not_read_25_texts_is_among_the_most_suspicious(found, kind):
    assert share(found[TYPICALITY.name], kind) > 0.9


@pytest.mark.parametrize("kind", ["too fast", "copier", "paster"])
def test_who_does_not_explain_is_among_the_most_suspicious(found, kind):
    assert share(found[EXPLAINED.name], kind) > 0.9


def test_no_default_filter_wrongs_more_than_a_twentieth_of_the_honest(found):
    for arrays in found.values():
        rates = arrays["flags"][arrays["kinds"] == 0].mean(axis=0)
        assert {one.kind for one, rate in zip(FILTERS, rates, strict=True) if one.on and rate > 0.05} == set()


def test_the_oracle_is_not_beaten_by_more_than_chance(found):
    for arrays in found.values():
        spam = arrays["kinds"] > 0
        assert arrays["oracle"][spam].mean() >= arrays["ours"][spam].mean() - 0.02


def test_nobody_who_must_learn_the_places_beats_the_oracle_by_more_than_chance(found):
    arrays = found[EXPLAINED.name]
    spam = arrays["kinds"] > 0
    assert arrays["oracle"][spam].mean() >= arrays["informed"][spam].mean() - 0.02


def test_who_knows_all_laws_but_the_places_is_right_as_often_as_they_say():
    world, rng = World.load(), np.random.default_rng(8)
    known = laws(EXPLAINED, world, rng)
    made = [study(EXPLAINED, world, rng) for _ in range(12)]
    sure = np.concatenate([informed(EXPLAINED, one, known, rng, sweeps=60) for one in made])
    spam = np.concatenate([one.kind > 0 for one in made])
    for low, high in ((0.0, 0.05), (0.05, 0.5), (0.5, 1.01)):
        among = (sure >= low) & (sure < high)
        assert abs(spam[among].mean() - sure[among].mean()) < 4 * np.sqrt(0.25 / among.sum())


def test_the_most_suspicious_are_as_many_as_are_looked_at(found):
    assert {int(arrays[part].sum()) for arrays in found.values() for part in ("ours", "oracle")} == {24 * STUDIES}


def test_the_same_seed_makes_the_same_study():
    world = World.load()
    one, other = (study(EXPLAINED, world, np.random.default_rng(5)) for _ in range(2))
    assert (one.oracle == other.oracle).all()
    assert list(one.work.reasons.body) == list(other.work.reasons.body)


def test_the_page_has_a_row_for_every_filter():
    class Kept:
        def __init__(self, arrays):
            self.arrays = lambda: arrays

    told = "\n".join(lines(1, {one.name: [Kept(crowds(one, 1, (3,)))] for one in (TYPICALITY, EXPLAINED)}))
    assert all(one.title in told for one in FILTERS)
