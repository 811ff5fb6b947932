"""Assay's own small model: counted n-grams with hand-computed back-off, and every text scorable."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.likelihood import TINY, Decoding, Layout, open_model, score_all
from metrics.likelihood.errors import EmptyText, ModelUnavailable
from metrics.likelihood.tiny.model import TinyModel, open_tiny, read_ngrams, write_ngrams
from metrics.likelihood.tiny.ngrams import count_ngrams
from metrics.likelihood.tiny.train import main, read_prose

PROSE = (
    "People read the texts in a random order and rate how typical each of them is. The interval shows how far another "
    "sample of people would lead to another number."
)


def small(**settings: object) -> TinyModel:
    """Order 2, counted on the one text `ab`: start, a, b, end."""
    return TinyModel(count_ngrams(["ab"], 2), revision="test", layout=Layout(**settings))  # type: ignore[arg-type]


def test_back_off_is_as_computed_by_hand() -> None:
    # Behind nothing: 3 symbols seen once each, 3 kinds, 1/257 below: (1 + 3/257) / (3 + 3).
    seen, unseen = (1 + 3 / 257) / 6, (3 / 257) / 6
    # Behind the start only `a` follows, once: (1 + 1 * P(a)) / (1 + 1); the same for b behind a, and the end behind b.
    expected = 3 * np.log((1 + seen) / 2)
    assert small().score([("", "ab")])[0].log_prob == pytest.approx(expected, rel=1e-12)
    # Behind the start `z` was never seen: (0 + 1 * P(z)) / 2; behind z nothing was: P(a), then b and the end.
    expected = np.log(unseen / 2) + np.log(seen) + 2 * np.log((1 + seen) / 2)
    assert small().score([("", "zab")])[0].log_prob == pytest.approx(expected, rel=1e-12)


def test_the_start_token_stands_between_context_and_candidate_where_asked() -> None:
    (without,), (between,) = small(start="auto").score([("z", "a")]), small(start="always").score([("z", "a")])
    seen = (1 + 3 / 257) / 6
    ends = np.log(seen / 2)  # behind a, only b was seen
    assert without.log_prob == pytest.approx(np.log(seen) + ends)
    assert between.log_prob == pytest.approx(np.log((1 + seen) / 2) + ends)


@given(st.text(st.characters(), max_size=60).filter(str.strip), st.text(max_size=20))
@example("\ud800 lone", "")
@example("Ünïcode 漢字 👩‍🚀", "\x00")
@settings(max_examples=60, deadline=None)
def test_any_text_is_scored_and_its_statistics_agree(candidate: str, context: str) -> None:
    model = open_tiny()
    (scored,) = model.score([(context, candidate)])
    (stats,) = model.statistics([(context, candidate)])
    assert scored.tokens == len(candidate.encode("utf-8", "surrogatepass")) + 1
    assert np.isfinite(scored.log_prob)
    assert stats.log_prob.sum() == pytest.approx(scored.log_prob, rel=1e-9)
    whole = np.exp(model.distributions((context, candidate)).astype(np.float64))
    np.testing.assert_allclose(whole.sum(axis=1), 1.0, atol=1e-4)
    np.testing.assert_allclose(np.exp(stats.top_log_prob), whole.max(axis=1), rtol=1e-4)
    assert (stats.rank >= 1).all()


def test_english_prose_is_likelier_than_its_bytes_in_another_order() -> None:
    letters = list(PROSE)
    random.Random(0).shuffle(letters)
    prose, shuffled = open_model(TINY).score([("", PROSE), ("", "".join(letters))])
    assert prose.mean > shuffled.mean + 1


def test_long_texts_are_read_in_blocks_without_a_seam() -> None:
    text = PROSE * 60  # more than two blocks
    (scored,), (stats,) = open_tiny().score([("", text)]), open_tiny().statistics([("", text)])
    assert stats.log_prob.sum() == pytest.approx(scored.log_prob, rel=1e-9)


def test_a_temperature_renormalises_every_step() -> None:
    plain, cold = open_tiny(), open_tiny(decoding=Decoding(0.5))
    squared = np.exp(2 * plain.distributions(("", "The")).astype(np.float64))
    expected = np.log(squared / squared.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(cold.distributions(("", "The")), expected, atol=1e-3)
    assert "t=0.5" in cold.card.signature


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(EmptyText):
        open_tiny().score([("", " ")])
    with pytest.raises(BadInput, match="no context"):
        small(start="never").score([("", "a")])


def test_a_model_is_trained_again_the_same_and_read_back(tmp_path: Path) -> None:
    document = f"# Heading\n\n{PROSE}\n\n```\ncode\n```\n\n| a table | of cells that are long enough to be prose |\n"
    assert read_prose([document]) == [PROSE]
    (tmp_path / "a.md").write_text(document)
    first, second = tmp_path / "one.npz", tmp_path / "two.npz"
    said = main([str(tmp_path / "a.md")], first)
    digest = write_ngrams(count_ngrams([PROSE], 5), second)
    assert first.read_bytes() == second.read_bytes()
    assert digest in said
    again, counted = read_ngrams(second, digest), count_ngrams([PROSE], 5)
    assert again.probabilities([257, 80, 101], 1) == pytest.approx(counted.probabilities([257, 80, 101], 1))
    with pytest.raises(ModelUnavailable, match="damaged"):
        read_ngrams(second, "0" * 64)


def test_open_model_gives_it_without_torch() -> None:
    model = open_model(TINY, layout=Layout(include_eos=False))
    assert model.card.model == "assay-tiny"
    assert model.card.revision.startswith("sha256:")
    assert score_all(model, [("", "A text.")])[0].tokens == 7
