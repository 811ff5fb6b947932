"""Design a study: its texts dealt into the HITs of each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation import ledger
from annotation.design.kinds import kind_called, labels_of
from annotation.design.layout import Page, Place, Rules, lay_out
from annotation.design.packing import Packable
from annotation.design.wording import from_json
from annotation.exceptions import DesignError, StateError
from annotation.models import AttentionCheck, AuditEvent, Cell, Hit, HitItem, Study, StudyWording, Text
from annotation.pricing.fees import max_cents

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Design:
    """The tasks of a study, and the most they can cost."""

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int
    cells: int = 1

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents


# A page and the API deal so many texts at once; more are a job.
MAX_TEXTS_AT_ONCE = 2_000


def takes_long(study: Study) -> bool:
    """Whether dealing the texts is a job rather than a part of a request."""
    return study.texts.judged().count() > MAX_TEXTS_AT_ONCE


def design(study: Study, *, actor: str, now: datetime) -> Design:
    """Deal the study's texts into HITs, cell by cell, by the study's seed.

    A study without cells gets one: no training, every domain, every generator. Raises StateError unless the study is a
    draft without HITs, DesignError when the texts do not fit.
    """
    return store_design(study, deal_texts(study), actor=actor, now=now)


@dataclass(frozen=True, slots=True)
class Dealt:
    """Pages by cell (none: the one of a study without cells), and what of the study they were made from."""

    wording: StudyWording
    cells: Sequence[Cell]
    pages: Sequence[list[Page]]
    inputs: Sequence[Any]


def deal_texts(study: Study, progress: Progress | None = None) -> Dealt:
    """Deal the texts without storing anything. progress: called with step, done and of. Raises as `design`."""
    wording = study.wordings.last()
    if wording is None:
        raise StateError(f"The study {study.name} has no task text yet.")
    _require_undesigned(study)
    inputs = _inputs(study)
    cells = list(Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk"))
    pages = []
    for number, cell in enumerate(cells or [None]):
        pages.append(_pages(study, cell, number, wording, _cell_progress(progress, number + 1, len(cells or [None]))))
    if progress is not None:
        progress("Storing the tasks", 0, 0)
    return Dealt(wording, cells, pages, inputs)


def _cell_progress(progress: Progress | None, number: int, of: int) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    step = "Dealing the texts" if of == 1 else f"Dealing the texts of condition {number} of {of}"
    return lambda done, texts: progress(step, done, texts)


def store_design(study: Study, dealt: Dealt, *, actor: str, now: datetime) -> Design:
    """Store what was dealt: all of it or nothing. Raises StateError where the study has changed since."""
    with transaction.atomic():
        _require_undesigned(Study.objects.select_for_update().get(pk=study.pk))
        if _inputs(study) != dealt.inputs:
            raise StateError(f"The study {study.name} changed while its tasks were created. Create them again.")
        cells = dealt.cells or [_plain_cell(study)]
        hits = _store(study, list(zip(cells, dealt.pages, strict=True)), dealt.wording)
        stored = _cost(study, hits, len(cells))
        AuditEvent.objects.record(
            study, "design", actor=actor, now=now, hits=len(hits), texts=study.texts.judged().count(), cells=len(cells)
        )
    return stored


def _require_undesigned(study: Study) -> None:
    if study.status != Study.Status.DRAFT or study.hits.exists():
        raise StateError(f"The study {study.name} already has its HITs.")


def _inputs(study: Study) -> list[Any]:
    """Everything that a layout is made from, as it is stored now."""
    texts = study.texts.judged().order_by("pk")
    return [
        rules_of(Study.objects.get(pk=study.pk)),
        study.wordings.values_list("pk", flat=True).last(),
        list(Cell.objects.filter(arm__study=study).order_by("pk").values_list("pk", "domain", "generator")),
        list(texts.values_list("pk", "domain", "source", "generator", "context", "known_label")),
    ]


def _plain_cell(study: Study) -> Cell:
    arm, _ = study.arms.get_or_create(training="none")
    return arm.cells.get_or_create(domain="", generator=None)[0]


def rules_of(study: Study) -> Rules:
    """The study's rules, as the layout takes them."""
    return Rules(
        per_hit=study.texts_per_hit,
        raters=study.raters_per_text,
        seed=study.seed,
        evaluators=study.evaluators_per_cell,
        mix=study.mix,  # type: ignore[arg-type]
        references=study.references_per_hit,
        gold=study.gold_per_hit,
        repeats=study.repeats_per_hit,
        checks=study.checks_per_hit,
        in_nines=study.in_nines,
    )


def _pages(
    study: Study,
    cell: Cell | None,
    number: int,
    wording: StudyWording,
    progress: Callable[[int, int], None] | None,
) -> list[Page]:
    selected = study.texts.judged().order_by("pk")
    if cell is not None and cell.domain:
        selected = selected.filter(domain=cell.domain)
    if cell is not None and cell.generator is not None:
        selected = selected.filter(generator=cell.generator) | selected.filter(source=Text.Source.REFERENCE)
    rows = list(selected.values_list("pk", "generator__name", "context_id", "known_label"))
    texts = [
        Packable(key=pk, group=generator or "", context=context) for pk, generator, context, known in rows if not known
    ]
    gold = [pk for pk, _, _, known in rows if known]
    labels = _labels(wording)
    strange = sorted({known for _, _, _, known in rows if known and known not in labels})
    if strange and study.gold_per_hit:
        raise DesignError(
            f"The known answer {strange[0]!r} of a gold text is not a label of {study.name}; its labels are: "
            f"{', '.join(labels)}."
        )
    if not texts:
        raise DesignError(
            f"The condition {cell} of {study.name} has no texts." if number else "The study has no texts."
        )
    kind = kind_called(study.task)
    return lay_out(
        texts,
        rules_of(study),
        cell=number,
        gold=gold,
        labels=len(labels),
        shown=kind.texts_shown,
        in_order=kind.in_order,
        single_generated=kind.single_generated,
        progress=progress,
    )


def _labels(wording: StudyWording) -> list[str]:
    words = from_json(wording.body)
    return [label for label, _, _ in labels_of(words, words.criteria[0])]


def _store(study: Study, pages: Sequence[tuple[Cell, list[Page]]], wording: StudyWording) -> list[Hit]:
    labels = _labels(wording)
    hits: list[Hit] = []
    lines: list[tuple[Place, ...]] = []
    page_number = 0
    for cell, cell_pages in pages:
        for page in cell_pages:
            for places in page.places:
                hits.append(
                    Hit(
                        study=study,
                        cell=cell,
                        slot=len(hits),
                        page=page_number,
                        max_assignments=places,
                        wording=wording,
                    )
                )
                lines.append(page.lines)
            page_number += 1
    stored = Hit.objects.bulk_create(hits)
    HitItem.objects.bulk_create(
        HitItem(hit=hit, text_id=line.key, partner_id=line.partner, position=position, role=line.role)
        for hit, page_lines in zip(stored, lines, strict=True)
        for position, line in enumerate(page_lines)
        if line.role != "check"
    )
    AttentionCheck.objects.bulk_create(
        AttentionCheck(hit=hit, position=position, expected=labels[line.key])
        for hit, page_lines in zip(stored, lines, strict=True)
        for position, line in enumerate(page_lines)
        if line.role == "check"
    )
    return stored


def _cost(study: Study, hits: Sequence[Hit], cells: int) -> Design:
    rewards, fees = max_cents(
        ((hit.max_assignments, hit.cell.reward_cents) for hit in hits), fees=ledger.endpoint_fees()
    )
    return Design(len(hits), sum(hit.max_assignments for hit in hits), rewards, fees, cells)
