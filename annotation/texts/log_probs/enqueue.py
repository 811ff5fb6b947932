"""The verb that puts the scoring of a study's texts on the queue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Generator, ScoringChunk, ScoringJob, Study, Text
from annotation.texts.log_probs import store
from metrics.likelihood import Pair, decoding_from
from metrics.likelihood.opening import Opening
from metrics.likelihood.scoring import chunks

CHUNK = 64
OPEN = (ScoringChunk.State.WAITING, ScoringChunk.State.CLAIMED)


@dataclass(frozen=True, slots=True)
class Planned:
    """job: its primary key. texts, chunks: how many."""

    job: int
    generator: str
    texts: int
    chunks: int


def plan_scoring(
    study: Study,
    *,
    opening: Opening,
    generator: str | None = None,
    replace: bool = False,
    actor: str,
    now: datetime,
    size: int = CHUNK,
) -> Planned:
    """Write a job with its chunks of about `size` texts; workers take them. Texts of equal content share a chunk.

    Raises StateError where there is nothing to score, where a job for this generator is still open, or where
    log-probabilities of a file would be mixed in; DesignError where the generator is ambiguous or unknown.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        target = store.generator_of(study, generator)
        texts = list(store.texts_to_score(study, target))
        if ScoringChunk.objects.filter(job__generator=target, state__in=OPEN).exists():
            raise StateError(
                f"A scoring of {target} is on the queue already; `manage.py scoring_status {study}` shows it."
            )
        if not replace:
            store.check_unmixed(target, None)
        job = ScoringJob.objects.create(
            study=study, generator=target, opening=opening.values(), replace=replace, actor=actor, created_at=now
        )
        parts = _split_texts(texts, size)
        ScoringChunk.objects.bulk_create(
            ScoringChunk(job=job, number=number, texts=part) for number, part in enumerate(parts, start=1)
        )
        facts = {"generator": target.name, "model": opening.model, "texts": len(texts), "chunks": len(parts)}
        AuditEvent.objects.record(study, "plan_scoring", actor=actor, now=now, **facts)
    return Planned(job.pk, target.name, len(texts), len(parts))


def decoded_opening(opening: Opening, generator: Generator) -> Opening:
    """The opening under the generator's own decoding, which is what HUSE needs; as it is where that names none.

    Raises StateError for a decoding that cannot be read: log-probabilities of another distribution would be no use.
    """
    if not generator.decoding:
        return opening
    decoding = decoding_from(generator.decoding)
    if decoding is None:
        raise StateError(
            f"The decoding {generator.decoding!r} of {generator} cannot be read, so the distribution that HUSE needs "
            "is not known. Compute log-probabilities elsewhere, and upload them with the texts."
        )
    return replace(opening, decoding=decoding)


def _split_texts(texts: list[Text], size: int) -> list[list[int]]:
    by_pair: dict[Pair, list[int]] = {}
    for text in texts:
        by_pair.setdefault(store.pair_of(text), []).append(text.pk)
    return [[number for pair in part for number in by_pair[pair]] for part in chunks(list(by_pair), size)]
