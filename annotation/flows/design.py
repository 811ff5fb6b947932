"""Design a study: its texts dealt into HITs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, HitItem, Study
from annotation.packing import Packable, pack
from annotation.pricing.fees import fee_cents


@dataclass(frozen=True, slots=True)
class Design:
    """What was laid out, and the most it can cost."""

    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents


def design(study: Study, *, actor: str, now: datetime) -> Design:
    """Deal the study's texts into HITs, sources interleaved, by the study's seed.

    Raises StateError unless the study is a draft without HITs, DesignError when the texts do not fit.
    """
    texts = [
        Packable(key=pk, group=generator or "", context=context)
        for pk, generator, context in study.texts.judged()
        .order_by("pk")
        .values_list("pk", "generator__name", "context_id")
    ]
    packed = pack(texts, per_hit=study.texts_per_hit, seed=study.seed)
    with transaction.atomic():
        _require_undesigned(study)
        _store(study, packed)
        AuditEvent.objects.record(study, "design", actor=actor, now=now, hits=len(packed), texts=len(texts))
    fee = fee_cents(study.reward_cents, max_assignments=study.raters_per_text)
    assignments = len(packed) * study.raters_per_text
    return Design(len(packed), assignments, assignments * study.reward_cents, assignments * fee)


def _require_undesigned(study: Study) -> None:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.status != Study.Status.DRAFT or locked.hits.exists():
        raise StateError(f"The study {study.name} already has its HITs.")


def _store(study: Study, packed: list[list[int]]) -> None:
    arm, _ = study.arms.get_or_create(training="none")
    cell, _ = arm.cells.get_or_create(domain="")
    hits = Hit.objects.bulk_create(
        Hit(study=study, cell=cell, slot=slot, max_assignments=study.raters_per_text) for slot in range(len(packed))
    )
    HitItem.objects.bulk_create(
        HitItem(hit=hit, text_id=key, position=position)
        for hit, keys in zip(hits, packed, strict=True)
        for position, key in enumerate(keys)
    )
