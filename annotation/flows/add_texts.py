"""The verb that puts texts into a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation import storing
from annotation.datasets.records import Provenance, TextRecord
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Study


@dataclass(frozen=True, slots=True)
class TextsAdded:
    """How many rows were written; `by_generator`: texts of each generator."""

    texts: int
    references: int
    by_generator: Mapping[str, int]
    contexts: int
    likelihoods: int


def add_texts(
    study: Study, texts: Sequence[TextRecord], *, actor: str, now: datetime, origin: Provenance | None = None
) -> TextsAdded:
    """Add checked texts with their contexts, generators and likelihoods: all or none.

    origin: the file they come from, for the audit row and the report.
    Raises StateError when the study is no longer a draft or has a text with one of the ids,
    DesignError when a generator's decoding or a context's text contradicts what the study has.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        if study.status != Study.Status.DRAFT:
            raise StateError(f"The study {study} is {study.status}; texts are added to a draft only.")
        storing.stored_texts(study, texts)
        added = _counted(texts)
        files = [storing.told_file(origin)] if origin else []
        counts = {"texts": added.texts, "references": added.references}
        AuditEvent.objects.record(study, "add_texts", actor=actor, now=now, files=files, **counts)
    return added


def _counted(texts: Sequence[TextRecord]) -> TextsAdded:
    by_generator: dict[str, int] = {}
    for text in texts:
        if text.generator:
            by_generator[text.generator] = by_generator.get(text.generator, 0) + 1
    return TextsAdded(
        texts=len(texts),
        references=sum(text.source == "reference" for text in texts),
        by_generator=by_generator,
        contexts=len({text.context for text in texts if text.context}),
        likelihoods=sum(len(text.likelihoods) for text in texts),
    )
