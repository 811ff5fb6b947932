"""Change the training items of a draft: each change is a new version of the task text, with a line in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from annotation.design import training_items
from annotation.design.training_items import Item, count_items
from annotation.design.wording import Training, Wording, from_json
from annotation.exceptions import ChangedError, DesignError, StateError
from annotation.models import AuditEvent, Study, StudyWording
from annotation.studies.create import reword


def current_wording(study: Study, version: int | None = None) -> tuple[StudyWording, Wording]:
    """The version of the task text in use, or the one with that number. Raises StateError where there is none."""
    stored = study.wordings.last() if version is None else study.wordings.filter(version=version).first()
    if stored is None:
        raise StateError(f"The study {study.name} has no such version of its task text.")
    return stored, from_json(stored.body)


def add_item(
    study: Study, arm: str, item: Item, *, version: int | None = None, actor: str, now: datetime
) -> StudyWording:
    """Add an item as the last one of its training. See `change_training`."""
    return change_training(
        study,
        lambda training: training_items.add_item(training, arm, item),
        change=f"add {arm}",
        version=version,
        actor=actor,
        now=now,
    )


def replace_item(
    study: Study, arm: str, number: int, item: Item, *, version: int | None = None, actor: str, now: datetime
) -> StudyWording:
    """Put an item in the place of the one with that number. See `change_training`."""
    return change_training(
        study,
        lambda training: training_items.replace_item(training, arm, number, item),
        change=f"edit {arm} {number}",
        version=version,
        actor=actor,
        now=now,
    )


def remove_item(
    study: Study, arm: str, number: int, *, version: int | None = None, actor: str, now: datetime
) -> StudyWording:
    """Remove the item with that number. See `change_training`."""
    return change_training(
        study,
        lambda training: training_items.remove_item(training, arm, number),
        change=f"remove {arm} {number}",
        version=version,
        actor=actor,
        now=now,
    )


def move_item(
    study: Study, arm: str, number: int, *, to: int, version: int | None = None, actor: str, now: datetime
) -> StudyWording:
    """Move the item with that number to the place `to`. See `change_training`."""
    return change_training(
        study,
        lambda training: training_items.move_item(training, arm, number, to=to),
        change=f"move {arm} {number} to {to}",
        version=version,
        actor=actor,
        now=now,
    )


def import_items(
    study: Study, items: Training, *, append: bool = False, version: int | None = None, actor: str, now: datetime
) -> StudyWording:
    """Take the items of a file: in place of those of each training that the file has, or after them.

    See `change_training`. Raises DesignError where there is no item.
    """
    if not any(count_items(items).values()):
        raise DesignError("The file has no training items.").at("file")
    combine = training_items.append_arms if append else training_items.replace_arms
    return change_training(
        study, lambda training: combine(training, items), change="import", version=version, actor=actor, now=now
    )


def restore_items(study: Study, older: int, *, version: int | None = None, actor: str, now: datetime) -> StudyWording:
    """Take the training items of an older version of the task text; its other words stay as they are in use."""
    training = current_wording(study, older)[1].training
    return change_training(study, lambda _: training, change=f"restore {older}", version=version, actor=actor, now=now)


def change_training(
    study: Study,
    edit: Callable[[Training], Training],
    *,
    change: str,
    version: int | None = None,
    actor: str,
    now: datetime,
) -> StudyWording:
    """Store the edited training as a new version of the task text. Tasks that had the version in use get the new one.

    version: the version that the editor saw; another one in use means that it was changed meanwhile.

    Raises StateError once the study is published: people have read its items. Raises ChangedError for an older
    `version`.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status != Study.Status.DRAFT:
            raise StateError(
                f"The study {study.name} is published, so its training items can no longer change. Duplicate the study "
                "to change them in the copy."
            )
        before, wording = current_wording(study)
        if version is not None and version != before.version:
            raise ChangedError(
                f"The task text was changed meanwhile: version {before.version} is in use, and you edited version "
                f"{version}. Nothing was saved. Look at the items again, then repeat your change."
            )
        training = edit(wording.training)
        if training == wording.training:
            return before
        stored = reword(study, replace(wording, training=training), now=now)
        study.hits.filter(wording=before).update(wording=stored)
        AuditEvent.objects.record(
            study,
            "change_training",
            actor=actor,
            now=now,
            change=change,
            version=stored.version,
            digest=stored.digest,
            items=count_items(training),
        )
    return stored
