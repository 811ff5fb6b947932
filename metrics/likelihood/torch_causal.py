"""Causal models: a context is read once, followed by all its candidates, under a tree mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from metrics.likelihood.packing import Job, Row
from metrics.likelihood.torch_engine import Engine, tree_mask
from metrics.likelihood.torch_lean import lean_forward
from metrics.likelihood.torch_logits import Tensor


class CausalEngine(Engine):
    """Rows are prefix | target | target ...; places in the text restart behind the prefix for every target."""

    def places(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """The last place of the prefix, then the target's own places but its last token's (which is never read)."""
        length = max(row.length for row in batch)
        places: list[int] = []
        for number, row in enumerate(batch):
            start = number * length + len(row.prefix)
            for member in row.members:
                need = self.shape.needs(jobs[member])
                places += [number * length + len(row.prefix) - 1, *range(start, start + need)]
                start += need
        return torch.tensor(places, device=self.device)

    def forward(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """The model's logits for a batch of rows, padded on the right."""
        length = max(row.length for row in batch)
        ids = np.empty((len(batch), length), dtype=np.int64)
        positions = np.zeros_like(ids)
        segments = np.full_like(ids, -1)
        for number, row in enumerate(batch):
            parts = [row.prefix, *(jobs[member].target[:-1] for member in row.members)]
            tokens = [token for part in parts for token in part]
            ids[number] = tokens[0]
            ids[number, : row.length] = tokens
            segments[number, : row.length] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
            starts = [0] + [len(row.prefix)] * len(row.members)
            places = [np.arange(start, start + len(part)) for start, part in zip(starts, parts, strict=True)]
            positions[number, : row.length] = np.concatenate(places)
        tokens_in = torch.from_numpy(ids).to(self.device)
        if all(len(row.members) == 1 for row in batch):
            # Nothing before a place is padding, so the model's own causal mask is right.
            return self.model(input_ids=tokens_in, use_cache=False).logits
        mask = tree_mask(segments, self.model.dtype, self.device)
        inputs = {"attention_mask": mask, "position_ids": torch.from_numpy(positions).to(self.device)}
        if not self.lean:
            return self.model(input_ids=tokens_in, **inputs, use_cache=False).logits
        first = min(len(row.prefix) for row in batch)
        with lean_forward(self.model, first=first, places=self.head.places, shape=ids.shape):
            return self.model(input_ids=tokens_in, **inputs, use_cache=False).logits
