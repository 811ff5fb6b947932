"""Asking a model what it can do, instead of keeping a list of models: does it take a tree, is its head bare?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from metrics.likelihood.packing import Job, Shape
from metrics.likelihood.torch_causal import CausalEngine
from metrics.likelihood.torch_engine import Engine
from metrics.likelihood.torch_seq2seq import Seq2SeqEngine

EXACT, ROUNDED = 2e-5, 0.05
# What models raise that cannot take a mask of four dimensions or positions of their own.
REFUSALS = (TypeError, ValueError, RuntimeError, IndexError, AttributeError)


def engine_for(model: Any, shape: Shape, *, lead: tuple[int, ...]) -> Engine:
    """The engine of a model, sharing rows only where a small tree gives what separate rows give.

    lead: what an encoder-decoder model's decoder starts with; empty for a causal model.
    """
    kind = Seq2SeqEngine if shape.two_sided else CausalEngine
    engine: Engine = kind(model, replace(shape, share=False))
    jobs = _jobs(model, lead)
    tolerance = EXACT if model.dtype == torch.float32 else ROUNDED
    engine.head.bare = _same_head(engine, jobs, tolerance)
    if has_sliding_window(model.config) or not shape.share:
        return engine
    plain = engine.log_probs(jobs)
    # Wide enough that sharing pays at any length.
    trial: Engine = kind(model, replace(shape, width=10**9, room=10**6))
    trial.head.bare = engine.head.bare
    for lean in (False,) if shape.two_sided else (True, False):
        trial.lean = lean
        try:
            tree = trial.log_probs(jobs)
        except REFUSALS:
            continue
        if np.allclose(tree, plain, rtol=0, atol=tolerance):
            trial.shape = shape
            return trial
    return engine


def has_sliding_window(config: Any) -> bool:
    """Return whether some layers see a sliding window only, which our mask would lift."""
    kinds = getattr(config, "layer_types", None) or []
    if kinds:
        return any(kind != "full_attention" for kind in kinds)
    return bool(getattr(config, "sliding_window", None)) and getattr(config, "use_sliding_window", True)


def _jobs(model: Any, lead: tuple[int, ...]) -> list[Job]:
    rng = np.random.default_rng(0)
    size = model.get_output_embeddings().weight.shape[0]
    prefix, *targets = (tuple(int(token) for token in rng.integers(0, size, n)) for n in (4, 3, 4, 3))
    return [Job(prefix, target, lead) for target in targets]


def _same_head(engine: Engine, jobs: list[Job], tolerance: float) -> bool:
    """Whether the model's logits are its last layer's output, unchanged."""
    values = []
    for bare in (True, False):
        engine.head.bare = bare
        values.append(engine.log_probs(jobs))
    return bool(np.allclose(values[0], values[1], rtol=0, atol=tolerance))
