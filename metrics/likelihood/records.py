"""What goes in and out of scoring: pairs, scores, statistics per token, and what a score is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from metrics.likelihood.decoding import Decoding

Floats = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scored:
    """log p of a candidate given its context: natural, total over its `tokens` (>= 1), in [-inf, 0].

    Whether the end-of-text token is among the tokens says the backend's card (`include_eos`).
    """

    log_prob: float
    tokens: int

    @property
    def mean(self) -> float:
        """log p per token (Laban et al. 2022, eq. 1)."""
        return self.log_prob / self.tokens


@dataclass(frozen=True, slots=True)
class TokenStats:
    """What the model's distribution says at each of a candidate's N tokens; every array has shape [N].

    tokens: as the vocabulary writes them. log_prob: of the actual token. top_log_prob: of the most
    probable one. rank: 1 for the most probable; 1 + how many are more probable. entropy: in nats.
    mean, variance: of log p(w) with w drawn from the distribution (mean = -entropy), for Fast-DetectGPT.
    """

    tokens: tuple[str, ...]
    log_prob: Floats
    top_log_prob: Floats
    rank: NDArray[np.int64]
    entropy: Floats
    mean: Floats
    variance: Floats

    @property
    def probability(self) -> Floats:
        """Return the probability of the actual token, in [0, 1]."""
        return np.exp(self.log_prob)

    @property
    def top_probability(self) -> Floats:
        """Of the most probable token, in (0, 1]."""
        return np.exp(self.top_log_prob)

    @property
    def fraction(self) -> Floats:
        """frac(p): the token's probability over the most probable one's, in [0, 1]."""
        return np.exp(self.log_prob - self.top_log_prob)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a pair becomes tokens.

    include_eos: the end-of-text token closes the candidate and counts in the sum and in N.
    start: a causal model's start (or end-of-text) token comes before the candidate `always` (as NND's code has
    it), `never`, or where the context is empty (`auto`). joiner: text put before a candidate that has a context; the
    two are encoded separately. unknown: `error` raises for texts with unknown tokens, `count` scores the unknown token.
    long_texts: `error`, or `slide`: windows that overlap by half; each token is scored once, in the first window that
    holds it, so behind at least half a window of what precedes it (causal models only).
    """

    include_eos: bool = True
    start: Literal["auto", "always", "never"] = "auto"
    joiner: str = ""
    unknown: Literal["error", "count"] = "error"
    long_texts: Literal["error", "slide"] = "error"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What every score of a backend comes from; `decoding` is the sampling distribution of the scores."""

    model: str
    revision: str
    tokenizer: str
    dtype: str
    decoding: Decoding
    layout: Layout

    @property
    def signature(self) -> str:
        """One line that identifies the computation; scores of equal signature may be exchanged."""
        layout = self.layout
        return (
            f"loglik|model:{self.model}|revision:{self.revision}|tokenizer:{self.tokenizer}|dtype:{self.dtype}"
            f"|decoding:{self.decoding}|eos:{layout.include_eos}|start:{layout.start}|joiner:{layout.joiner!r}"
            f"|unknown:{layout.unknown}|long:{layout.long_texts}"
        )


class LogProbs(Protocol):
    """Anything that can say how probable texts are."""

    @property
    def card(self) -> ModelCard:
        """Return what the scores come from."""
        ...

    def score(self, pairs: Sequence[Pair]) -> Sequence[Scored]:
        """log p of each candidate given its context, pairs (context, candidate), in their order.

        Raises a named error of `metrics.likelihood.errors`.
        """
        ...


class TokenStatistics(Protocol):
    """A backend that also says what its distribution looked like at each token."""

    def statistics(self, pairs: Sequence[Pair]) -> Sequence[TokenStats]:
        """Statistics at every scored token of each candidate, in the order of the pairs."""
        ...

    def distributions(self, pair: Pair) -> NDArray[np.float32]:
        """log p of the whole vocabulary at each of the candidate's N tokens: [N, V]."""
        ...


@runtime_checkable
class Reader(LogProbs, TokenStatistics, Protocol):
    """A model that scores texts and shows its distribution at each token."""
