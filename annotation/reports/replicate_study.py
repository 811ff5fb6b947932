"""Repeat a study: its tasks from its snapshot as a new draft, for other people, the same people, or anchors only."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.accounts.models import User
from annotation.design.arrange_cells import arrange
from annotation.design.presets import ArmPlan, CellPlan
from annotation.design.wording import from_json
from annotation.exceptions import DesignError, StateError
from annotation.importing.add_texts import add_texts
from annotation.models import AuditEvent, ImportedReport, Replication, SnapshotContent, Study, WorkerIdentity
from annotation.readers.records import UNITS, LikelihoodRecord, TextRecord
from annotation.studies.create import Plan, create
from annotation.studies.rename import check_name
from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.row_records import TaskPlan
from metrics.report.snapshot import read_data
from metrics.types import Item

People = Replication.People
# Compressed bytes of a snapshot: those of 157 kB (2,000 texts with 10,000 ratings) took 0.5 s on SQLite and 1.0 s on
# PostgreSQL, on a busy machine. A larger one is a job.
MAX_BYTES_AT_ONCE = 100_000
# As large as a seed may be typed on the design page.
SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class Replicated:
    """The new draft, and how many of the original's texts it has."""

    study: Study
    texts: int
    of: int


def takes_long(original: Study) -> bool:
    """Whether repeating the study is a job rather than a part of a request. Raises StateError without a snapshot."""
    return len(_content(original).compressed) > MAX_BYTES_AT_ONCE


def check_repetition(original: Study, name: str, people: str) -> None:
    """Raise what `replicate` would, as far as it can be known without reading the snapshot."""
    _check_people(original, people)
    check_name(name)


def replicate(
    original: Study,
    name: str,
    *,
    people: str = People.ANYONE,
    anchors: int | None = None,
    seed: int = 1,
    owner: User | None = None,
    actor: str,
    now: datetime,
    on_read: Callable[[], None] | None = None,
    on_store: Callable[[Replicated], None] | None = None,
) -> Replicated:
    """Create a draft rehearsal that gives people the tasks of `original`, as its latest snapshot has them.

    people: who may take part: anyone, nobody who took part in the original, or only they. anchors: so many contexts
    (texts where there are none), drawn by `seed`; None: all. The report that compares both says how closely the
    original was repeated. on_read: called when the snapshot is read, before anything is stored. on_store: called last
    in the same transaction; what it raises undoes everything.

    Raises StateError where there is no snapshot with a task text, or where the original's people are not known here;
    DesignError for a name, or a number of anchors, that cannot be used.
    """
    if people not in People.values:
        raise DesignError(f"Who may take part is one of {', '.join(People.values)}, not {people!r}.").at("people")
    content = _content(original)
    report_input = read_data(content.bytes)
    plan = report_input.task_plan
    if plan is None:
        raise StateError(
            f"The snapshot of {original} holds no task text, as of ratings from a file or of an earlier version. Its "
            "tasks cannot be given to people again."
        )
    _check_people(original, people)
    keys = _choose_texts(report_input, anchors, seed)
    if on_read is not None:
        on_read()
    by: dict[str, Any] = {"actor": actor, "now": now}
    with transaction.atomic():
        wording = from_json(json.loads(plan.wording))
        settings = Plan(**{**dict(plan.design), "noun": wording.noun, "seed": seed})  # type: ignore[arg-type]
        study = create(name, mode=Study.Mode.REHEARSAL, plan=settings, wording=wording, owner=owner, **by)
        records = [record for record in _texts(report_input, plan) if record.id in keys]
        add_texts(study, records, **by)
        _arrange(study, plan, records, **by)
        facts: dict[str, Any] = {"content_sha256": content.sha256, "people": people, "anchors": anchors}
        Replication.objects.create(study=study, original=original, **facts)
        AuditEvent.objects.record(study, "replicate", original=original.name, **facts, **by)
        done = Replicated(study, len(records), len(report_input.texts))
        if on_store is not None:
            on_store(done)
    return done


def _content(original: Study) -> SnapshotContent:
    """Of the report that was loaded, or of the latest look."""
    loaded = ImportedReport.objects.filter(study=original).select_related("content").first()
    latest = original.snapshots.exclude(content=None).select_related("content").order_by("-number").first()
    content = loaded.content if loaded else latest.content if latest else None
    if content is None:
        raise StateError(f"The study {original} has no snapshot yet: look at its results first, then repeat it.")
    return content


def _check_people(original: Study, people: str) -> None:
    if people == People.ANYONE:
        return
    if original.status != Study.Status.CLOSED:
        raise StateError(f"Close the study {original} first: people can still join it.").at("people")
    if not WorkerIdentity.objects.filter(worker__submissions__hit__study=original).exists():
        raise StateError(
            f"Who took part in {original} is not known here: a snapshot has pseudonyms only. Choose “anyone”, or ask "
            "those who ran it to repeat it."
        ).at("people")


def _choose_texts(report_input: ReportInput, anchors: int | None, seed: int) -> set[str]:
    """Ids of all texts, or of those of so many contexts. Raises DesignError for a number that does not fit."""
    by_context: dict[str, list[str]] = {}
    for text in report_input.texts:
        by_context.setdefault(text.context_id or text.id, []).append(text.id)
    if anchors is None:
        return {text.id for text in report_input.texts}
    if not 1 <= anchors <= len(by_context):
        raise DesignError(f"Anchors are 1 to {len(by_context)} contexts of the original, not {anchors}.").at("anchors")
    chosen = random.Random(seed).sample(sorted(by_context), anchors)
    return {text for context in chosen for text in by_context[context]}


def _texts(report_input: ReportInput, plan: TaskPlan) -> list[TextRecord]:
    decodings = {facts.name: facts.decoding or "" for facts in report_input.systems}
    likelihoods: dict[str, list[LikelihoodRecord]] = {}
    for facts in report_input.generators:
        for item in (*facts.items, *facts.dropped):
            if item.log_prob is not None:
                likelihoods.setdefault(item.id, []).append(_likelihood(facts, item))
    domains = dict(plan.domains)
    return [
        TextRecord(
            id=text.id,
            body=text.body,
            source=text.source,
            generator=text.generator,
            decoding=decodings.get(text.generator or "", ""),
            context=text.context_id,
            context_body=text.context or "",
            domain=domains.get(text.id, ""),
            corpus_count=text.corpus_count,
            corpus_name=text.corpus_name,
            likelihoods=tuple(likelihoods.get(text.id, ())),
        )
        for text in report_input.texts
    ]


def _likelihood(facts: GeneratorFacts, item: Item) -> LikelihoodRecord:
    if facts.length_unit not in UNITS or item.log_prob is None:
        raise StateError(f"The lengths of {facts.name} are counted in {facts.length_unit}, which no study can store.")
    return LikelihoodRecord(facts.name, item.log_prob, item.length, facts.length_unit, facts.log_prob_decoding or "")


def _arrange(study: Study, plan: TaskPlan, records: Sequence[TextRecord], *, actor: str, now: datetime) -> None:
    """The original's conditions, but for those of which no anchor is left."""
    domains, generators = {record.domain for record in records}, {record.generator for record in records}
    cells = [
        CellPlan(training, domain, generator)
        for training, domain, generator in plan.cells
        if (not domain or domain in domains) and (not generator or generator in generators)
    ]
    arms = [ArmPlan(training, reward) for training, reward in plan.arms]
    if cells:
        arrange(study, arms, cells, actor=actor, now=now)
