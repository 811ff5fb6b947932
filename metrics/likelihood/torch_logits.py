"""Logits in blocks of columns: a block is read while it is in the processor's cache, and none need be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

Tensor: TypeAlias = Any

# Columns of a block on a processor. A product of a few hundred rows with 2,048 columns runs half as fast again as one
# with all 50,257 of GPT-2's (benchmarks: `make bench`).
COLUMNS_CPU = 2048


@dataclass(frozen=True, slots=True)
class Logits:
    """[rows, size] float32. compute: columns from, to (exclusive) of it; width: columns of a block."""

    rows: int
    size: int
    width: int
    compute: Callable[[int, int], Tensor]

    @classmethod
    def of(cls, logits: Tensor) -> Logits:
        """Logits that are there already, as one block."""
        return cls(len(logits), logits.shape[1], logits.shape[1], lambda start, end: logits[:, start:end])

    @classmethod
    def by(cls, last: Any, hidden: Tensor, width: int) -> Logits:
        """What a last layer makes of hidden states [rows, d], in blocks where it is a plain linear one."""
        # A subclass (quantised, adapted) may compute something else than its weights say.
        if type(last) is not torch.nn.Linear:
            return cls.of(last(hidden).float())

        def compute(start: int, end: int) -> Tensor:
            bias = None if last.bias is None else last.bias[start:end]
            return torch.nn.functional.linear(hidden, last.weight[start:end], bias).float()

        return cls(len(hidden), last.weight.shape[0], width, compute)

    def blocks(self) -> Iterator[tuple[int, Tensor]]:
        """(first column, logits of this block), computed when they are asked for."""
        for start in range(0, self.size, self.width):
            yield start, self.compute(start, min(start + self.width, self.size))

    def all_columns(self) -> Tensor:
        """All of them, [rows, size]."""
        return torch.cat([block for _, block in self.blocks()], dim=1)
