"""Running batches of rows through a model: the head where it is needed only, memory bounded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from metrics.likelihood.decoding import Decoding
from metrics.likelihood.errors import OutOfMemory
from metrics.likelihood.packing import Job, Row, Shape, build_batches, split_batch
from metrics.likelihood.torch_logits import COLUMNS_CPU, Logits, Tensor
from metrics.likelihood.torch_steps import Reading, reading_log_prob

# Logits in memory at a time: small enough for a processor's caches, large enough for a full product.
HEAD_NUMBERS_CPU = 8_000_000
HEAD_NUMBERS_GPU = 512_000_000


class Head:
    """The model's last layer, called on chosen places only.

    Its input is caught on the way in; where the model changes the logits afterwards (a soft cap, a bias) the model's
    own output is taken instead.
    """

    def __init__(self, model: Any) -> None:
        self.module = model.get_output_embeddings()
        self.caught: Tensor | None = None
        self.places: Tensor | None = None
        self.bare = True

    @contextmanager
    def at(self, places: Tensor) -> Iterator[None]:
        """While it lasts, the head sees the hidden states at these places of the flattened batch only."""
        self.places = places
        handle = self.module.register_forward_pre_hook(self._catch)
        try:
            yield
        finally:
            handle.remove()

    def _catch(self, module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        hidden = inputs[0]
        self.caught = hidden.reshape(-1, hidden.shape[-1])[self.places]
        return (self.caught[None, :1] if self.bare else self.caught[None],)

    def read(self, logits: Tensor, targets: Tensor, reading: Reading) -> Tensor:
        """[R, columns] for the places caught last; logits: what the model's forward returned."""
        if not self.bare:
            return reading.read(Logits.of(logits[0].float()), targets)
        assert self.caught is not None  # noqa: S101 - the hook ran with the forward
        limit = HEAD_NUMBERS_GPU if targets.is_cuda else HEAD_NUMBERS_CPU
        max_rows = max(16, limit // self.module.weight.shape[0]) if reading.keeps else max(16, limit // COLUMNS_CPU)
        parts = -(-len(targets) // max_rows)
        rows = -(-len(targets) // parts)
        width = max(COLUMNS_CPU, limit // rows) if targets.is_cuda else COLUMNS_CPU
        read = [
            reading.read(Logits.by(self.module, hidden, width), target_part)
            for hidden, target_part in zip(self.caught.split(rows), targets.split(rows), strict=True)
        ]
        return torch.cat(read)


class Engine(ABC):
    """A model, how it wants its rows, and what is read of its logits.

    lean: skip work that a tree does not need (`torch_lean`); set where the probe found the numbers unchanged.
    """

    lean = False

    def __init__(self, model: Any, shape: Shape) -> None:
        self.model, self.shape, self.head = model, shape, Head(model)

    @property
    def device(self) -> Any:
        """Where the model is."""
        return self.model.device

    def run(self, jobs: Sequence[Job], reading: Reading) -> list[NDArray[np.float64]]:
        """What `reading` gives for every token of every job, [tokens, columns] each, in the order of the jobs.

        Raises OutOfMemory where even one target alone does not fit.
        """
        results: list[NDArray[np.float64] | None] = [None] * len(jobs)
        waiting = list(build_batches(jobs, self.shape))[::-1]
        with torch.inference_mode():
            while waiting:
                batch = waiting.pop()
                values = self._attempt(jobs, batch, reading)
                if values is None:
                    waiting.extend(self._smaller(batch, jobs))
                    continue
                numbers = [number for row in batch for number in row.members]
                for number, columns in zip(numbers, values, strict=True):
                    results[number] = columns
        return [columns for columns in results if columns is not None]

    def _attempt(self, jobs: Sequence[Job], batch: Sequence[Row], reading: Reading) -> list[NDArray[np.float64]] | None:
        try:
            return self._values(jobs, batch, reading)
        except torch.OutOfMemoryError:
            pass
        except RuntimeError as error:
            if "allocate memory" not in str(error) and "out of memory" not in str(error).lower():
                raise
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return None

    def _smaller(self, batch: Sequence[Row], jobs: Sequence[Job]) -> list[list[Row]]:
        parts = split_batch(batch, jobs, self.shape)
        if parts is None:
            size = len(batch[0].prefix) + self.shape.needs(jobs[batch[0].members[0]])
            raise OutOfMemory(
                f"One text of {size} tokens does not fit into memory with the model. "
                "Scores computed before it are stored. Use a smaller model, bfloat16 or a machine with more memory."
            )
        return list(parts)

    def _values(self, jobs: Sequence[Job], batch: Sequence[Row], reading: Reading) -> list[NDArray[np.float64]]:
        targets = [jobs[number].target for row in batch for number in row.members]
        tokens = torch.tensor([token for target in targets for token in target], device=self.device)
        with self.head.at(self.places(jobs, batch)):
            logits = self.forward(jobs, batch)
        values = self.head.read(logits, tokens, reading).double().cpu().numpy()
        return list(np.split(values, np.cumsum([len(target) for target in targets])[:-1]))

    @abstractmethod
    def places(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """Return the places, in batch x length (flat), of the hidden states that predict each token of each target."""

    @abstractmethod
    def forward(self, jobs: Sequence[Job], batch: Sequence[Row]) -> Tensor:
        """The model's logits for a batch of rows."""

    def log_probs(self, jobs: Sequence[Job]) -> NDArray[np.float64]:
        """log p of every token of all jobs, one after the other, under the model's own distribution."""
        return np.concatenate(self.run(jobs, reading_log_prob(Decoding())))


def tree_mask(segments: NDArray[np.int64], dtype: Any, device: Any) -> Tensor:
    """What each place sees, to be added to scores [B, 1, L, L].

    It sees what precedes it in the prefix (segment 0) and in its own segment; padding (-1) sees padding only.
    """
    segment = torch.from_numpy(segments).to(device)
    mine, theirs = segment[:, :, None], segment[:, None, :]
    length = segments.shape[1]
    before = torch.ones(length, length, dtype=torch.bool, device=device).tril()
    seen = before & ((mine == theirs) | ((theirs == 0) & (mine >= 0)))
    mask = torch.zeros(seen.shape, dtype=dtype, device=device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]
