"""Everything that cannot be scored is refused in a sentence; nothing is cut silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from metrics.errors import BadInput
from metrics.likelihood import Layout, open_model
from metrics.likelihood.encoding import slide_windows
from metrics.likelihood.errors import (
    EmptyText,
    ForeignTokenizer,
    ModelUnavailable,
    NotANumber,
    OutOfMemory,
    TextTooLong,
    UnknownTokens,
)
from metrics.likelihood.torch_loading import explain_unavailable
from tests.metrics.likelihood.test_agreement import backend
from tests.metrics.likelihood.tiny import WINDOW, ids, model, pairs, saved, texts

LONG = " ".join(texts(40, longest=8))


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(EmptyText):
        backend("gpt2").score([("the cat", text)])


def test_a_text_longer_than_the_window_is_refused_by_name() -> None:
    sentence = rf"'{LONG[:20]}.*takes \d+ tokens and the model's window is {WINDOW}"
    with pytest.raises(TextTooLong, match=sentence) as caught:
        backend("gpt2").score([("the cat", LONG)])
    assert caught.value.tokens == 2 + len(ids(LONG))


@pytest.mark.parametrize(("pair", "who"), [((LONG, "a"), "The context of"), (("a", LONG), "The text")])
def test_both_sides_of_an_encoder_decoder_have_a_window(pair: tuple[str, str], who: str) -> None:
    with pytest.raises(TextTooLong, match=who):
        backend("bart").score([pair])


def test_sliding_windows_score_each_token_once_behind_half_a_window() -> None:
    context, candidate = "the cat sat on", LONG
    (ours,) = backend("gpt2", layout=Layout(long_texts="slide")).score([(context, candidate)])
    made, whole, first = model("gpt2"), [*ids(context), *ids(candidate), 2], 4
    total = 0.0
    for place in range(first, len(whole)):
        start = max(0, -(-(place - WINDOW) // (WINDOW // 2)) * (WINDOW // 2))
        with torch.no_grad():
            logits = made(input_ids=torch.tensor([whole[start:place]])).logits[0, -1]
        total += float(torch.log_softmax(logits, -1)[whole[place]])
    assert (ours.log_prob, ours.tokens) == (pytest.approx(total, abs=1e-3), len(ids(LONG)) + 1)


@pytest.mark.parametrize(("first", "length", "window"), [(1, 10, 4), (9, 12, 4), (3, 40, 7), (1, 5, 64)])
def test_windows_cover_every_target_once(first: int, length: int, window: int) -> None:
    jobs = slide_windows(tuple(range(length)), first=first, window=window)
    assert [token for job in jobs for token in job.target] == list(range(first, length))
    assert all(len(job.prefix) + len(job.target) - 1 <= window for job in jobs)
    assert all(len(job.prefix) >= min(job.target[0], window // 2) for job in jobs)


def test_unknown_tokens_are_refused_unless_they_are_to_count() -> None:
    pair = ("the cat", "sat on Mars")
    with pytest.raises(UnknownTokens, match="sat on Mars"):
        backend("gpt2").score([pair])
    assert backend("gpt2", layout=Layout(unknown="count")).score([pair])[0].tokens == 4


def test_a_tokenizer_with_more_tokens_than_the_model_is_foreign(tmp_path: Path) -> None:
    folder, other = saved(tmp_path / "model"), tmp_path / "other"
    reader = backend("gpt2").tokenizer
    reader.add_tokens([f"word{i}" for i in range(50)])
    reader.save_pretrained(other)
    with pytest.raises(ForeignTokenizer, match="belongs to another"):
        open_model(str(folder), tokenizer=str(other))


def test_logits_that_are_not_numbers_name_the_text() -> None:
    found = backend("gpt2")
    with torch.no_grad():
        found.model.transformer.wte.weight[ids("red")[0]] = float("nan")
    with pytest.raises(NotANumber, match="'the red dog'"):
        found.score([("a cat", "the red dog")])


def starved(found: Any, most: int) -> list[int]:
    """Let the model fail for want of memory above so many tokens; the sizes it was asked for."""
    asked: list[int] = []
    real = found.model.forward

    def forward(input_ids: torch.Tensor, **more: Any) -> Any:
        asked.append(input_ids.numel())
        if input_ids.numel() > most:
            raise torch.OutOfMemoryError("out of memory")
        return real(input_ids=input_ids, **more)

    found.model.forward = forward
    return asked


def test_too_little_memory_means_smaller_batches_and_the_same_scores() -> None:
    whole, found = backend("gpt2"), backend("gpt2", budget=4096)
    asked = starved(found, 60)
    ours = [one.log_prob for one in found.score(pairs())]
    np.testing.assert_allclose(ours, [one.log_prob for one in whole.score(pairs())], atol=5e-5)
    assert max(asked) > 60


def test_one_text_too_large_for_the_memory_is_a_sentence() -> None:
    found = backend("gpt2")
    starved(found, 3)
    with pytest.raises(OutOfMemory, match="does not fit into memory"):
        found.score([("the cat", "sat on the mat")])


def test_other_faults_of_the_model_are_not_taken_for_want_of_memory() -> None:
    found = backend("gpt2")

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("shapes do not match")

    found.model.forward = broken
    with pytest.raises(RuntimeError, match="shapes"):
        found.score([("a", "cat")])


@pytest.mark.parametrize("name", ["nobody/no-such-model", "empty"])
def test_a_model_that_is_not_here_is_a_sentence(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnavailable, match=r"not on this machine|holds no model"):
        open_model(name)


def test_a_gated_model_says_what_to_do() -> None:
    said = explain_unavailable("big/model", OSError("You are trying to access a gated repo.\n401"), allow_download=True)
    assert said == "The model big/model is gated: ask its owner for access and sign in to the hub, then try again."


def test_a_dtype_or_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = str(saved(tmp_path))
    with pytest.raises(BadInput, match="dtype"):
        open_model(folder, dtype="int3")
    if not torch.cuda.is_available():
        with pytest.raises(BadInput, match="no CUDA"):
            open_model(folder, device="cuda")


def test_the_folder_stands_in_the_card_by_name_and_content(tmp_path: Path) -> None:
    one, two = (open_model(str(saved(tmp_path / name, kind))) for name, kind in (("x", "gpt2"), ("y", "llama")))
    assert one.card.model == "x"
    assert one.card.revision.startswith("sha256:")
    assert one.card.revision != two.card.revision
