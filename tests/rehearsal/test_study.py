from __future__ import annotations

import numpy as np
import pytest

from annotation.rehearsal.world import Design, allot_raters
from annotation.rehearsal.world.study import pack_hits


def test_every_hit_holds_every_source_in_proportion():
    sources = np.repeat([0, 1, 2, 3], 100)
    hits = pack_hits(sources, 25, np.random.default_rng(1))
    assert sorted(np.concatenate(hits).tolist()) == list(range(400))
    assert {len(hit) for hit in hits} == {25}
    for hit in hits:
        assert set(np.bincount(sources[hit], minlength=4).tolist()) <= {6, 7}


def test_a_hit_shows_its_sources_in_no_fixed_order():
    sources = np.repeat([0, 1], 50)
    orders = {tuple(sources[hit].tolist()) for hit in pack_hits(sources, 10, np.random.default_rng(2))}
    assert len(orders) > 5


def test_raters_of_a_hit_differ_and_loads_are_even():
    taken = allot_raters(hits=16, crowd=60, ratings=20, rng=np.random.default_rng(3))
    assert taken.shape == (16, 20)
    assert all(len(set(raters)) == 20 for raters in taken.tolist())
    assert set(np.bincount(taken.ravel(), minlength=60).tolist()) <= {5, 6}


def test_a_crowd_too_small_for_a_hit_is_refused():
    with pytest.raises(ValueError, match="crowd of 10"):
        allot_raters(hits=1, crowd=10, ratings=20, rng=np.random.default_rng(0))


def test_the_design_is_the_demos():
    design = Design()
    assert (design.texts, design.ratings, design.texts_per_hit, design.k) == (400, 20, 25, 16)
    assert design.temperatures == (1.0, 0.9, 0.7)
