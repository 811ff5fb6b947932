from __future__ import annotations

import subprocess
import sys

import numpy as np

from annotation.rehearsal.world import LENGTH_UNIT


def test_lengths_count_the_words_and_the_end_that_log_probs_cover(world):
    assert LENGTH_UNIT == "model_token"
    assert world.lengths(["Storm hits coast this summer", "Snow"]).tolist() == [6, 2]


def test_references_are_possible_and_some_model_texts_are_not(world):
    rng = np.random.default_rng(1)
    assert np.isfinite(world.log_prob_ref(world.sample_references(500, rng))).all()
    shares = [np.isneginf(world.log_prob_ref(world.sample_model(500, t, rng))).mean() for t in (1.0, 0.7)]
    assert 0.2 < shares[0] < 0.5
    assert 0.03 < shares[1] < 0.2


def test_log_probs_are_natural_and_never_above_zero(world):
    texts = world.sample_model(300, 0.7, np.random.default_rng(2))
    for found in (world.log_prob_ref(texts), world.log_prob_model(texts, 0.7)):
        assert (found <= 0).all()


def test_the_same_dice_write_the_same_texts(world):
    first, second = (world.sample_model(20, 0.9, np.random.default_rng(3)) for _ in range(2))
    assert first == second


def test_the_world_needs_neither_torch_nor_django():
    code = (
        "import sys; from annotation.rehearsal.world import World; World.load(); "
        "sys.exit(bool({'torch', 'django'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
