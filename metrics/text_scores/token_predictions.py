"""What a language model predicted at each token of a text: the input of every automatic score of human-likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats, Ints
from metrics.errors import BadInput, InsufficientData
from metrics.likelihood.records import TokenStats

RATIO_TOLERANCE = 1e-6
TOP = 10  # of the entropy that GLTR shows


@dataclass(frozen=True, slots=True)
class Backend:
    """The model behind a score; a score without it cannot be compared. Blank: not recorded."""

    model: str = ""
    revision: str = ""
    tokenizer: str = ""
    dtype: str = ""
    context_length: int | None = None

    @property
    def recorded(self) -> bool:
        """Whether the model is named."""
        return bool(self.model)


@dataclass(frozen=True, slots=True)
class Predictions:
    """One text, token by token; arrays of shape [N], the tokens that have a prediction.

    tokens: as a reader sees them, blanks included. probability: of the actual token, in [0, 1].
    top_probability: of the likeliest, in (0, 1]. rank: 1 for the likeliest. entropy: nats, None where not known;
    entropy_of says of what (`all` tokens, or `top 10`, renormalised). word: the number of the word a token is in.
    """

    id: str
    tokens: tuple[str, ...]
    probability: Floats
    top_probability: Floats
    rank: Ints
    entropy: Floats | None
    entropy_of: str
    word: Ints
    backend: Backend

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def fraction(self) -> Floats:
        """frac(p) of each token: its probability over that of the likeliest, in [0, 1] (Gehrmann et al. 2019)."""
        return np.minimum(1.0, self.probability / self.top_probability)


def check_predictions(
    name: str,
    tokens: Sequence[str],
    probability: ArrayLike,
    top_probability: ArrayLike,
    *,
    rank: ArrayLike,
    entropy: ArrayLike | None = None,
    entropy_of: str = "all",
    backend: Backend | None = None,
) -> Predictions:
    """Checked predictions of one text; a new word begins at each token that begins with a blank.

    Raises InsufficientData for an empty text, BadInput for a probability outside [0, 1], a likeliest token less likely
    than the actual one (beyond 1e-6 of their ratio), a rank below 1, or arrays of different lengths.
    """
    if not tokens:
        raise InsufficientData(f"Text {name}: there is no token to score.")
    mine, top, place = np.asarray(probability, np.float64), np.asarray(top_probability, np.float64), np.asarray(rank)
    nats = None if entropy is None else np.asarray(entropy, np.float64)
    for column, values in (("probability", mine), ("top_probability", top), ("rank", place), ("entropy", nats)):
        if values is not None and values.shape != (len(tokens),):
            raise _error(name, column, 1, f"{len(tokens)} tokens need one value each, not shape {values.shape}")
    _check(name, "probability", (mine >= 0) & (mine <= 1), "a probability lies between 0 and 1")
    _check(name, "top_probability", (top > 0) & (top <= 1), "the likeliest token has a probability above 0, at most 1")
    _check(name, "probability", mine <= top * (1 + RATIO_TOLERANCE), "no token is likelier than the likeliest")
    _check(name, "rank", place >= 1, "a rank is at least 1, the likeliest token's")
    if nats is not None:
        _check(name, "entropy", (nats >= -RATIO_TOLERANCE) & np.isfinite(nats), "an entropy is at least 0")
    return Predictions(
        name, tuple(tokens), mine, top, place.astype(np.int64), nats, entropy_of, _words(tokens), backend or Backend()
    )


def from_token_stats(name: str, stats: TokenStats, tokens: Sequence[str], backend: Backend) -> Predictions:
    """Predictions from a backend's statistics; tokens: as a reader sees them."""
    return check_predictions(
        name,
        tokens,
        np.minimum(1.0, stats.probability),
        np.minimum(1.0, stats.top_probability),
        rank=stats.rank,
        entropy=np.maximum(0.0, stats.entropy),
        backend=backend,
    )


def top_entropy(probabilities: Sequence[float]) -> float:
    """Entropy in nats of the given probabilities renormalised to sum 1, at least 0 (GLTR shows that of the top 10).

    Raises BadInput for a negative value or a sum of 0.
    """
    values = np.asarray(probabilities, dtype=np.float64)
    if values.ndim != 1 or not (values >= 0).all() or not 0 < values.sum() < math.inf:
        raise BadInput("an entropy needs probabilities of at least 0 that do not sum to 0", column="probabilities")
    shares = values[values > 0] / values.sum()
    return max(0.0, float(-(shares * np.log(shares)).sum()))


def _words(tokens: Sequence[str]) -> Ints:
    """Numbers of words: a token that begins with a blank, or follows one that ends in a blank, begins one."""
    begins = [at == 0 or text[:1].isspace() or tokens[at - 1][-1:].isspace() for at, text in enumerate(tokens)]
    return np.cumsum(np.array(begins, dtype=np.int64)) - 1


def _check(name: str, column: str, good: object, rule: str) -> None:
    held = np.asarray(good)
    if not held.all():
        raise _error(name, column, int(np.argmin(held)) + 1, rule)


def _error(name: str, column: str, row: int, rule: str) -> BadInput:
    return BadInput(rule, where=f"text {name}, token {row}", column=column)
