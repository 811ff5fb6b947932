"""Stronger detectors of machine text than frac(p), as formulas on distributions that a backend supplies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.data.arrays import Floats, Ints
from metrics.errors import BadInput, DegenerateInput, InsufficientData

SUM_TOLERANCE = 1e-3  # of the probabilities of a row; float32 over a large vocabulary


@dataclass(frozen=True, slots=True)
class Binoculars:
    """score = log_perplexity / cross_entropy, above 0; low: machine. Both in nats per token.

    Published thresholds (0.9015 for F1, 0.8536 for few false alarms) hold for the Falcon-7B pair in bfloat16 only.
    """

    score: float
    log_perplexity: float
    cross_entropy: float


def log_softmax(logits: ArrayLike) -> Floats:
    """Log-probabilities of logits, along the last axis, in float64."""
    values = np.asarray(logits, dtype=np.float64)
    shifted = values - values.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def fast_detect_gpt(log_probs: ArrayLike, tokens: ArrayLike, *, sampling: ArrayLike | None = None) -> float:
    """Conditional probability curvature, analytic: (sum log p(x) - sum mu) / sqrt(sum sigma^2); high: machine.

    log_probs: (N, V) log-probabilities of the scoring model at each token (from logits: `log_softmax`). tokens: (N,)
    columns of the actual tokens. sampling: (N, V) log-probabilities of the model that mu and sigma are taken
    under; None: the same one. (Bao et al. 2024, eq. 3 and the analytic form.) Raises InsufficientData, BadInput,
    DegenerateInput where nothing varies.
    """
    scoring = _rows(log_probs, "log_probs")
    token_log_probs = _chosen(scoring, tokens)
    under = scoring if sampling is None else _rows(sampling, "sampling")
    _same_shape(scoring, under)
    with np.errstate(invalid="ignore"):
        share = np.exp(under)
        # 0 log 0 = 0: a token that is never drawn adds nothing.
        weighted = np.where(share > 0, share * scoring, 0.0)
        mean = weighted.sum(axis=1)
        variance = np.where(share > 0, weighted * scoring, 0.0).sum(axis=1) - mean**2
    return curvature(token_log_probs, mean, variance)


def curvature(log_prob: Floats, mean: Floats, variance: Floats) -> float:
    """(sum log p(x) - sum mu) / sqrt(sum sigma^2) from statistics per token, each (N,); high: machine.

    mean, variance: of log p(w) with w drawn from the distribution at that token. Raises DegenerateInput.
    """
    spread = float(np.maximum(variance, 0.0).sum())
    top = float((log_prob - mean).sum())
    if not math.isfinite(spread) or spread <= 1e-12 * len(log_prob):
        raise DegenerateInput("Fast-DetectGPT needs distributions in which log p varies, and is finite where drawn.")
    if math.isnan(top):
        raise DegenerateInput("Fast-DetectGPT is not defined for these distributions: infinity less infinity.")
    return top / math.sqrt(spread)


def binoculars(performer: ArrayLike, observer: ArrayLike, tokens: ArrayLike) -> Binoculars:
    """Log-perplexity under the performer over its cross-entropy under the observer's probabilities (Hans et al. 2024).

    performer, observer: (N, V) log-probabilities over one vocabulary. tokens: (N,) columns of the actual tokens.
    Raises InsufficientData, BadInput, DegenerateInput where the cross-entropy is 0 or either is infinite.
    """
    mine, theirs = _rows(performer, "performer"), _rows(observer, "observer")
    _same_shape(mine, theirs)
    log_perplexity = -float(_chosen(mine, tokens).mean())
    share = np.exp(theirs)
    with np.errstate(invalid="ignore"):
        cross = -float(np.where(share > 0, share * mine, 0.0).sum(axis=1).mean())
    if not (math.isfinite(cross) and math.isfinite(log_perplexity)) or cross <= 0:
        raise DegenerateInput("Binoculars needs a finite perplexity and a cross-entropy above 0.")
    return Binoculars(log_perplexity / cross, log_perplexity, cross)


def _rows(values: ArrayLike, name: str) -> Floats:
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        raise InsufficientData(f"{name} needs one row a token and one column a word of the vocabulary.")
    if np.isnan(rows).any() or (rows > 1e-6).any():
        bad = int(np.argmax((np.isnan(rows) | (rows > 1e-6)).any(axis=1))) + 1
        raise BadInput("a log-probability is a number of at most 0", row=bad, column=name)
    sums = np.exp(rows).sum(axis=1)
    if (off := np.abs(sums - 1) > SUM_TOLERANCE).any():
        row = int(np.argmax(off)) + 1
        raise BadInput(f"the probabilities of a row sum to 1, and here to {sums[row - 1]:.4g}", row=row, column=name)
    return rows


def _chosen(rows: Floats, tokens: ArrayLike) -> Floats:
    columns = np.asarray(tokens)
    if columns.shape != (len(rows),) or columns.dtype.kind not in "iu":
        raise BadInput(f"{len(rows)} rows need one token each, as a whole number", column="tokens")
    wrong = (columns < 0) | (columns >= rows.shape[1])
    if wrong.any():
        rule = f"a token is a column from 0 to {rows.shape[1] - 1}"
        raise BadInput(rule, row=int(np.argmax(wrong)) + 1, column="tokens")
    index: Ints = columns.astype(np.int64)
    return np.asarray(rows[np.arange(len(rows)), index])


def _same_shape(first: Floats, second: Floats) -> None:
    if first.shape != second.shape:
        raise BadInput(f"both models need one vocabulary and one text, and have shapes {first.shape}, {second.shape}")
