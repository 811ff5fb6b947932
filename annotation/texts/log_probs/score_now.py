"""The verb that gives a study's texts their log-probabilities under a model, so that HUSE needs no hand-made column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.models import AuditEvent, Study, Text
from annotation.texts.log_probs import store as tools
from metrics.likelihood import LogProbs, Scored
from metrics.likelihood.scoring import Progress

CHUNK = 256


@dataclass(frozen=True, slots=True)
class TextsScored:
    """scored: by the model, now. reused: of equal content, scored before. kept: had this scoring already."""

    generator: str
    scored: int
    reused: int
    kept: int
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

    generator: may be left out where the study has one. replace: overwrite log-probabilities made otherwise.
    Each chunk is kept as it comes: a run that breaks off goes on where it was. Equal content is scored once.
    Raises StateError where there is nothing to score or log-probabilities made otherwise would be mixed in,
    DesignError where the generator cannot be told, and the named errors of `metrics.likelihood`.
    """
    found = tools.generator_of(study, generator)
    texts = list(tools.wanted(study, found))
    if not replace:
        tools.check_unmixed(found, backend.card.signature)
    scoring = tools.ensured(found, backend.card, now=now)
    kept = tools.scored_already(texts, scoring)
    todo = [text for text in texts if text.pk not in kept]
    known = tools.known_content(todo, scoring)
    tools.store(known, scoring)
    rest = [text for text in todo if text not in known]
    done = 0

    def keep(part: Mapping[Text, Scored]) -> None:
        nonlocal done
        tools.store(part, scoring)
        done += len(part)
        if progress:
            progress(done, len(rest))

    scored = tools.score_in_parts(rest, backend, size=CHUNK, keep=keep)
    if todo:
        told = {"generator": found.name, "scored": scored, "reused": len(known), "signature": scoring.signature}
        AuditEvent.objects.record(study, "score_texts", actor=actor, now=now, **told)
    return TextsScored(found.name, scored, len(known), len(kept), scoring.signature)
