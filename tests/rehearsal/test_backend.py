"""The rehearsal's tiny model answers as any other backend does."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from annotation.rehearsal.backend import TinyModel
from annotation.rehearsal.world import World
from metrics.errors import BadInput, MetricsError
from metrics.likelihood.errors import EmptyText, UnknownTokens


@pytest.fixture(scope="module")
def world() -> World:
    return World.load()


def test_a_headline_scores_the_same_alone_and_among_others(world: World) -> None:
    headlines = world.sample_model(20, 0.9, np.random.default_rng(1))
    found = TinyModel(world, 0.9).score([("", one) for one in headlines])
    for headline, one in zip(headlines, found, strict=True):
        (alone,) = TinyModel(world, 0.9).score([("", headline)])
        assert one.log_prob == pytest.approx(alone.log_prob, abs=1e-4)
        assert one.tokens == len(headline.split()) + 1


@pytest.mark.parametrize(
    ("pair", "error"), [(("a context", "x"), BadInput), (("", " "), EmptyText), (("", "zzyzx"), UnknownTokens)]
)
def test_what_the_model_cannot_read_is_a_sentence(
    world: World, pair: tuple[str, str], error: type[MetricsError]
) -> None:
    with pytest.raises(error):
        TinyModel(world, 1.0).score([pair])


def test_the_demo_needs_neither_torch_nor_transformers() -> None:
    code = "import annotation.rehearsal.backend, sys; sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
