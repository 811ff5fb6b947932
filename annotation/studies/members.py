"""Who may see and change a study."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Membership, Role, Study


def enrol(study: Study, user: User, role: str | None, *, actor: str, now: datetime, why: str = "") -> None:
    """Give `user` a role on the study, in place of the one held; None takes it away. why: for the log.

    Raises StateError where nobody would own the study any more.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        held = Membership.objects.filter(study=study)
        if role != Role.OWNER and not held.filter(role=Role.OWNER).exclude(user=user).exists():
            raise StateError("A study has at least one owner.").at("role")
        if role is None:
            held.filter(user=user).delete()
        else:
            Membership.objects.update_or_create(study=study, user=user, defaults={"role": Role(role)})
        details = {"user": user.get_username(), "role": role or "none"} | ({"why": why} if why else {})
        AuditEvent.objects.record(study, "enrol", actor=actor, now=now, **details)
