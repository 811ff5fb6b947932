"""The tag under which a study's HITs are open by channels."""

from __future__ import annotations

import re
from datetime import datetime

from django.db import transaction

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Cell, Intent, Role, Study


def tag_of(study: Study) -> str:
    """The study's name as a keyword may hold it, and a part of its random id; once fixed it stays as it is."""
    plain = re.sub("[^a-z0-9]+", "-", study.name.lower()).strip("-")[:40]
    return study.channel_tag or f"{plain or 'study'}-{study.uuid.hex[:8]}"


def require_recruitable(study: Study) -> None:
    """Raises StateError where no channel can lead to `study`: imported, over, archived, or published to everybody."""
    if study.mode == Study.Mode.IMPORTED:
        raise StateError(f"The study {study.name} was imported, so it takes no participants.")
    if study.archived_at is not None:
        raise StateError(f"The study {study.name} is archived. Unarchive it, then recruit.")
    if study.status in {Study.Status.ENDING, Study.Status.CLOSED}:
        raise StateError(f"The study {study.name} has ended, so it takes no new people.")
    if not study.channel_tag and study.intents.filter(kind=Intent.Kind.CREATE_HIT).exists():
        raise StateError(
            f"The study {study.name} was published to every registered account, so it has no channels. "
            "Duplicate it and open its channels before you publish the copy."
        )


def role_for_retention(study: Study) -> Role:
    """Who may set the date on which names and ids of the people of a channel are deleted, as the page Members says."""
    return Role.EDITOR if study.status == Study.Status.DRAFT else Role.OWNER


def limit_per_person(study: Study) -> str:
    """What of `study` one person does at most: one "task", the tasks of one "condition", or "" for all of it."""
    if study.once:
        return "task"
    return "condition" if Cell.objects.filter(arm__study=study).count() > 1 else ""


def require_shared_texts(study: Study, overlap: int | None) -> None:
    """Raises StateError at `overlap` where no team can share the texts of `study` so that `overlap` rate each."""
    if overlap is None:
        return
    limit = limit_per_person(study)
    if limit == "task":
        problem = "In this study each person does one task, so a team cannot share its texts."
        raise StateError(f"{problem} Turn that off in the design, or leave the number empty.").at("overlap")
    if limit == "condition":
        problem = "In this study each person is in one condition, so a team cannot share its texts."
        raise StateError(f"{problem} Leave the number empty.").at("overlap")
    if overlap > study.raters_per_text:
        problem = f"Each text has {study.raters_per_text} raters in this study, so at most {study.raters_per_text}"
        raise StateError(f"{problem} of the team rate it.").at("overlap")


def fix_tag(study: Study, tag: str, *, actor: str, now: datetime, **facts: object) -> None:
    """Fix the tag of `study` with the audit row of its first channel; every later channel writes its row alone.

    Raises StateError where the study has been published to everybody since.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        require_recruitable(locked)
        if not locked.channel_tag:
            Study.objects.filter(pk=study.pk).update(channel_tag=tag)
        study.channel_tag = locked.channel_tag or tag
        AuditEvent.objects.record(study, "open_channel", actor=actor, now=now, **facts)
