"""Rename a study."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Study


def rename(study: Study, name: str, *, actor: str, now: datetime) -> bool:
    """Call the study `name` from now on; False where it is called so already.

    The name inside what was published or written before (keywords of tasks, files, the log) stays as it was: the study
    is found by its uuid, never by its name.

    Raises DesignError for a name of other characters than a new study may have, StateError where it is taken, and where
    groups of an identity provider have roles by either name: they would come to lie on another study.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        before = locked.name
        if before == name:
            return False
        check_name(name)
        for pinned in {before, name} & {study_name for _, _, study_name in settings.OIDC_ROLES}:
            sentence = (
                f"Groups have roles on the study called {pinned} (OIDC_ROLES), so no study can be renamed from or"
            )
            raise StateError(f"{sentence} to it. The operator of this installation can change that.").at("name")
        locked.name = name
        locked.save(update_fields=["name"])
        AuditEvent.objects.record(locked, "rename", actor=actor, now=now, before=before, after=name)
    study.name = name
    return True


def check_name(name: str) -> None:
    """Raise DesignError where a study cannot be called `name`, StateError where another one is."""
    try:
        Study._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise DesignError(f"The name {name[:100]!r} cannot be used: {' '.join(error.messages)}").at("name") from error
    if Study.objects.filter(name=name).exists():
        raise StateError(f"There is already a study called {name}.").at("name")
