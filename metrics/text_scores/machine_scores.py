"""Texts read by a language model into automatic scores of human-likeness, as `hscore --json` writes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from metrics.data.evaluator_judgments import HUMAN, MACHINE
from metrics.errors import DegenerateInput, InsufficientData
from metrics.likelihood import Layout, Reader
from metrics.text_scores.detectors import curvature
from metrics.text_scores.h_findings import HFindings, Rules, summarise_texts
from metrics.text_scores.token_predictions import Backend, Predictions, from_token_stats
from metrics.text_scores.vocabulary import readable_tokens


def reading_layout(long_texts: Literal["error", "slide"] = "error") -> Layout:
    """Each text stands behind the start token, without the end token (as GLTR has it)."""
    return Layout(include_eos=False, start="always", long_texts=long_texts)


def read_by(model: Reader, texts: Mapping[str, str]) -> tuple[list[Predictions], dict[str, float]]:
    """Predictions of each text (by name), and its Fast-DetectGPT; one forward pass a text, without any context.

    Raises the named errors of `metrics.likelihood`.
    """
    card = model.card
    backend = Backend(card.model, card.revision, card.tokenizer, card.dtype)
    stats = model.statistics([("", text) for text in texts.values()])
    pairs = list(zip(texts, stats, strict=True))
    predictions = [
        from_token_stats(name, token_stats, readable_tokens(token_stats.tokens), backend) for name, token_stats in pairs
    ]
    return predictions, {
        name: curvature(token_stats.log_prob, token_stats.mean, token_stats.variance) for name, token_stats in pairs
    }


def automatic_scores(
    model: Reader,
    texts: Mapping[str, str],
    *,
    human: Collection[str] = (),
    human_share: Mapping[str, float] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Any]:
    """The document of `python -m metrics hscore --json` on these texts, by their names.

    human: names of the texts that people wrote, all others being a machine's: the threshold is calibrated on them,
    where the machine's have the higher Fp. human_share: share of people who said human, for agreement with people.
    Raises InsufficientData without a text, and the named errors of `metrics.likelihood`.
    """
    if not texts:
        raise InsufficientData("There is no text to score.")
    predictions, curvatures = read_by(model, texts)
    return summarise_by_source(predictions, curvatures, human, human_share, level=level, seed=seed).document()


def summarise_by_source(
    predictions: Sequence[Predictions],
    curvatures: Mapping[str, float],
    human: Collection[str],
    human_share: Mapping[str, float] | None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> HFindings:
    """What is said of texts of known origin; without a calibration where no threshold separates the two sources."""
    origins = {text.id: HUMAN if text.id in human else MACHINE for text in predictions}
    shares = {name: share for name, share in (human_share or {}).items() if name in origins}
    judged = shares if len(shares) > 1 else None
    rules = Rules(level=level, seed=seed)
    try:
        return summarise_texts(predictions, rules=rules, origins=origins, human_share=judged, curvatures=curvatures)
    except (InsufficientData, DegenerateInput):
        return summarise_texts(predictions, rules=rules, human_share=judged, curvatures=curvatures)
