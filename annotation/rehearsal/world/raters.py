"""Simulated raters: how a person of the rehearsal world turns a headline into one of six labels.

An honest rater perceives, in steps of the scale (0 Invalid ... 5 Very Typical),

    perceived = impression(headline) + bias(rater) + noise(rater, headline) / competence(rater)

and gives the nearest label. The impression is the same for everybody: surprise, -log p_ref(y) a token, lowers it once
it passes what readers notice at all (per token, because the instructions say not to penalise length), and a taste
for each headline moves it, as when a word happens to please. What the grammar cannot say reads as broken, whatever its
words. A spammer does not look at the headline.

All dice are hashes of what they belong to (seed, rater, headline), so the order of work does not matter and the whole
simulation and the crowd that clicks through the pages give the same answer to the same question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
Spam = Literal["", "random", "constant", "middle"]

# Raise it when the rule changes otherwise than by its constants: the stored truths then no longer fit.
RATERS_VERSION = 1
LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")

# The judgment rule, in steps of the scale. How these were chosen: the docstring of the package.
FAMILIAR = 3.4
NOTICED = 1.2
SLOPE = 1.5
TASTE = 0.55
BROKEN = 0.6
BROKEN_TASTE = 0.6
NOISE = 0.9
BIAS = 0.4
COMPETENCE = (0.6, 1.0)
SPAM_KINDS: tuple[Spam, ...] = ("", "random", "constant", "middle")

_CUTS = np.arange(0.5, 5.0)


@dataclass(frozen=True)
class RaterProfile:
    """One simulated person.

    id: a stable name; the dice of this rater hang on it.
    competence: in (0, 1]; 1 is the steadiest reader, noise grows as its inverse. Spammers' is not used.
    bias: steps of the scale added to everything this rater sees.
    spam: "" for an honest rater; "random" clicks anything, "constant" always the same label, "middle" the two
        labels in the middle.
    """

    id: str
    competence: float
    bias: float
    spam: Spam = ""


@dataclass(frozen=True)
class TextFeatures:
    """What raters need of headlines: keys (n,) for the dice and the common impression (n,) in steps of the scale."""

    keys: Keys
    impression: Floats

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> TextFeatures:
        return TextFeatures(self.keys[rows], self.impression[rows])


def text_features(keys: Keys, log_prob_ref: Floats, tokens: NDArray[np.int64]) -> TextFeatures:
    """Impressions from log p_ref (n,), natural, -inf outside the grammar, and the token counts it covers (n,)."""
    with np.errstate(invalid="ignore"):
        surprise = np.maximum(-log_prob_ref / tokens - NOTICED, 0.0)
    valid = np.isfinite(log_prob_ref)
    typicality = np.where(valid, FAMILIAR - SLOPE * np.where(valid, surprise, 0.0), BROKEN)
    taste = _normal(_mix(keys, np.uint64(_digest("taste")))) * np.where(valid, TASTE, BROKEN_TASTE)
    return TextFeatures(keys, typicality + taste)


@dataclass(frozen=True)
class Crowd:
    """Raters as arrays (raters,), for many judgments at once; `spam` indexes SPAM_KINDS."""

    keys: Keys
    competence: Floats
    bias: Floats
    spam: Codes

    @classmethod
    def of(cls, raters: Sequence[RaterProfile]) -> Crowd:
        return cls(
            np.array([_digest("rater:" + rater.id) for rater in raters], dtype=np.uint64),
            np.array([rater.competence for rater in raters]),
            np.array([rater.bias for rater in raters]),
            np.array([SPAM_KINDS.index(rater.spam) for rater in raters], dtype=np.int8),
        )


def label_codes(features: TextFeatures, crowd: Crowd, raters: NDArray[np.int64], seed: int) -> Codes:
    """Label codes 0..5, (n, r): what the raters `raters` (n, r), row numbers of `crowd`, answer to each headline."""
    rater_keys = crowd.keys[raters]
    dice = _mix(_mix(features.keys[:, None], rater_keys), np.uint64(_digest(f"seed:{seed}")))
    noise = _normal(dice) * (NOISE / crowd.competence)[raters]
    honest = np.clip(np.floor(features.impression[:, None] + crowd.bias[raters] + noise + 0.5), 0, 5)
    kinds = crowd.spam[raters]
    clicks = np.choose(kinds, [honest, dice % np.uint64(6), rater_keys % np.uint64(6), 2 + dice % np.uint64(2)])
    return clicks.astype(np.int8)


def label(features: TextFeatures, rater: RaterProfile, seed: int) -> int:
    """The label code 0..5 (an index into LABELS) that one rater gives to the one headline of `features`."""
    return int(label_codes(features, Crowd.of([rater]), np.zeros((1, 1), dtype=np.int64), seed)[0, 0])


def draw_crowd(n: int, spam_share: float, rng: np.random.Generator) -> list[RaterProfile]:
    """`n` raters, round(n * spam_share) of them spammers of alternating kinds, in random order, ids rater-001 ..."""
    if not 0 <= spam_share <= 1:
        raise ValueError(f"spam_share must lie between 0 and 1, not {spam_share}")
    spammers = round(n * spam_share)
    kinds: list[Spam] = [SPAM_KINDS[1 + i % 3] for i in range(spammers)] + [""] * (n - spammers)
    order = rng.permutation(n)
    competence = rng.uniform(*COMPETENCE, size=n)
    bias = rng.normal(0.0, BIAS, size=n)
    return [RaterProfile(f"rater-{i + 1:03d}", float(competence[i]), float(bias[i]), kinds[order[i]]) for i in range(n)]


def expected_code(impression: Floats, points: int = 24) -> Floats:
    """Expected label code of an honest rater drawn as `draw_crowd` draws them, for impressions (n,); in [0, 5].

    Competence is integrated by Gauss-Legendre with `points` nodes; bias and noise together are normal.
    """
    nodes, weights = np.polynomial.legendre.leggauss(points)
    low, high = COMPETENCE
    competence = low + (high - low) * (nodes + 1) / 2
    total = np.zeros_like(impression)
    for value, weight in zip(competence, weights / 2, strict=True):
        spread = np.hypot(BIAS, NOISE / value)
        total += weight * ndtr((impression[:, None] - _CUTS) / spread).sum(axis=1)
    return total


def rule_digest() -> str:
    """SHA-256, in hex, of the judgment rule's version and constants."""
    numbers = (FAMILIAR, NOTICED, SLOPE, TASTE, BROKEN, BROKEN_TASTE, NOISE, BIAS, COMPETENCE, SPAM_KINDS)
    return hashlib.sha256(repr((RATERS_VERSION, LABELS, numbers)).encode("utf-8")).hexdigest()


def text_keys(texts: Sequence[str]) -> Keys:
    """Stable 64-bit keys (n,) of headlines; case and spacing do not count."""
    return np.array([_digest("text:" + " ".join(text.casefold().split())) for text in texts], dtype=np.uint64)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest(), "big")


def _mix(left: Keys, right: Keys | np.uint64) -> Keys:
    """Scramble two keys into one (the finaliser of SplitMix64 over their combination)."""
    with np.errstate(over="ignore"):
        x = (left ^ (right * np.uint64(0x9E3779B97F4A7C15))) + np.uint64(0x632BE59BD9B4E019)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)


def _normal(keys: Keys) -> Floats:
    """Standard normal numbers from uniform keys: the upper 53 bits, kept off 0 and 1."""
    return np.asarray(ndtri(((keys >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53), dtype=np.float64)
