"""The verb that lets a language model read a study's texts: automatic scores of human-likeness for its report."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.collecting import ratings
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study, Text
from annotation.studies import blinding
from metrics.data.criterion_names import WRITTEN_BY
from metrics.likelihood import Reader
from metrics.text_scores.machine_scores import automatic_scores

HUMAN_UP_TO = 2  # on the scale of four


def read_by_model(study: Study, *, model: Reader, actor: str, now: datetime, seed: int = 0) -> dict[str, Any]:
    """Fp, ranks, entropies and Fast-DetectGPT of every text, as `report --attach` takes them; nothing is stored.

    The threshold is calibrated on the study's own sources. Agreement with people is included where they said who
    wrote a text and results are unblinded. Raises StateError without texts, the errors of `metrics.likelihood`.
    """
    bodies, human = texts_by_key(study)
    if not bodies:
        raise StateError(f"The study {study} has no texts yet, so there is nothing to read.")
    scores = automatic_scores(model, bodies, human=human, human_share=human_shares(study), seed=seed)
    AuditEvent.objects.record(study, "read_by_model", actor=actor, now=now, model=model.card.signature)
    return scores


def texts_by_key(study: Study) -> tuple[dict[str, str], set[str]]:
    """The judged texts by their key, and the keys of those that people wrote."""
    texts = list(study.texts.judged().filter(known_label="").order_by(ratings.by_code_point("key")))
    human = {text.key for text in texts if text.source == Text.Source.REFERENCE}
    return {text.key: text.body for text in texts}, human


def human_shares(study: Study) -> Mapping[str, float]:
    """Return, by text, the share of included answers that said human; nothing while results are blinded."""
    if blinding.seen_at(study) is None:
        return {}
    answers: dict[str, list[bool]] = {}
    for line in ratings.rating_lines(study):
        if line.included and line.criterion == WRITTEN_BY:
            answers.setdefault(line.text, []).append(float(line.code) <= HUMAN_UP_TO)
    return {text: sum(says_human) / len(says_human) for text, says_human in answers.items()}
