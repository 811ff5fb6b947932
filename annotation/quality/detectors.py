"""Read a study's detector and its scores, and compute them by a local model (F21)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Detection, Detector, Remark, Study
from annotation.quality.work_table import PAST
from metrics.errors import DegenerateInput
from metrics.likelihood import Layout, TokenStatistics, open_model
from metrics.likelihood.errors import EmptyText
from metrics.text_scores.detectors import curvature
from metrics.version import __version__

Scores = Mapping[int, float | None]
Score = Callable[[Sequence[Remark]], Scores]
NAME = "Fast-DetectGPT"
LAYOUT = Layout(include_eos=False, start="always", unknown="count", long_texts="slide")


@dataclass(frozen=True, slots=True)
class Declared:
    """A detector and from which score on it calls a text machine-written: "above" or "below" the threshold."""

    name: str
    version: str
    threshold: float
    beyond: str = "above"


def detector_of(study: Study) -> Detector | None:
    """The detector that holds: the one declared last."""
    return Detector.objects.filter(study=study).order_by("-pk").first()


def remarks_of(study: Study) -> QuerySet[Remark]:
    """Every explanation."""
    return Remark.objects.filter(presentation__submission__hit__study=study).order_by("pk")


def called(study: Study) -> dict[int, float]:
    """By explanation (primary key): 1.0 where the detector that holds calls it machine-written, else 0.0."""
    detector = detector_of(study)
    if detector is None:
        return {}
    rows = Detection.objects.filter(detector=detector).values_list("remark_id", "score")
    past = PAST[detector.beyond]
    return {pk: float(past(score, detector.threshold)) for pk, score in rows if score is not None}


def explanations(study: Study) -> dict[tuple[str, str, str], list[int]]:
    """Explanations (primary keys) by item, rater's pseudonym and question, as a report's comments.csv names them."""
    by_name: dict[tuple[str, str, str], list[int]] = {}
    names = ("presentation__text__key", "presentation__submission__worker__pseudonym", "question", "pk")
    for item, rater, question, pk in remarks_of(study).values_list(*names):
        by_name.setdefault((item, rater, question), []).append(pk)
    return by_name


def fast_detect_gpt(model: str, threshold: float, **how: Any) -> tuple[Declared, Score]:
    """Fast-DetectGPT by a causal model (high: machine), opened with the options of `open_model`. Raises its errors."""
    opened = open_model(model, layout=LAYOUT, **how)
    card = opened.card
    version = f"{card.model} {card.revision} {card.dtype}, assay {__version__}"
    return Declared(NAME, version, threshold), lambda remarks: {
        remark.pk: _score(opened, remark.body) for remark in remarks
    }


def by_file(scores: Mapping[int, float]) -> Score:
    """The scores that were given, by explanation."""
    return lambda remarks: {remark.pk: scores[remark.pk] for remark in remarks if remark.pk in scores}


def _score(model: TokenStatistics, body: str) -> float | None:
    """None where it is not defined, for one token for instance."""
    try:
        (statistics,) = model.statistics([("", body)])
        return curvature(statistics.log_prob, statistics.mean, statistics.variance)
    except (EmptyText, DegenerateInput):
        return None
