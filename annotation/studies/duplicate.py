"""Duplicate a study: a new draft with its design and task text, and with its texts where that is requested."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import (
    Arm,
    AuditEvent,
    Cell,
    Generator,
    Likelihood,
    Membership,
    Role,
    Study,
    StudyWording,
)
from annotation.studies.copy_texts import copy_rows, copy_texts
from annotation.studies.rename import check_name

# Texts and log probabilities: 8,000 took 0.1 s on SQLite and 0.9 s on PostgreSQL, on a busy machine. More is a job.
MAX_AT_ONCE = 5_000
# As large as a seed may be typed on the design page.
SEEDS = 2**31
# What belongs to the run of a study and not to its design: money, decisions, the address that people came by, dates.
OF_THE_RUN = frozenset(
    [
        "id",
        "uuid",
        "name",
        "mode",
        "status",
        "reserved_cents",
        "spent_cents",
        "channel_tag",
        "arm_assignment",
        "draw_seed",
        "warned_at",
        "retain_until",
        "archived_at",
        "created_at",
        "seed",
    ]
)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The new study, and how many texts and conditions it has."""

    study: Study
    texts: int
    conditions: int


def takes_long(study: Study, *, with_texts: bool) -> bool:
    """Whether duplicating the study is a job rather than a part of a request."""
    if not with_texts:
        return False
    return study.texts.count() + Likelihood.objects.filter(text__study=study).count() > MAX_AT_ONCE


def check_copy(study: Study, name: str) -> None:
    """Raise DesignError or StateError where `name` cannot be used, StateError for an imported study."""
    if study.mode == Study.Mode.IMPORTED:
        raise StateError(f"The study {study.name} was imported. Its tasks come from its file: import the file again.")
    check_name(name)


def duplicate(
    study: Study,
    name: str,
    *,
    owner: User | None,
    with_texts: bool,
    keep_seed: bool,
    actor: str,
    now: datetime,
    on_store: Callable[[Duplicate], None] | None = None,
) -> Duplicate:
    """Create a draft rehearsal called `name` with the design of `study`, which `owner` owns.

    Copied: every design setting, the task text in use with its training items, trainings, and conditions. Conditions of
    one domain or generator are copied only together with the texts. Not copied: members, submissions, decisions, money,
    the invitation, the log, study details and the retention date. on_store: called last in the same transaction; what
    it raises undoes everything.

    Raises DesignError or StateError where the name cannot be used, StateError for an imported study.
    """
    with transaction.atomic():
        check_copy(study, name)
        copy = Study(
            name=name,
            mode=Study.Mode.REHEARSAL,
            seed=study.seed if keep_seed else secrets.randbelow(SEEDS),
            arm_assignment=Study.ArmAssignment.CHOSEN,
            **{field: getattr(study, field) for field in design_fields()},
        )
        copy.save(force_insert=True)
        last = study.wordings.last()
        if last is not None:
            StudyWording.objects.create(study=copy, version=1, digest=last.digest, body=last.body, created_at=now)
        generators = copy_texts(study, copy) if with_texts else {}
        conditions = _copy_conditions(study, copy, generators, with_texts=with_texts)
        if owner is not None:
            Membership.objects.create(study=copy, user=owner, role=Role.OWNER)
        facts = {"of": study.name, "of_uuid": str(study.uuid), "with_texts": with_texts, "same_seed": keep_seed}
        AuditEvent.objects.record(copy, "duplicate", actor=actor, now=now, **facts)
        done = Duplicate(copy, copy.texts.count(), conditions)
        if on_store is not None:
            on_store(done)
    return done


def design_fields() -> list[str]:
    """Return the names of the study's columns that a duplicate takes over."""
    return [field.name for field in Study._meta.concrete_fields if field.name not in OF_THE_RUN]


def _copy_conditions(study: Study, copy: Study, generators: dict[int, Generator], *, with_texts: bool) -> int:
    arms = copy_rows(Arm.objects.filter(study=study), study=copy)
    cells = Cell.objects.filter(arm__study=study).order_by("pk")
    if not with_texts:
        cells = cells.filter(domain="", generator=None)
    rows = [
        Cell(arm=arms[cell.arm_id], domain=cell.domain, generator=generators.get(cell.generator_id or 0))
        for cell in cells
    ]
    Cell.objects.bulk_create(rows)
    return len(rows)
