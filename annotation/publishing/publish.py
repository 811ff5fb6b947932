"""Publish a study: one intent per HIT, its money reserved, both written with the decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation import ledger
from annotation.design.kinds import kind_called
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Hit, Intent, Study
from annotation.recruiting.study_tag import tag_of
from annotation.studies.preregistration import plan_of
from annotation.workers import participation


@dataclass(frozen=True, slots=True)
class Publication:
    """How many HITs will be created; `already`: how many had been requested before. Cents reserved now."""

    intended: int
    already: int
    reserved_cents: int = 0


def publish(study: Study, *, actor: str, now: datetime, by_invitation: bool = False, wave: bool = False) -> Publication:
    """Intend every HIT of the study. Safe to run twice: what was intended before stays one intent.

    `wave`: only the next cell's, once nobody can enter the cell before, for marketplaces that do not keep people apart.
    `by_invitation`: under a tag of the study's name, which channels of the marketplace open to invited people.
    Raises StateError when the study has no HITs, is over or imported, or was published openly before; BudgetError when
    rewards and fees of all places do not fit into its budget, DesignError where its kind of task is not installed.
    """
    kind_called(study.task)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        hits = list(locked.hits.select_related("cell__arm__study").order_by("slot"))
        _require_open(locked, hits)
        known = set(locked.intents.filter(kind=Intent.Kind.CREATE_HIT).values_list("subject", flat=True))
        if by_invitation and known and not locked.channel_tag:
            problem = f"The study {study.name} was published to everybody. This cannot be undone."
            raise StateError(problem).at("by_invitation")
        if by_invitation and not known:
            study.channel_tag = tag_of(locked)
            Study.objects.filter(pk=study.pk).update(channel_tag=study.channel_tag)
        new = participation.next_wave(locked, hits, known) if wave else [hit for hit in hits if hit.pk not in known]
        reserved = _intend(locked, new, actor=actor, now=now) if new else 0
        if wave and new:
            study.arm_assignment = Study.ArmAssignment.WAVES
            Study.objects.filter(pk=study.pk).update(arm_assignment=study.arm_assignment)
        if locked.status == Study.Status.DRAFT:
            Study.objects.filter(pk=study.pk).update(status=Study.Status.PUBLISHED)
            study.status = Study.Status.PUBLISHED
    return Publication(len(new), len(known), reserved)


def _require_open(study: Study, hits: list[Hit]) -> None:
    if not hits:
        raise StateError(f"The study {study.name} has no tasks yet. Create them first.")
    if study.archived_at is not None:
        raise StateError(f"The study {study.name} is archived. Unarchive it, then publish it.")
    over = study.status in {Study.Status.ENDING, Study.Status.CLOSED}
    if study.mode == Study.Mode.IMPORTED or over:
        raise StateError(f"The study {study.name} is {study.mode} and {study.status}; it cannot be published.")


def _intend(study: Study, hits: list[Hit], *, actor: str, now: datetime) -> int:
    intents = Intent.objects.bulk_create(
        Intent.of(study, Intent.Kind.CREATE_HIT, hit.pk, slot=str(hit.slot)) for hit in hits
    )
    ledger.fix_fees(hits)
    promises = [
        (intent, hit.max_assignments * ledger.place_cost(hit).total) for intent, hit in zip(intents, hits, strict=True)
    ]
    reserved = ledger.reserve(study, promises, now=now)
    # The plan goes into the log once, before there are data.
    plan = {"plan": plan_of(study)} if study.status == Study.Status.DRAFT else {}
    AuditEvent.objects.record(study, "publish", actor=actor, now=now, hits=len(hits), reserved_cents=reserved, **plan)
    return reserved
