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
from metrics.text_scores.machine_scores import reading_layout
from metrics.text_scores.vocabulary import readable_tokens


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


def test_what_it_predicts_at_each_word_adds_up(world: World) -> None:
    headlines = world.sample_model(20, 0.9, np.random.default_rng(2))
    model = TinyModel(world, 0.9, layout=reading_layout())
    stats = model.statistics([("", headline) for headline in headlines])
    for headline, words in zip(headlines, stats, strict=True):
        rows = model.distributions(("", headline)).astype(float)
        np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, atol=1e-4)
        np.testing.assert_allclose(words.top_log_prob, rows.max(axis=1), atol=1e-5)
        chosen = [row[world.grammar.vocabulary.index[word]] for row, word in zip(rows, _words(headline), strict=True)]
        np.testing.assert_allclose(words.log_prob, chosen, atol=1e-5)
        assert words.rank.tolist() == [1 + int((row > own).sum()) for row, own in zip(rows, chosen, strict=True)]
        assert "".join(readable_tokens(words.tokens)) == headline
        # The end of the headline is what is left of log p of the whole.
        assert float(words.log_prob.sum()) > float(world.log_prob_model([headline], 0.9)[0])


def _words(headline: str) -> list[str]:
    return headline.casefold().split()


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
