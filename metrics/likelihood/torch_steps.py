"""From logits to log-probabilities and statistics. The only place that turns a model's numbers into ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from metrics.likelihood.decoding import Decoding
from metrics.likelihood.torch_logits import Logits, Tensor


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads logits and the actual tokens [R]; gives [R, columns]. keeps: it holds all logits of its rows."""

    read: Callable[[Logits, Tensor], Tensor]
    keeps: bool


def reading_log_prob(decoding: Decoding) -> Reading:
    """One column: log p of the token under the decoding; -inf for a token that it never samples, NaN for bad logits."""

    def read(logits: Logits, targets: Tensor) -> Tensor:
        target_logits = TargetLogits(targets)
        parts = []
        for start, block in decoded_blocks(logits, decoding):
            target_logits.see(start, block)
            parts.append(block.logsumexp(1))
        norm = torch.stack(parts).logsumexp(0)
        # A logit of +inf would make the others look impossible; it cannot be scored by.
        return (target_logits.logit - norm).clamp_(max=0).masked_fill_(~norm.isfinite(), torch.nan)[:, None]

    return Reading(read, keeps=decoding.cuts)


def reading_statistics(decoding: Decoding) -> Reading:
    """Six columns: log p, log p of the top token, rank from 1, entropy, mean and variance of log p(w)."""

    def read(logits: Logits, targets: Tensor) -> Tensor:
        target_logits = TargetLogits(targets)
        blocks, parts = [], []
        for start, block in decoded_blocks(logits, decoding):
            target_logits.see(start, block)
            parts.append(_moments(block, cut=decoding.cuts))
            blocks.append(block)
        top, total, first, second = _merged(torch.stack(parts))
        above = sum((block > target_logits.logit[:, None]).sum(1, dtype=torch.int32) for block in blocks)
        norm, first = total.log(), first / total
        mean = first - norm
        variance = (second / total - first.square()).clamp_(min=0)
        return torch.stack([target_logits.logit - top - norm, -norm, 1 + above, -mean, mean, variance], dim=1)

    return Reading(read, keeps=True)


def reading_distribution(decoding: Decoding) -> Reading:
    """V columns: log p of the whole vocabulary."""

    def read(logits: Logits, targets: Tensor) -> Tensor:
        return decoded_logits(logits.all_columns(), decoding).log_softmax(1)

    return Reading(read, keeps=True)


class TargetLogits:
    """The logits of the actual tokens, picked from the blocks as they pass."""

    def __init__(self, targets: Tensor) -> None:
        self.targets = targets
        self.logit: Tensor = torch.empty(0)

    def see(self, start: int, block: Tensor) -> None:
        """A block that begins at this column."""
        if start == 0:
            self.logit = block.new_empty(len(block))
        rows = ((self.targets >= start) & (self.targets < start + block.shape[1])).nonzero()[:, 0]
        self.logit[rows] = block[rows, self.targets[rows] - start]


def _moments(block: Tensor, *, cut: bool) -> Tensor:
    """Top logit m and the sums of e^(x - m), (x - m) e^(x - m) and (x - m)^2 e^(x - m): [4, R].

    cut: logits of -inf are among them, which add nothing.
    """
    # Shifted by the top logit, so that exp neither overflows nor is all zero.
    top = block.amax(1, keepdim=True)
    shifted = block - top
    weights = shifted.exp()
    total = weights.sum(1)
    if cut:
        shifted = shifted.masked_fill_(weights == 0, 0)
    first = weights.mul_(shifted).sum(1)
    second = weights.mul_(shifted).sum(1)
    return torch.stack([top[:, 0], total, first, second])


def _merged(parts: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The same four of all blocks together, parts [blocks, 4, R]: (x - m) = (x - m_b) + (m_b - m)."""
    tops, totals, firsts, seconds = parts.unbind(1)
    top = tops.amax(0)
    lower = tops - top
    share = lower.exp()
    total = (share * totals).sum(0)
    first = (share * (firsts + lower * totals)).sum(0)
    second = (share * (seconds + 2 * lower * firsts + lower.square() * totals)).sum(0)
    return top, total, first, second


def decoded_blocks(logits: Logits, decoding: Decoding) -> Iterator[tuple[int, Tensor]]:
    """Blocks of the logits under a decoding; one block of all where it cuts, for then the order of all counts."""
    if decoding.cuts:
        yield 0, decoded_logits(logits.all_columns(), decoding)
        return
    for start, block in logits.blocks():
        yield start, decoded_logits(block, decoding)


def decoded_logits(logits: Tensor, decoding: Decoding) -> Tensor:
    """Logits [R, V] of the sampling distribution: temperature, then top-k, then top-p; -inf where never sampled."""
    if decoding.plain:
        return logits
    scaled = logits / decoding.temperature
    if decoding.top_k is not None and decoding.top_k < scaled.shape[1]:
        threshold = scaled.topk(decoding.top_k, dim=1).values[:, -1:]
        scaled = scaled.masked_fill(scaled < threshold, -torch.inf)
    if decoding.top_p is not None and decoding.top_p < 1:
        ordered = scaled.sort(dim=1, descending=True).values
        mass = ordered.softmax(1).cumsum(1)
        last = (mass < decoding.top_p).sum(1, keepdim=True).clamp_(max=scaled.shape[1] - 1)
        scaled = scaled.masked_fill(scaled < ordered.gather(1, last), -torch.inf)
    return scaled
