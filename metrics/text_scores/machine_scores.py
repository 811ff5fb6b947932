"""Texts read by a language model into automatic scores of human-likeness, as `hscore --json` writes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from metrics.errors import DegenerateInput, InsufficientData
from metrics.text_scores.calibration import Calibration, against_people, calibrate
from metrics.text_scores.detectors import curvature
from metrics.text_scores.h_score import DEFAULT, h_score, mean_fraction, score_text
from metrics.text_scores.h_score_json import h_score_json
from metrics.text_scores.token_predictions import Backend, Predictions, from_token_stats
from metrics.text_scores.vocabulary import readable_tokens

if TYPE_CHECKING:
    from metrics.likelihood.huggingface import HuggingFace


def read_by(model: HuggingFace, texts: Mapping[str, str]) -> tuple[list[Predictions], dict[str, float]]:
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
    model: HuggingFace,
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
    fp = {text_predictions.id: mean_fraction(text_predictions) for text_predictions in predictions}
    calibration = _calibrated(fp, human, level, seed)
    thresholds = calibration.thresholds if calibration else DEFAULT
    shares = {name: share for name, share in (human_share or {}).items() if name in fp}
    people = against_people(fp, shares, thresholds, level=level) if len(shares) > 1 else None
    scores = [score_text(text_predictions, thresholds) for text_predictions in predictions]
    result = h_score(fp, thresholds, level=level)
    return h_score_json(scores, result, predictions[0].backend, calibration, people, curvatures)


def _calibrated(fp: Mapping[str, float], human: Collection[str], level: float, seed: int) -> Calibration | None:
    """None where a source has too few texts, or no threshold separates them."""
    sides = [[value for name, value in fp.items() if (name in human) is side] for side in (True, False)]
    try:
        return calibrate(*sides, level=level, seed=seed)
    except (InsufficientData, DegenerateInput):
        return None
