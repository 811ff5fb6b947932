"""Sampling in batches, one model step a token; the drawn token's log-probability is kept in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from metrics.likelihood.decoding import Decoding
from metrics.likelihood.errors import NotANumber
from metrics.likelihood.torch_logits import Tensor
from metrics.likelihood.torch_steps import decoded_logits


@dataclass(slots=True)
class Draw:
    """One text being sampled: what was drawn, its log p, and the dice."""

    rng: np.random.Generator
    ids: list[int] = field(default_factory=list)
    log_prob: float = 0.0
    ended: bool = False


def sample_tokens(
    model: Any,
    prompts: Sequence[Sequence[int]],
    rngs: Sequence[np.random.Generator],
    *,
    decoding: Decoding,
    eos: int | None,
    max_tokens: int,
    lead: Sequence[int] = (),
) -> list[Draw]:
    """Sample behind every prompt (tokens) until `eos` or `max_tokens`. lead: a decoder's first tokens; empty for a
    causal model. Raises NotANumber for logits that are not numbers."""
    draws = [Draw(rng) for rng in rngs]
    width = max(len(prompt) for prompt in prompts)
    ids = torch.zeros(len(prompts), width, dtype=torch.long)
    seen = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        # A causal model's prompts end together; an encoder's begin together.
        place = slice(0, len(prompt)) if lead else slice(width - len(prompt), width)
        ids[row, place], seen[row, place] = torch.tensor(prompt), 1
    ids, seen = ids.to(model.device), seen.to(model.device)
    step = _decoder_step if lead else _causal_step
    state: dict[str, Any] = {}
    with torch.inference_mode():
        if lead:
            state["encoder_outputs"] = model.get_encoder()(input_ids=ids, attention_mask=seen)
            ids = torch.tensor([list(lead)] * len(prompts), device=model.device)
        for _ in range(max_tokens):
            logits, seen = step(model, ids, seen, state)
            ids = _drawn(draws, decoded_logits(logits.float(), decoding), eos).to(model.device)
            if all(draw.ended for draw in draws):
                break
    return draws


def _causal_step(model: Any, ids: Tensor, seen: Tensor, state: dict[str, Any]) -> tuple[Tensor, Tensor]:
    places = (seen.cumsum(1) - 1).clamp_(min=0)[:, -ids.shape[1] :]
    inputs = {"input_ids": ids, "attention_mask": seen, "position_ids": places}
    out = model(**inputs, past_key_values=state.get("past"), use_cache=True)
    state["past"] = out.past_key_values
    return out.logits[:, -1], torch.cat([seen, seen.new_ones(len(seen), 1)], dim=1)


def _decoder_step(model: Any, ids: Tensor, seen: Tensor, state: dict[str, Any]) -> tuple[Tensor, Tensor]:
    out = model(
        encoder_outputs=state["encoder_outputs"],
        attention_mask=seen,
        decoder_input_ids=ids,
        past_key_values=state.get("past"),
        use_cache=True,
    )
    state["past"] = out.past_key_values
    return out.logits[:, -1], seen


def _drawn(draws: Sequence[Draw], logits: Tensor, eos: int | None) -> Tensor:
    log_probs = logits.double().log_softmax(1)
    if bool(log_probs.isnan().any()):
        raise NotANumber(
            "The model gives logits that are not numbers while sampling; its weights or dtype are at fault."
        )
    mass = log_probs.exp().cumsum(1).cpu().numpy()
    tokens = []
    for row, draw in enumerate(draws):
        point = draw.rng.random() * mass[row, -1]
        token = int(np.searchsorted(mass[row], point, side="right"))
        tokens.append(token)
        if not draw.ended:
            draw.ids.append(token)
            draw.log_prob += float(log_probs[row, token])
            draw.ended = token == eos
    return torch.tensor(tokens)[:, None]
