"""Scores equal those of an obvious reference that scores one pair at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics.likelihood import Decoding, Layout, decoded, open_model
from metrics.likelihood.huggingface import HuggingFace
from metrics.likelihood.torch_loading import Loaded
from tests.metrics.likelihood.tiny import WORDS, ids, model, one_at_a_time, pairs, saved, tokenizer

KINDS = ("gpt2", "llama", "bloom", "gemma2", "bart", "t5")
PAIRS = pairs()


def backend(kind: str, side: str = "right", **more: object) -> HuggingFace:
    made = model(kind)
    reader = tokenizer(side, closes=made.config.is_encoder_decoder)
    return HuggingFace(Loaded(made, reader, kind, "r", kind, "float32"), **more)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_scores_as_it_does_alone(kind: str, side: str) -> None:
    ours = backend(kind, side).score(PAIRS)
    wanted = [one_at_a_time(model(kind), *pair) for pair in PAIRS]
    np.testing.assert_allclose([one.mean for one in ours], [p / n for p, n in wanted], atol=1e-5)
    assert [one.tokens for one in ours] == [n for _, n in wanted]


@pytest.mark.parametrize("budget", [16, 64, 4096])
@pytest.mark.parametrize("kind", KINDS)
def test_neither_the_order_nor_the_batch_matters(kind: str, budget: int) -> None:
    order = np.random.default_rng(3).permutation(len(PAIRS))
    whole = backend(kind).score(PAIRS)
    shuffled = backend(kind, budget=budget).score([PAIRS[i] for i in order])
    np.testing.assert_allclose([one.log_prob for one in shuffled], [whole[i].log_prob for i in order], atol=5e-5)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bart", "t5"])
def test_candidates_of_a_context_share_a_row_where_the_model_takes_it(kind: str) -> None:
    assert backend(kind).engine.shape.share


@pytest.mark.parametrize("kind", ["bloom", "gemma2"])
def test_a_model_that_cannot_share_rows_is_scored_row_by_row(kind: str) -> None:
    assert not backend(kind).engine.shape.share


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_leaving_out_what_a_tree_does_not_need_changes_no_score(kind: str) -> None:
    found = backend(kind)
    assert found.engine.lean
    # Six candidates behind a long context: most places of the row are never read.
    many = [("the cat sat on the mat and then the dog ran under a tree far away", one) for one in WORDS[:6]]
    ours = found.score(many)
    wanted = [one_at_a_time(model(kind), *pair) for pair in many]
    np.testing.assert_allclose([one.mean for one in ours], [p / n for p, n in wanted], atol=1e-5)
    # The hooks and the attention are taken off again: one pair at a time, by the same model.
    after = [one_at_a_time(found.model, *pair)[0] for pair in many]
    np.testing.assert_allclose(after, [p for p, _ in wanted], atol=1e-5)


def test_a_soft_cap_behind_the_head_is_kept() -> None:
    found = backend("gemma2")
    assert not found.engine.head.bare
    # Logits are capped at 2 in size, so no token is less probable than this.
    worst = -np.log(np.exp(4) * len(found.tokenizer))
    assert found.distributions(("the cat", "sat")).min() >= worst


def test_scores_under_annealing_are_renormalised_at_every_step() -> None:
    how = Decoding(temperature=0.7, top_k=5, top_p=0.9)
    plain, annealed = backend("gpt2"), backend("gpt2", decoding=how)
    for pair in PAIRS[:6]:
        steps = plain.distributions(pair).astype(float)
        target = [*ids(pair[1]), 2]
        wanted = sum(decoded(row, how)[token] for row, token in zip(steps, target, strict=True))
        assert annealed.score([pair])[0].log_prob == pytest.approx(wanted, abs=1e-4)


def test_without_the_end_of_text_token_neither_sum_nor_n_counts_it() -> None:
    pair = ("the cat", "sat on the mat")
    (whole,) = backend("gpt2").statistics([pair])
    (open_end,) = backend("gpt2", layout=Layout(include_eos=False)).score([pair])
    assert open_end.tokens == 4
    assert open_end.log_prob == pytest.approx(whole.log_prob[:4].sum(), abs=1e-5)


def test_bfloat16_scores_are_near_and_say_so(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    rough, exact = (open_model(str(folder), dtype=dtype) for dtype in ("bfloat16", "float32"))
    assert (rough.card.dtype, exact.card.dtype) == ("bfloat16", "float32")
    differences = [a.mean - b.mean for a, b in zip(rough.score(PAIRS), exact.score(PAIRS), strict=True)]
    assert 0 < max(map(abs, differences)) < 0.5
