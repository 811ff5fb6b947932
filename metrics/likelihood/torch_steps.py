"""From logits to log-probabilities and statistics. The only place that turns a model's numbers into ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from metrics.likelihood.decoding import Decoding

Tensor: TypeAlias = Any
# Reads logits [R, V] (float32) and the tokens that stand there [R]; gives [R, columns].
Reading = Callable[[Tensor, Tensor], Tensor]


def reading_log_prob(decoding: Decoding) -> Reading:
    """One column: log p of the token under the decoding; -inf for a token that it never samples, NaN for bad logits."""

    def read(logits: Tensor, targets: Tensor) -> Tensor:
        kept = decoded_logits(logits, decoding)
        norm = kept.logsumexp(1, keepdim=True)
        own = kept.gather(1, targets[:, None]) - norm
        # A logit of +inf would make the others look impossible; it is no number to score by.
        return own.clamp_(max=0).masked_fill_(~norm.isfinite(), torch.nan)

    return read


def reading_statistics(decoding: Decoding) -> Reading:
    """Six columns: log p, log p of the top token, rank from 1, entropy, mean and variance of log p(w)."""

    def read(logits: Tensor, targets: Tensor) -> Tensor:
        kept = decoded_logits(logits, decoding)
        own = kept.gather(1, targets[:, None])
        rank = 1 + (kept > own).sum(1, keepdim=True)
        top = kept.amax(1, keepdim=True)
        # Shifted by the top logit, so that exp neither overflows nor is all zero.
        shifted = kept - top
        weights = shifted.exp()
        total = weights.sum(1, keepdim=True)
        if not decoding.plain:
            shifted = shifted.masked_fill(weights == 0, 0)
        first = torch.bmm(weights[:, None, :], shifted[:, :, None])[:, 0] / total
        second = torch.bmm(weights[:, None, :], shifted.square_()[:, :, None])[:, 0] / total
        norm = total.log()
        mean = first - norm
        variance = (second - first.square()).clamp_(min=0)
        return torch.cat([own - top - norm, -norm, rank.to(own.dtype), -mean, mean, variance], dim=1)

    return read


def reading_distribution(decoding: Decoding) -> Reading:
    """V columns: log p of the whole vocabulary."""

    def read(logits: Tensor, targets: Tensor) -> Tensor:
        return decoded_logits(logits, decoding).log_softmax(1)

    return read


def decoded_logits(logits: Tensor, decoding: Decoding) -> Tensor:
    """Logits [R, V] of the sampling distribution: temperature, then top-k, then top-p; -inf where never sampled."""
    if decoding.plain:
        return logits
    scaled = logits / decoding.temperature
    if decoding.top_k is not None and decoding.top_k < scaled.shape[1]:
        least = scaled.topk(decoding.top_k, dim=1).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    if decoding.top_p is not None and decoding.top_p < 1:
        ordered = scaled.sort(dim=1, descending=True).values
        mass = ordered.softmax(1).cumsum(1)
        last = (mass < decoding.top_p).sum(1, keepdim=True).clamp_(max=scaled.shape[1] - 1)
        scaled = scaled.masked_fill(scaled < ordered.gather(1, last), -torch.inf)
    return scaled
