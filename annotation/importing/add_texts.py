"""The verb that puts texts into a study, and the one that says beforehand what would become of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.exceptions import StateError
from annotation.importing import store_study as storing
from annotation.models import AuditEvent, Study
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings, Sink
from annotation.readers.records import Provenance, TextRecord
from annotation.readers.texts import Examination, Faults
from annotation.texts import store as storing_texts

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


def compared(study: Study, found: Examination, *, file: str, sink: Sink | None = None) -> Examination:
    """The examination of a file with what the study itself contradicts; changes nothing.

    Raises StateError when the study is no longer a draft.
    """
    _require_draft(study)
    findings = Findings(Path(file), sink=sink)
    storing_texts.contradictions(study, found.texts, findings)
    if not findings.total:
        return found
    faults = (*found.faults, Faults(findings.file, findings.summarize_problems(), findings.summarize_warnings()))
    return replace(found, faults=faults, texts=(), provenance=None)


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
        for chunk in storing_texts.stored_in_chunks(study, texts):
            done += len(chunk)
            if progress is not None:
                progress(done, len(texts))
        added = _counted(texts)
        files = [storing.told_file(origin)] if origin else []
        counts = {"texts": added.texts, "references": added.references}
        more = {"allowed": sorted(allowed)} if allowed else {}
        AuditEvent.objects.record(study, "add_texts", actor=actor, now=now, files=files, **counts, **more)
    return added


def _require_draft(study: Study) -> None:
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study} is {study.status}; texts are added to a draft only.")


def _counted(texts: Sequence[TextRecord]) -> TextsAdded:
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
