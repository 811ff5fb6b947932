"""The sampling distribution of a log-probability."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.errors import BadInput

WORDS = re.compile(r"(?:t|temperature|top_k|top_p)=[0-9.eE+-]+")


@dataclass(frozen=True, slots=True)
class Decoding:
    """Temperature, then top-k, then top-p, the rest renormalised at every step (Hashimoto et al. 2019, section 5.1).

    temperature: > 0 (0 would be the single most probable token: an error). top_k: keep the k most probable tokens.
    top_p: keep the smallest set of most probable tokens with mass >= top_p, in (0, 1]. None keeps all.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        """Raise BadInput for settings that define no distribution."""
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise BadInput(f"the temperature must be above 0, not {self.temperature}", column="temperature")
        if self.top_k is not None and self.top_k < 1:
            raise BadInput(f"top_k must be at least 1, not {self.top_k}", column="top_k")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise BadInput(f"top_p must be above 0 and at most 1, not {self.top_p}", column="top_p")

    def __str__(self) -> str:
        """`sample t=0.7 top_k=50`: one spelling for one setting."""
        parts = [f"sample t={self.temperature:g}"]
        if self.top_k is not None:
            parts.append(f"top_k={self.top_k}")
        if self.top_p is not None:
            parts.append(f"top_p={self.top_p:g}")
        return " ".join(parts)

    @property
    def plain(self) -> bool:
        """The model's own distribution, unchanged."""
        return self == Decoding()

    @property
    def cuts(self) -> bool:
        """Whether some tokens are never sampled."""
        return self.top_k is not None or self.top_p is not None


def decoding_from(text: str) -> Decoding | None:
    """The setting that a text such as `sample t=0.7 top_k=50` names; None where it says anything else."""
    rest = WORDS.sub("", text).replace("sample", "").strip(" ,;")
    settings: dict[str, str] = dict(word.split("=", 1) for word in WORDS.findall(text))
    if rest or not settings:
        return None
    try:
        return Decoding(
            temperature=float(settings.get("temperature") or settings.get("t") or "1"),
            top_k=int(settings["top_k"]) if "top_k" in settings else None,
            top_p=float(settings["top_p"]) if "top_p" in settings else None,
        )
    except ValueError:
        return None


def decoded(log_probs: NDArray[np.float64], decoding: Decoding) -> NDArray[np.float64]:
    """log p of one step's tokens [V] under a decoding; -inf for tokens that it never samples.

    p_t(w) = p(w)^(1/t) / sum. Tokens that tie with the last one kept are kept too.
    """
    scaled = np.asarray(log_probs, dtype=np.float64) / decoding.temperature
    if decoding.top_k is not None and decoding.top_k < len(scaled):
        threshold = np.partition(scaled, -decoding.top_k)[-decoding.top_k]
        scaled = np.where(scaled >= threshold, scaled, -np.inf)
    if decoding.top_p is not None and decoding.top_p < 1:
        scaled = np.where(scaled >= _nucleus_threshold(scaled, decoding.top_p), scaled, -np.inf)
    return np.asarray(scaled - np.logaddexp.reduce(scaled), dtype=np.float64)


def _nucleus_threshold(scaled: NDArray[np.float64], top_p: float) -> float:
    ordered = np.sort(scaled)[::-1]
    mass = np.cumsum(np.exp(ordered - np.logaddexp.reduce(ordered)))
    return float(ordered[min(int(np.searchsorted(mass, top_p)), len(ordered) - 1)])
