"""The verb that answers a study's contexts with training texts by BM25: the retrieval baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Generator, Likelihood, Study, Text
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.texts import store
from metrics.generation.bm25 import K1, OTHER_LOG_PROB, B, Bm25, Match

DECODING = f"bm25 top-1 k1={K1:g} b={B:g}"


@dataclass(frozen=True, slots=True)
class TextsRetrieved:
    """texts: added. unmatched: of these, to contexts that share no word with any training input.

    references: that got a log-probability; of these `equal` have a retrieved text's words and probability 1.
    """

    generator: str
    texts: int
    unmatched: int
    references: int
    equal: int


def retrieve_texts(
    study: Study, *, generator: str, training: Sequence[tuple[str, str]], actor: str, now: datetime
) -> TextsRetrieved:
    """Add to each context the response whose input is most like it, all or none. training: (input, response).

    A retrieved text counts with log p 0 and every other with -infinity (Hashimoto et al. 2019, section 5.1).
    Raises StateError where the study is no draft, has no contexts or the generator's texts already;
    InsufficientData without training texts.
    """
    contexts = list(study.contexts.exclude(body="").order_by("pk"))
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study} is {study.status}; texts are added to a draft only.")
    if not contexts:
        raise StateError(f"The study {study} has no contexts with a text, so there is nothing to look up.")
    if study.texts.filter(generator__name=generator).exists():
        raise StateError(f"The study {study} has texts of {generator} already; nothing was added. Name another one.")
    index = Bm25([training_input for training_input, _ in training])
    matches = {context.key: index.search(context.body)[0] for context in contexts}
    records = [_text_record(generator, key, match, training) for key, match in matches.items()]
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        store.store_texts(study, records)
        references, equal = _store_likelihoods(study, generator, {record.context: record.body for record in records})
        facts = {"generator": generator, "texts": len(records), "training": len(training)}
        AuditEvent.objects.record(study, "retrieve_texts", actor=actor, now=now, **facts)
    unmatched = sum(match.score == 0 for match in matches.values())
    return TextsRetrieved(generator, len(records), unmatched, references, equal)


def _text_record(generator: str, key: str, match: Match, training: Sequence[tuple[str, str]]) -> TextRecord:
    training_input, response = training[match.document]
    generation = {
        "method": DECODING,
        "document": match.document,
        "score": match.score,
        "input": training_input,
        "training": len(training),
    }
    length = max(1, len(response.split()))
    return TextRecord(
        id=f"{generator}-{key}",
        body=response,
        source="model",
        generator=generator,
        decoding=DECODING,
        context=key,
        generation=generation,
        likelihoods=(LikelihoodRecord(generator, match.log_prob, length, "whitespace", DECODING),),
    )


def _store_likelihoods(study: Study, name: str, retrieved: dict[str | None, str]) -> tuple[int, int]:
    """Give the references of these contexts their log p; how many, and how many of them equal what was retrieved."""
    generator = Generator.objects.get(study=study, name=name)
    texts = (
        study.texts.judged()
        .filter(source=Text.Source.REFERENCE, context__key__in=list(retrieved), known_label="")
        .select_related("context")
    )
    rows, equal = [], 0
    for text in texts:
        same = text.context is not None and retrieved[text.context.key] == text.body
        equal += same
        rows.append(
            Likelihood(
                text=text,
                generator=generator,
                log_prob=0.0 if same else OTHER_LOG_PROB,
                length=max(1, len(text.body.split())),
                length_unit=Likelihood.Unit.WHITESPACE,
                decoding=DECODING,
            )
        )
    Likelihood.objects.bulk_create(rows)
    return len(rows), equal
