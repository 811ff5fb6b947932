"""The Hugging Face backend: any causal or encoder-decoder language model of a local folder or hub name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.likelihood.decoding import Decoding
from metrics.likelihood.encoding import Encoding
from metrics.likelihood.errors import NotANumber, excerpt
from metrics.likelihood.packing import Job, Shape
from metrics.likelihood.records import Layout, ModelCard, Pair, Scored, TokenStats
from metrics.likelihood.torch_loading import Loaded, load_model
from metrics.likelihood.torch_probe import engine_for
from metrics.likelihood.torch_steps import (
    Reading,
    reading_distribution,
    reading_log_prob,
    reading_statistics,
)

BUDGET_CPU, BUDGET_GPU = 1024, 16384


class HuggingFace:
    """A model that scores pairs (`LogProbs`), gives statistics per token (`TokenStatistics`) and can generate."""

    def __init__(
        self,
        loaded: Loaded,
        *,
        layout: Layout | None = None,
        decoding: Decoding | None = None,
        budget: int | None = None,
        share: bool = True,
    ) -> None:
        """budget: tokens in a batch (1024 on a CPU, 16384 on a GPU). share: candidates of a context share its row."""
        self.loaded, self.model, self.tokenizer = loaded, loaded.model, loaded.tokenizer
        self.decoding, self.layout = decoding or Decoding(), layout or Layout()
        config = self.model.config
        window = window_of(config)
        two_sided = loaded.two_sided
        self.encoding = Encoding(
            self.tokenizer,
            self.layout,
            window=window,
            target_window=window if two_sided else None,
            decoder_start=_decoder_start(self.model) if two_sided else None,
        )
        tokens = budget or (BUDGET_GPU if self.model.device.type == "cuda" else BUDGET_CPU)
        room = min(tokens, window) if two_sided and window else tokens
        shape = Shape(tokens, room, config.hidden_size, share=share, two_sided=two_sided)
        self.engine = engine_for(self.model, shape, lead=self.encoding.lead("a") if two_sided else ())

    @classmethod
    def open(
        cls,
        name: str,
        *,
        revision: str | None = None,
        tokenizer: str | None = None,
        dtype: str = "float32",
        device: str = "cpu",
        allow_download: bool = False,
        layout: Layout | None = None,
        decoding: Decoding | None = None,
        budget: int | None = None,
    ) -> HuggingFace:
        """The model of a folder or a hub name. Nothing is downloaded unless allowed.

        Raises ModelUnavailable, ForeignTokenizer, OutOfMemory or BadInput.
        """
        loaded = load_model(
            name, revision=revision, tokenizer=tokenizer, dtype=dtype, device=device, allow_download=allow_download
        )
        return cls(loaded, layout=layout, decoding=decoding, budget=budget)

    @property
    def card(self) -> ModelCard:
        """Return what the scores come from."""
        loaded = self.loaded
        return ModelCard(loaded.name, loaded.revision, loaded.tokenizer_name, loaded.dtype, self.decoding, self.layout)

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """log p of each candidate given its context, in the order of the pairs; equal pairs are computed once.

        Raises EmptyText, UnknownTokens, TextTooLong, NotANumber or OutOfMemory, naming the text.
        """
        read = self._read(pairs, reading_log_prob(self.decoding))
        return [Scored(min(0.0, float(columns[:, 0].sum())), len(columns)) for columns in read]

    def statistics(self, pairs: Sequence[Pair]) -> list[TokenStats]:
        """What the distribution looks like at every scored token of each candidate."""
        jobs = [self._jobs(pair) for pair in pairs]
        read = self._read(pairs, reading_statistics(self.decoding))
        return [self._stats(mine, columns) for mine, columns in zip(jobs, read, strict=True)]

    def distributions(self, pair: Pair) -> NDArray[np.float32]:
        """log p of the whole vocabulary at each token of the candidate: [N, V]."""
        (read,) = self._read([pair], reading_distribution(self.decoding))
        return read.astype(np.float32)

    def _jobs(self, pair: Pair) -> list[Job]:
        return self.encoding.jobs(pair, f"The text {excerpt(pair[1])}")

    def _read(self, pairs: Sequence[Pair], reading: Reading) -> list[NDArray[np.float64]]:
        jobs_by_pair = {pair: self._jobs(pair) for pair in dict.fromkeys(pairs)}
        jobs = list(dict.fromkeys(job for mine in jobs_by_pair.values() for job in mine))
        columns_by_job = dict(zip(jobs, self.engine.run(jobs, reading), strict=True))
        read = {pair: np.concatenate([columns_by_job[job] for job in mine]) for pair, mine in jobs_by_pair.items()}
        for pair, columns in read.items():
            if np.isnan(columns).any():
                raise NotANumber(
                    f"The model {self.loaded.name} gives logits that are not numbers for the text {excerpt(pair[1])}; "
                    "its weights or its dtype are at fault."
                )
        return [read[pair] for pair in pairs]

    def _stats(self, jobs: Sequence[Job], read: NDArray[np.float64]) -> TokenStats:
        names = self.tokenizer.convert_ids_to_tokens([token for job in jobs for token in job.target])
        log_prob, top, rank, entropy, mean, variance = (np.ascontiguousarray(column) for column in read.T)
        return TokenStats(tuple(names), log_prob, top, rank.astype(np.int64), entropy, mean, variance)


def window_of(config: Any) -> int | None:
    """How many tokens the model's positions reach; None where its positions are relative or unlimited."""
    for name in ("max_position_embeddings", "n_positions", "max_seq_len"):
        window = getattr(config, name, None)
        if window and config.model_type not in ("t5", "mt5", "umt5", "bloom"):
            return int(window)
    return None


def _decoder_start(model: Any) -> int:
    for config in (model.generation_config, model.config):
        for name in ("decoder_start_token_id", "bos_token_id"):
            token = getattr(config, name, None)
            if token is not None:
                return int(token)
    return int(model.config.pad_token_id or 0)
