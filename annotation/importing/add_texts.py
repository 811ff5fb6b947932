"""Add texts to a study, and compare them with the study before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import StateError
from annotation.importing import store_study
from annotation.models import AuditEvent, Study
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings, Sink
from annotation.readers.records import Provenance, TextRecord
from annotation.readers.texts import Examination, Faults
from annotation.texts import store

Progress = Callable[[int, int], None]
"""Takes how many texts of how many have been written."""


@dataclass(frozen=True, slots=True)
class TextsAdded:
    """How many rows were written; `by_generator`: texts of each generator; `gold`: those with a known answer."""

    texts: int
    references: int
    by_generator: Mapping[str, int]
    contexts: int
    likelihoods: int
    gold: int = 0


def compare_with_study(study: Study, examination: Examination, *, file: str, sink: Sink | None = None) -> Examination:
    """Return the examination with the contradictions to the study's texts added; change nothing.

    Raises StateError when the study is no longer a draft.
    """
    _require_draft(study)
    findings = Findings(Path(file), sink=sink)
    store.note_contradictions(study, examination.texts, findings)
    if not findings.total:
        return examination
    faults = (*examination.faults, Faults(findings.file, findings.summarize_problems(), findings.summarize_warnings()))
    return replace(examination, faults=faults, texts=(), provenance=None)


def add_texts(
    study: Study,
    texts: Sequence[TextRecord],
    *,
    actor: str,
    now: datetime,
    origin: Provenance | None = None,
    allowed: Collection[Code] = (),
    progress: Progress | None = None,
) -> TextsAdded:
    """Add checked texts with their contexts, generators and likelihoods: all or none.

    origin: the file they come from, for the audit row and the report. allowed: faults that were allowed in it.
    Raises StateError when the study is no longer a draft or has a text with one of the ids,
    DesignError when a generator's decoding or a context's text contradicts what the study has.
    """
    done = 0
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        _require_draft(study)
        for chunk in store.store_in_chunks(study, texts):
            done += len(chunk)
            if progress is not None:
                progress(done, len(texts))
        added = _count_texts(texts)
        files = [store_study.provenance_details(origin)] if origin else []
        counts = {"texts": added.texts, "references": added.references}
        more = {"allowed": sorted(allowed)} if allowed else {}
        AuditEvent.objects.record(study, "add_texts", actor=actor, now=now, files=files, **counts, **more)
    return added


def _require_draft(study: Study) -> None:
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study} is {study.status}; texts are added to a draft only.")


def _count_texts(texts: Sequence[TextRecord]) -> TextsAdded:
    by_generator: Counter[str] = Counter()
    contexts: set[str] = set()
    references = likelihoods = gold = 0
    for text in texts:
        references += text.source == "reference"
        likelihoods += len(text.likelihoods)
        gold += bool(text.known_label)
        if text.generator:
            by_generator[text.generator] += 1
        if text.context:
            contexts.add(text.context)
    return TextsAdded(len(texts), references, dict(by_generator), len(contexts), likelihoods, gold)
