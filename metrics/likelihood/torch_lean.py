"""Work that a tree of candidates does not need: attention above the prefix's diagonal, the last block behind it.

Both are asked for only where the model has the common shape; `torch_probe` then checks that the numbers stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from metrics.likelihood.torch_logits import Tensor

NAME = "assay_tree"
# Places at the beginning of every row that see what precedes them and nothing else.
_causal_places: ContextVar[int] = ContextVar("causal_places", default=0)
# Fewer places than this share of a row make the detour worth it.
WORTH = 0.8


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor, **options: Any
) -> tuple[Tensor, None]:
    """The first places by the causal kernel, which skips half of the scores, the others under the mask."""
    first, length = _causal_places.get(), query.shape[2]
    if not 0 < first < length or key.shape[2] != length or options.get("position_bias") is not None:
        output, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        return output, None
    kernel_options = {name: option for name, option in options.items() if name != "is_causal"}
    parts = [part[:, :, :first] for part in (query, key, value)]
    begin, _ = sdpa_attention_forward(module, *parts, None, is_causal=True, **kernel_options)
    rest, _ = sdpa_attention_forward(
        module, query[:, :, first:], key, value, attention_mask[:, :, first:], **kernel_options
    )
    return torch.cat([begin, rest], dim=1), None


AttentionInterface.register(NAME, _attention)


@contextmanager
def lean_forward(model: Any, *, first: int, places: Tensor, shape: tuple[int, int]) -> Iterator[None]:
    """While it lasts, the first `first` places of a row attend causally, and the last block's feed-forward layer sees
    the places (flat, of rows x length in `shape`) that are read afterwards only."""
    config = model.config
    implementation, token = config._attn_implementation, _causal_places.set(first)
    if implementation == "sdpa":
        config._attn_implementation = NAME
    hooks = _trimmed(last_feed_forward(model), places.unique(), shape)
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
        config._attn_implementation = implementation
        _causal_places.reset(token)


def last_feed_forward(model: Any) -> Any | None:
    """The `mlp` of the last of the model's blocks, where it has such."""
    layers = getattr(model.config, "num_hidden_layers", None)
    for module in model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == layers:
            return getattr(module[-1], "mlp", None)
    return None


def _trimmed(module: Any | None, places: Tensor, shape: tuple[int, int]) -> list[Any]:
    rows, length = shape
    if module is None or len(places) > WORTH * rows * length:
        return []

    def narrow(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        (hidden,) = inputs
        return (hidden.reshape(rows * length, -1)[places][None],)

    def widen(_: Any, inputs: tuple[Any, ...], output: Tensor) -> Tensor:
        full = output.new_zeros(rows * length, output.shape[-1])
        full[places] = output[0]
        return full.reshape(rows, length, -1)

    return [module.register_forward_pre_hook(narrow), module.register_forward_hook(widen)]
