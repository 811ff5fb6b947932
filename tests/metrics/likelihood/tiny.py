"""Tiny random models and tokenizers, made here: nothing is downloaded. And the obvious reference: a pair at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BloomConfig,
    BloomForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

WORDS = (
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "under",
    "mat",
    "tree",
    "red",
    "blue",
    "and",
    "then",
    "not",
    "very",
    "far",
    "away",
)
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
VOCABULARY = [*SPECIAL, *WORDS]
WINDOW = 64
SMALL = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def tokenizer(side: str = "right", *, closes: bool = False) -> PreTrainedTokenizerFast:
    """A word-level tokenizer; `closes` puts </s> behind every text, as encoder-decoder models have it."""
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if closes:
        inner.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    names = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=inner, padding_side=side, **names)


def model(kind: str) -> Any:
    """A random model of that family, its weights spread so that texts differ."""
    torch.manual_seed(7)
    size = len(VOCABULARY)
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "hidden_size": 32, "num_hidden_layers": 2}
    wide = {"intermediate_size": 64, "max_position_embeddings": WINDOW}
    makers = {
        "gpt2": lambda: GPT2LMHeadModel(
            GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=2, n_positions=WINDOW, **IDS)
        ),
        "llama": lambda: LlamaForCausalLM(LlamaConfig(vocab_size=size, **heads, **wide, **IDS)),
        "bloom": lambda: BloomForCausalLM(BloomConfig(vocab_size=size, hidden_size=32, n_layer=2, n_head=2, **IDS)),
        "gemma2": lambda: Gemma2ForCausalLM(
            Gemma2Config(
                vocab_size=size, head_dim=16, sliding_window=4, final_logit_softcapping=2.0, **heads, **wide, **IDS
            )
        ),
        "bart": lambda: BartForConditionalGeneration(
            BartConfig(
                vocab_size=size,
                max_position_embeddings=WINDOW,
                encoder_attention_heads=2,
                decoder_attention_heads=2,
                decoder_start_token_id=2,
                forced_eos_token_id=None,
                **SMALL,
                **IDS,
            )
        ),
        "t5": lambda: T5ForConditionalGeneration(
            T5Config(
                vocab_size=size,
                d_model=32,
                d_kv=16,
                d_ff=64,
                num_layers=2,
                num_heads=2,
                decoder_start_token_id=0,
                **IDS,
            )
        ),
    }
    made = makers[kind]().eval()
    with torch.no_grad():
        for weight in made.parameters():
            if weight.dim() > 1:
                weight.mul_(1.0 if kind == "t5" else 5.0)
    return made


def saved(folder: Path, kind: str = "gpt2", side: str = "right") -> Path:
    """A folder that holds the model and its tokenizer."""
    made = model(kind)
    made.save_pretrained(folder)
    tokenizer(side, closes=made.config.is_encoder_decoder).save_pretrained(folder)
    return folder


def ids(text: str) -> list[int]:
    """Words to numbers, by the vocabulary above."""
    return [VOCABULARY.index(word) for word in text.split()]


def one_at_a_time(made: Any, context: str, candidate: str) -> tuple[float, int]:
    """log p and N of one pair by one whole forward pass: every logit, log-softmax, the candidate's tokens and </s>."""
    target = [*ids(candidate), 2]
    with torch.no_grad():
        if made.config.is_encoder_decoder:
            start = made.config.decoder_start_token_id
            given = {"input_ids": [[*ids(context), 2]], "decoder_input_ids": [[start, *target[:-1]]]}
        else:
            given = {"input_ids": [[*(ids(context) or [1]), *target[:-1]]]}
        logits = made(**{name: torch.tensor(value) for name, value in given.items()}).logits[0, -len(target) :]
    steps = torch.log_softmax(logits.double(), dim=-1).numpy()
    return float(sum(steps[i, token] for i, token in enumerate(target))), len(target)


def texts(n: int, seed: int = 0, longest: int = 9) -> list[str]:
    """Random texts of the vocabulary, of 1 to `longest` words."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, longest + 1))) for _ in range(n)]


def pairs(contexts: int = 4, candidates: int = 4, seed: int = 0) -> list[tuple[str, str]]:
    """Contexts with candidates each, one context being empty."""
    heads = ["", *texts(contexts - 1, seed + 100, 20)]
    return [(head, one) for i, head in enumerate(heads) for one in texts(candidates, seed + i)]
