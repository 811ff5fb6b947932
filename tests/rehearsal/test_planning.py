"""The planner on the rehearsal world: the spread that 8,000 simulated studies have, from one of them."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.rehearsal.world import truths
from annotation.rehearsal.world.raters import Crowd, TextFeatures, draw_crowd, label_codes
from annotation.rehearsal.world.study import Design, allot_raters, pack_hits
from annotation.rehearsal.world.vocabulary import token_counts
from annotation.rehearsal.world.world import World
from metrics.huse.ratings_by_text import Rated
from metrics.planning import Pilot, expected_precision, fit_pilot


def pilot_of(temperature: float, seed: int) -> Pilot:
    """One study of the demo's design with one generator, rating by rating."""
    world, design, rng = World.load(), Design(temperatures=(temperature,)), np.random.default_rng(seed)
    texts = [world.grammar.sample(100, rng), world.model.sample(100, temperature, rng)]
    parts = [world.features_of(ids, world.grammar.vocabulary.decode(ids)) for ids in texts]
    features = TextFeatures(
        np.concatenate([part.keys for part in parts]), np.concatenate([part.impression for part in parts])
    )
    source = np.repeat([0, 1], 100)
    hits = pack_hits(source, design.texts_per_hit, rng)
    people = allot_raters(len(hits), design.crowd, design.ratings, rng)
    raters = np.empty((200, design.ratings), dtype=np.int64)
    for rows, chosen in zip(hits, people, strict=True):
        raters[rows] = chosen
    crowd = Crowd.of(draw_crowd(design.crowd, design.spam_share, rng))
    codes = label_codes(features, crowd, raters, seed).astype(np.int64)
    q = np.concatenate([world.model.log_prob(ids, temperature) / token_counts(ids) for ids in texts])
    rated = Rated(codes, raters, np.full(200, design.ratings), 1, design.crowd)
    return fit_pilot(rated, q, source == 0)


@pytest.mark.parametrize("truth", truths.load().temperatures, ids=lambda truth: f"t={truth.temperature}")
def test_predicted_spread_is_within_15_percent_of_the_simulated_one(truth):
    plan = expected_precision(pilot_of(truth.temperature, seed=1), texts=200, raters=20, studies=400)
    known = {name: truth.expected[name].sd for name in plan.sd}
    assert {name: plan.sd[name] / sd for name, sd in known.items()} == pytest.approx(dict.fromkeys(known, 1), abs=0.15)
