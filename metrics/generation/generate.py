"""Generating texts with a Hugging Face model: priming, sampling, sampling again where the caller rejects a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from metrics.generation.records import Generated, Settings
from metrics.generation.torch_sampling import Draw, sample_tokens
from metrics.likelihood.errors import TextTooLong, excerpt
from metrics.likelihood.huggingface import HuggingFace
from metrics.types import Setting

# (prompt, text): whether the text may stay.
Check = Callable[[str, str], bool]


def generate(
    backend: HuggingFace, prompts: Sequence[str], settings: Settings, *, check: Check | None = None
) -> list[Generated]:
    """One text for every prompt. The decoding is the settings', whatever the backend scores by.

    check: texts that it rejects are sampled again, up to `attempts` times; the last one is kept and marked.
    Raises TextTooLong where a prompt leaves no room for max_tokens, NotANumber for broken logits.
    """
    tokens = [_tokens(backend, prompt, settings) for prompt in prompts]
    done: dict[int, Generated] = {}
    waiting = list(range(len(prompts)))
    for attempt in range(1, settings.attempts + 1):
        # Prompts of like length together: less padding.
        waiting.sort(key=lambda number: (len(tokens[number]), number))
        for start in range(0, len(waiting), settings.batch):
            part = waiting[start : start + settings.batch]
            draws = _sampled(backend, [tokens[number] for number in part], part, attempt, settings)
            for number, draw in zip(part, draws, strict=True):
                done[number] = _generated(
                    backend, prompts[number], draw, attempt=attempt, number=number, settings=settings, check=check
                )
        waiting = [number for number in waiting if not done[number].accepted]
        if not waiting:
            break
    return [done[number] for number in range(len(prompts))]


def prime_prompt(backend: HuggingFace, prompt: str, settings: Settings) -> str:
    """The prompt with its priming examples in front."""
    priming = settings.priming
    separator = backend.tokenizer.eos_token or "" if priming.separator is None else priming.separator
    return separator.join([*priming.examples, prompt])


def _tokens(backend: HuggingFace, prompt: str, settings: Settings) -> tuple[int, ...]:
    text = prime_prompt(backend, prompt, settings)
    name = f"The prompt {excerpt(prompt)}"
    two_sided, encoding = backend.loaded.two_sided, backend.encoding
    ids = encoding.source(text, name) if two_sided else encoding.prompt(text, name)
    room = encoding.window
    if not two_sided and room is not None and len(ids) + settings.max_tokens - 1 > room:
        raise TextTooLong(
            f"{name} with {settings.max_tokens} tokens to sample",
            tokens=len(ids) + settings.max_tokens - 1,
            window=room,
        )
    return ids


def _sampled(
    backend: HuggingFace, prompts: Sequence[tuple[int, ...]], numbers: Sequence[int], attempt: int, settings: Settings
) -> list[Draw]:
    return sample_tokens(
        backend.model,
        prompts,
        [np.random.default_rng([settings.seed, number, attempt]) for number in numbers],
        decoding=settings.decoding,
        eos=backend.tokenizer.eos_token_id,
        max_tokens=settings.max_tokens,
        lead=backend.encoding.lead("a") if backend.loaded.two_sided else (),
    )


def _generated(
    backend: HuggingFace,
    prompt: str,
    draw: Draw,
    *,
    attempt: int,
    number: int,
    settings: Settings,
    check: Check | None,
) -> Generated:
    body = draw.ids[:-1] if draw.ended else draw.ids
    text = backend.tokenizer.decode(body, clean_up_tokenization_spaces=False)
    return Generated(
        text=text,
        prompt=prompt,
        token_ids=tuple(draw.ids),
        log_prob=min(0.0, draw.log_prob),
        stopped="end" if draw.ended else "length",
        attempt=attempt,
        accepted=check is None or check(prompt, text),
        record=record_settings(backend, settings) | {"number": number, "attempt": attempt},
    )


def record_settings(backend: HuggingFace, settings: Settings) -> dict[str, Setting]:
    """Every setting that makes a text (K5), flat and JSON-ready."""
    loaded, priming = backend.loaded, settings.priming
    separator = (backend.tokenizer.eos_token or "") if priming.separator is None else priming.separator
    return {
        "model": loaded.name,
        "revision": loaded.revision,
        "tokenizer": loaded.tokenizer_name,
        "dtype": loaded.dtype,
        "decoding": str(settings.decoding),
        **asdict(settings.decoding),
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
        "priming": "\x1e".join(priming.examples),
        "priming_ids": ",".join(priming.ids),
        "separator": separator,
        "start_token": backend.layout.start,
        "max_attempts": settings.attempts,
    }
