"""Automatic human-likelihood: frac(p), one or two thresholds, and the shares of texts they make (Çano and Bojar 2020).

High frac(p), low rank and low entropy speak for a machine. A threshold that was not calibrated on texts of known
origin says little: the result carries the flag `uncalibrated` until one is given that was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from metrics.data.arrays import Floats, Ints
from metrics.data.frames import Frame, is_frame
from metrics.errors import BadInput, InsufficientData
from metrics.inference.clustered_means import contexts_repeat, mean_half_width, number_contexts, share_by_context
from metrics.inference.distributions import check_level
from metrics.inference.error_rate_intervals import normal_quantile
from metrics.inference.proportions import wilson
from metrics.text_scores.fraction_rows import read_fractions
from metrics.text_scores.text_statistics import distinct, longest_repeat
from metrics.text_scores.token_predictions import Predictions
from metrics.types import Estimate, Interval, Result, Setting
from metrics.version import __version__

DEFAULT_THRESHOLD = 0.40  # the middle of the 0.35 to 0.45 that the paper names
BUCKETS = (10, 100, 1000)  # ranks up to here; GLTR's colours
UNCALIBRATED = "uncalibrated"

Verdict = Literal["h", "u", "m"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """h where Fp < low, u where low <= Fp < high, m otherwise; low = high: one threshold, nothing undecided.

    calibrated: made from texts of known origin; origin says how.
    """

    low: float
    high: float
    calibrated: bool = False
    origin: str = "default"

    def __post_init__(self) -> None:
        """Raise BadInput for limits outside [0, 1] or out of order."""
        if not 0 <= self.low <= self.high <= 1:
            raise BadInput("thresholds lie in [0, 1], the lower one first", column="thresholds")

    def verdict(self, fp: float) -> Verdict:
        """h (human-like), u (undecided) or m (machine-like)."""
        if fp < self.low:
            return "h"
        return "u" if fp < self.high else "m"


DEFAULT = Thresholds(DEFAULT_THRESHOLD, DEFAULT_THRESHOLD)


@dataclass(frozen=True, slots=True)
class TextScore:
    """One text: Fp in [0, 1] (high: machine-like), its token statistics, and checks of what fools Fp.

    mean_entropy: nats, None where not known. buckets: tokens of rank up to 10, 100, 1000, and beyond. fractions,
    entropies: histograms (10 bins on [0, 1]; 8 bins from 0 to log 10). distinct_1, distinct_2, longest_repeat (words):
    repetition and bad grammar lower or raise Fp without making a text human.
    """

    id: str
    fp: float
    per: str
    n: int
    verdict: Verdict
    mean_rank: float
    mean_entropy: float | None
    entropy_of: str
    buckets: tuple[int, ...]
    fractions: tuple[int, ...]
    entropies: tuple[int, ...] | None
    distinct_1: float | None
    distinct_2: float | None
    longest_repeat: int


@dataclass(frozen=True, slots=True)
class HScore(Result):
    """A collection of texts: shares h, u and m (they sum to 1) and the mean Fp, each with its interval."""

    h: Estimate
    u: Estimate
    m: Estimate
    mean_fp: Estimate
    thresholds: Thresholds
    verdicts: Mapping[str, Verdict]


def mean_fraction(text: Predictions, *, per_word: bool = False) -> float:
    """Fp: mean over tokens of P(token) / P(likeliest token), in [0, 1] (Çano and Bojar 2020, eq. 2).

    per_word: the tokens of a word are averaged first, so that each word counts once.
    """
    if not per_word:
        return float(text.fraction.mean())
    return float((np.bincount(text.word, weights=text.fraction) / np.bincount(text.word)).mean())


def score_text(text: Predictions, thresholds: Thresholds = DEFAULT, *, per_word: bool = False) -> TextScore:
    """Score one text by the mean of its tokens' probabilities over the likeliest tokens' ones (Fp).

    Args:
        text: token probabilities of the text, arrays of shape (tokens,).
        thresholds: limits of Fp in [0, 1]; human-like below the lower one, machine-like from the upper one on.
        per_word: whether the tokens of a word are averaged first, so that each word counts once.

    Returns:
        Fp in [0, 1] (high: machine-like), the verdict `h`, `u` or `m`, and token statistics of the text.

    Raises:
        BadInput: from `metrics.text_scores.token_predictions.check_predictions`.

    Source:
        Çano and Bojar (2020), equation 2.

    Example:
        >>> from metrics import score_text
        >>> from metrics.text_scores.token_predictions import check_predictions
        >>> text = check_predictions("t1", ["The", " cat", " sat"], [0.2, 0.1, 0.3], [0.4, 0.5, 0.3], rank=[2, 5, 1])
        >>> score = score_text(text)
        >>> round(score.fp, 3), score.verdict, score.n
        (0.567, 'm', 3)
    """
    fp = mean_fraction(text, per_word=per_word)
    words = "".join(text.tokens).split()
    known = text.entropy is not None
    return TextScore(
        id=text.id,
        fp=fp,
        per="word" if per_word else "token",
        n=len(text),
        verdict=thresholds.verdict(fp),
        mean_rank=float(text.rank.mean()),
        mean_entropy=float(text.entropy.mean()) if text.entropy is not None else None,
        entropy_of=text.entropy_of if known else "",
        buckets=tuple(np.bincount(rank_bucket(text.rank), minlength=len(BUCKETS) + 1).tolist()),
        fractions=_histogram(text.fraction, 10, 1.0),
        entropies=_histogram(text.entropy, 8, math.log(10)) if text.entropy is not None else None,
        distinct_1=distinct(words, 1) if words else None,
        distinct_2=distinct(words, 2) if len(words) > 1 else None,
        longest_repeat=longest_repeat(words),
    )


def rank_bucket(rank: Ints) -> Ints:
    """0 for ranks up to 10, 1 up to 100, 2 up to 1000, 3 beyond (ranks count from 1)."""
    return np.searchsorted(np.array(BUCKETS), rank, side="left").astype(np.int64)


def h_score(
    fp: Mapping[str, float] | Frame,
    thresholds: Thresholds = DEFAULT,
    *,
    contexts: Mapping[str, str | None] | None = None,
    level: float = 0.95,
) -> HScore:
    """Compute the shares of human-like, undecided and machine-like texts, and the mean Fp.

    Args:
        fp: Fp by text, in [0, 1] (`score_text`), at least one text; or a DataFrame with the columns `id` and `fp`, or
            with a row per token and the columns `id`, `probability`, `top_probability` (of the likeliest token).
        thresholds: limits of Fp in [0, 1]; human-like below the lower one, machine-like from the upper one on.
        contexts: the context of each text; texts that share one are not independent, and the intervals are then for new
            contexts. None, or no context of a text: each text is one of its own.
        level: of the intervals, in (0, 1).

    Returns:
        Shares h, u and m, which sum to 1, with Wilson's intervals, and the mean Fp with a t interval (none for one
        text or one context). Shares carry the flag `uncalibrated` unless the thresholds were calibrated on texts of
        known origin.

    Raises:
        InsufficientData: there is no text.
        BadInput: an Fp outside [0, 1], a level that is not allowed, or a fault of a row of the DataFrame.

    Source:
        Çano and Bojar (2020), equations 1, 4 and 5.

    Example:
        >>> from metrics import h_score
        >>> score = h_score({"a": 0.2, "b": 0.3, "c": 0.6, "d": 0.1})
        >>> score.h.value, score.m.value, score.mean_fp.value, score.h.flags
        (0.75, 0.25, 0.30000000000000004, ('uncalibrated',))
    """
    check_level(level)
    fp = read_fractions(fp) if is_frame(fp) else cast(Mapping[str, float], fp)
    if not fp:
        raise InsufficientData("An h-score needs a text: 0 / 0 is nothing.")
    for name, value in fp.items():
        if not 0 <= value <= 1:
            raise BadInput("Fp lies between 0 and 1", where=f"text {name}", column="fp")
    verdicts = {name: thresholds.verdict(value) for name, value in fp.items()}
    shared = [contexts.get(name) for name in fp] if contexts else None
    judged = list(verdicts.values())
    shares = {
        name: _share(name, [verdict == name for verdict in judged], shared, thresholds, level)
        for name in ("h", "u", "m")
    }
    mean = mean_estimate(list(fp.values()), contexts=shared, level=level)
    return HScore(shares["h"], shares["u"], shares["m"], mean, thresholds, verdicts)


def _share(
    name: str, holds: list[bool], contexts: Sequence[str | None] | None, thresholds: Thresholds, level: float
) -> Estimate:
    n, count = len(holds), sum(holds)
    interval: Interval | None = Interval(*wilson(count / n, n, normal_quantile(level)), level, "Wilson, for new texts")
    context = number_contexts(contexts or [None] * n)
    if contexts_repeat(context):
        share = share_by_context(np.array(holds, dtype=np.int64), np.ones(n, dtype=np.int64), context)
        interval = share.interval(level, "contexts")
    settings: dict[str, Setting] = {
        "low": thresholds.low,
        "high": thresholds.high,
        "calibrated": thresholds.calibrated,
        "origin": thresholds.origin,
    }
    flags = () if thresholds.calibrated else (UNCALIBRATED,)
    limits = f"{thresholds.low:g}:{thresholds.high:g}"
    return Estimate(count / n, n, interval, settings, flags, f"h_score_{name}|n:{n}|at:{limits}|v:{__version__}")


def mean_estimate(
    values: Sequence[float], *, contexts: Sequence[str | None] | None = None, level: float = 0.95
) -> Estimate:
    """Mean Fp of texts, with a t interval for new texts, or new contexts where texts share them.

    contexts: of each text. No interval for one text (flag `one_text`) or one context (flag `one_context`).
    """
    n, mean = len(values), float(np.mean(values))
    signature = f"mean_fp|n:{n}|v:{__version__}"
    context = number_contexts(contexts or [None] * n)
    half = mean_half_width(np.asarray(values, dtype=np.float64), context, level)
    if half is None:
        return Estimate(mean, n, None, {}, ("one_text" if n < 2 else "one_context",), signature)
    unit = "contexts" if contexts_repeat(context) else "texts"
    interval = Interval(max(0.0, mean - half), min(1.0, mean + half), level, f"t, for new {unit}")
    return Estimate(mean, n, interval, {}, (), signature)


def _histogram(values: Floats, bins: int, top: float) -> tuple[int, ...]:
    """Counts in equal bins from 0 to top; beyond the top (rounding) counts in the last."""
    return tuple(np.histogram(np.clip(values, 0.0, top), bins=bins, range=(0.0, top))[0].tolist())
