"""Compute the log-probabilities of a study's texts under a model, so that HUSE needs no column of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.models import AuditEvent, Study, Text
from annotation.texts.log_probs import store
from metrics.likelihood import LogProbs, Scored
from metrics.likelihood.scoring import Progress

CHUNK = 256


@dataclass(frozen=True, slots=True)
class TextsScored:
    """scored: by the model, now. reused: of equal content, scored before. already_scored: by this model, before."""

    generator: str
    scored: int
    reused: int
    already_scored: int
    signature: str


def score_texts(
    study: Study,
    *,
    backend: LogProbs,
    generator: str | None = None,
    replace: bool = False,
    actor: str,
    now: datetime,
    progress: Progress | None = None,
) -> TextsScored:
    """Write log p, given its context, of every reference and of the generator's own texts.

    generator: optional where the study has one. replace: overwrite log-probabilities made otherwise.
    Each chunk is kept as it comes: a run that breaks off goes on where it was. Equal content is scored once.
    Raises StateError where there is nothing to score or log-probabilities made otherwise would be mixed in,
    DesignError where the generator is ambiguous or unknown, and the named errors of `metrics.likelihood`.
    """
    target = store.generator_of(study, generator)
    texts = list(store.texts_to_score(study, target))
    if not replace:
        store.check_unmixed(target, backend.card.signature)
    scoring = store.ensure_scoring(target, backend.card, now=now)
    already_scored = store.scored_already(texts, scoring)
    todo = [text for text in texts if text.pk not in already_scored]
    known = store.known_content(todo, scoring)
    store.write_scores(known, scoring)
    rest = [text for text in todo if text not in known]
    done = 0

    def keep(part: Mapping[Text, Scored]) -> None:
        nonlocal done
        store.write_scores(part, scoring)
        done += len(part)
        if progress:
            progress(done, len(rest))

    scored = store.score_in_parts(rest, backend, size=CHUNK, keep=keep)
    if todo:
        facts = {"generator": target.name, "scored": scored, "reused": len(known), "signature": scoring.signature}
        AuditEvent.objects.record(study, "score_texts", actor=actor, now=now, **facts)
    return TextsScored(target.name, scored, len(known), len(already_scored), scoring.signature)
