"""Encoder-decoder models: the encoder reads a context once; its candidates share a decoder row under a tree mask."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from transformers.modeling_outputs import BaseModelOutput

from metrics.likelihood.packing import Job, Row, Shape
from metrics.likelihood.torch_engine import Engine, tree_mask
from metrics.likelihood.torch_logits import Tensor

STORED_CONTEXTS = 64


class Seq2SeqEngine(Engine):
    """Decoder rows are lead + target | lead + target ...; positions restart for every target."""

    def __init__(self, model: Any, shape: Shape) -> None:
        super().__init__(model, shape)
        self.encoded: OrderedDict[tuple[int, ...], Tensor] = OrderedDict()

    def places(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """From the end of the lead on, one place for each token of the target."""
        length = max(row.length for row in batch)
        places: list[int] = []
        for number, row in enumerate(batch):
            end = number * length
            for member in row.members:
                end += self.shape.needs(jobs[member])
                places += range(end - len(jobs[member].target), end)
        return torch.tensor(places, device=self.device)

    def forward(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """The model's logits for a batch of decoder rows, padded on the right."""
        length = max(row.length for row in batch)
        ids = np.zeros((len(batch), length), dtype=np.int64)
        positions = np.zeros_like(ids)
        segments = np.full_like(ids, -1)
        for number, row in enumerate(batch):
            parts = [(*jobs[member].lead, *jobs[member].target[:-1]) for member in row.members]
            sizes = [len(part) for part in parts]
            ids[number, : row.length] = [token for part in parts for token in part]
            segments[number, : row.length] = np.repeat(np.arange(1, len(parts) + 1), sizes)
            positions[number, : row.length] = np.concatenate([np.arange(size) for size in sizes])
        states, seen = self._encode([row.prefix for row in batch])
        inputs = {
            "encoder_outputs": BaseModelOutput(last_hidden_state=states),
            "attention_mask": seen,
            "decoder_input_ids": torch.from_numpy(ids).to(self.device),
            "use_cache": False,
        }
        if all(len(row.members) == 1 for row in batch):
            return self.model(**inputs).logits
        mask = tree_mask(segments, self.model.dtype, self.device)
        with self._restarting(torch.from_numpy(positions).to(self.device)):
            return self.model(**inputs, decoder_attention_mask=mask).logits

    def _encode(self, prefixes: Sequence[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
        """Encoder states [B, S, d] and which of them are real [B, S]; each context is read once."""
        new = [prefix for prefix in dict.fromkeys(prefixes) if prefix not in self.encoded]
        if new:
            ids, seen = self._padded(new)
            states = self.model.get_encoder()(input_ids=ids, attention_mask=seen).last_hidden_state
            self.encoded.update((prefix, state[: len(prefix)]) for prefix, state in zip(new, states, strict=True))
        _, seen = self._padded(prefixes)
        padded = pad_sequence([self.encoded[prefix] for prefix in prefixes], batch_first=True)
        while len(self.encoded) > STORED_CONTEXTS:
            self.encoded.popitem(last=False)
        return padded, seen

    def _padded(self, prefixes: Sequence[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
        ids = pad_sequence([torch.tensor(prefix) for prefix in prefixes], batch_first=True)
        sizes = torch.tensor([len(prefix) for prefix in prefixes])
        seen = (torch.arange(ids.shape[1])[None] < sizes[:, None]).long()
        return ids.to(self.device), seen.to(self.device)

    @contextmanager
    def _restarting(self, positions: Tensor) -> Iterator[None]:
        """While it lasts, the decoder's position table (where it has one) is read at these places."""
        table = getattr(self.model.get_decoder(), "embed_positions", None)
        if table is None:
            yield
            return
        # Its output is the table's rows for places 0, 1, 2 ..., whatever offset the model adds.
        handle = table.register_forward_hook(
            lambda module, inputs, output: output.reshape(-1, output.shape[-1])[positions]
        )
        try:
            yield
        finally:
            handle.remove()
