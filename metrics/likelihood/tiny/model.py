"""Assay's own small model as a backend: scores, statistics at each byte, whole distributions."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.errors import BadInput
from metrics.likelihood import TINY
from metrics.likelihood.byte_letters import LETTERS
from metrics.likelihood.decoding import Decoding, decoded
from metrics.likelihood.errors import EmptyText, ModelUnavailable, excerpt
from metrics.likelihood.records import Layout, ModelCard, Pair, Scored, TokenStats
from metrics.likelihood.tiny.ngrams import BLOCK, END, START, Floats, NGrams, encode_text

WEIGHTS = Path(__file__).with_name("assay-tiny.npz")
SHA256 = "f77b7c669f3da2687403a8b659efa8c05f9448625dbe4dc4903628685fe35c9b"
TOKENS = {**LETTERS, END: "<end>"}


class TinyModel:
    """A `Reader` on counted n-grams; tokens are bytes. It has no window: every text fits."""

    def __init__(
        self, ngrams: NGrams, *, revision: str, layout: Layout | None = None, decoding: Decoding | None = None
    ) -> None:
        self.ngrams, self.revision = ngrams, revision
        self.layout, self.decoding = layout or Layout(), decoding or Decoding()

    @property
    def card(self) -> ModelCard:
        """Return what the scores come from."""
        return ModelCard(TINY, self.revision, "UTF-8 bytes", "float64", self.decoding, self.layout)

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """log p of each candidate given its context. Raises EmptyText, BadInput."""
        scored: dict[Pair, Scored] = {}
        for pair in dict.fromkeys(pairs):
            log_probs = self._log_probs(pair)
            scored[pair] = Scored(min(0.0, float(log_probs.sum())), len(log_probs))
        return [scored[pair] for pair in pairs]

    def statistics(self, pairs: Sequence[Pair]) -> list[TokenStats]:
        """What the distribution looks like at every scored byte of each candidate."""
        return [self._statistics(pair) for pair in pairs]

    def distributions(self, pair: Pair) -> NDArray[np.float32]:
        """log p of the 256 bytes and of the end at each place of the candidate: [N, 257]."""
        symbols, first = self._symbols(pair)
        return self._decoded(symbols, first).astype(np.float32)

    def _log_probs(self, pair: Pair) -> Floats:
        symbols, first = self._symbols(pair)
        if self.decoding.plain:
            return np.log(self.ngrams.probabilities(symbols, first))
        return self._statistics(pair).log_prob

    def _symbols(self, pair: Pair) -> tuple[list[int], int]:
        """All symbols that are read, and where those begin that are scored."""
        context, candidate = pair
        if not candidate.strip():
            raise EmptyText(f"The text {excerpt(candidate)} is empty, so it has no probability per token.")
        before = encode_text(context)
        if self.layout.start == "always" or (not before and self.layout.start == "auto"):
            before = [*before, START]
        if not before:
            raise BadInput(f"The text {excerpt(candidate)} has no context, and its first token needs a token before it")
        joined = f"{self.layout.joiner}{candidate}" if context else candidate
        return [*before, *encode_text(joined), *([END] if self.layout.include_eos else [])], len(before)

    def _decoded(self, symbols: Sequence[int], first: int) -> Floats:
        """log p of every symbol at each place, under the decoding."""
        log_probs = np.log(self.ngrams.distributions(symbols, first))
        if self.decoding.plain:
            return log_probs
        return np.stack([decoded(row, self.decoding) for row in log_probs])

    def _statistics(self, pair: Pair) -> TokenStats:
        symbols, first = self._symbols(pair)
        order, parts = self.ngrams.order, []
        for start in range(first, len(symbols), BLOCK):
            # Nothing further back than the order can matter.
            back = max(0, start - order)
            parts.append(_read(self._decoded(symbols[back : start + BLOCK], start - back), symbols[start:][:BLOCK]))
        log_prob, top, rank, mean, variance = (np.concatenate(column) for column in zip(*parts, strict=True))
        tokens = tuple(TOKENS[symbol] for symbol in symbols[first:])
        return TokenStats(tokens, log_prob, top, rank.astype(np.int64), -mean, mean, variance)


def _read(log_probs: Floats, symbols: Sequence[int]) -> tuple[Floats, ...]:
    """log p, the likeliest one's, rank, and mean and variance of log p under the distribution, at each place."""
    mine = log_probs[np.arange(len(symbols)), np.asarray(symbols)]
    shares = np.exp(log_probs)
    finite = np.where(shares > 0, log_probs, 0.0)
    mean = (shares * finite).sum(axis=1)
    variance = np.maximum(0.0, (shares * finite**2).sum(axis=1) - mean**2)
    rank = 1.0 + (log_probs > mine[:, None]).sum(axis=1)
    return mine, log_probs.max(axis=1), rank, mean, variance


def write_ngrams(ngrams: NGrams, path: Path) -> str:
    """Write the counts, and return the SHA-256 of the file."""
    steps = np.diff(ngrams.grams, prepend=np.uint64(0))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, order=np.int64(ngrams.order), steps=steps, counts=ngrams.counts.astype(np.uint32))
    path.write_bytes(buffer.getvalue())
    return hashlib.sha256(buffer.getvalue()).hexdigest()


def read_ngrams(path: Path, sha256: str) -> NGrams:
    """Counts that `write_ngrams` wrote. Raises ModelUnavailable where the file is missing or another."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"The file of the model {TINY} cannot be read ({error.strerror}).") from None
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelUnavailable(f"The file of the model {TINY} is damaged: its SHA-256 is not the one expected.")
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        grams = np.cumsum(stored["steps"], dtype=np.uint64)
        return NGrams(int(stored["order"]), grams, stored["counts"].astype(np.int64))


@cache
def _shipped() -> NGrams:
    return read_ngrams(WEIGHTS, SHA256)


def open_tiny(*, layout: Layout | None = None, decoding: Decoding | None = None) -> TinyModel:
    """The model that comes with Assay. Raises ModelUnavailable where its file is damaged."""
    return TinyModel(_shipped(), revision=f"sha256:{SHA256[:16]}", layout=layout, decoding=decoding)
