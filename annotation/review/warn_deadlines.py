"""Deadlines: people of a study are written to before the marketplace approves work that nobody has seen."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.core.mail import send_mail
from django.db.models import Q

from annotation.models import Role, Study
from annotation.review import deadlines

log = logging.getLogger(__name__)
BEFORE = timedelta(hours=24)
PAUSE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Warned:
    """Addresses that were written to, and submissions that it was about."""

    addresses: int
    submissions: int


def warn(study: Study, *, now: datetime) -> Warned:
    """Write at most once in twelve hours, to all who may decide, about work that is approved within a day.

    A mail that cannot be sent is logged and tried at the next pass; nothing else depends on it.
    """
    due = deadlines.deadlines(study, now=now, within=BEFORE)
    people = study.memberships.filter(role__in=[Role.OWNER, Role.EDITOR, Role.REVIEWER]).exclude(user__email="")
    addresses = sorted(set(people.values_list("user__email", flat=True)))
    if not due.soon or not addresses:
        return Warned(0, due.soon)
    mine = Study.objects.filter(Q(warned_at=None) | Q(warned_at__lte=now - PAUSE), pk=study.pk)
    if not mine.update(warned_at=now):
        return Warned(0, due.soon)
    subject = f"{study.name}: {due.soon} submissions will be approved unseen"
    body = (
        f"{due.soon} submissions of {study.name} wait for a decision. The marketplace approves the first of them "
        f"at {due.first:%Y-%m-%d %H:%M} UTC, whatever they are worth; until then you can review them.\n"
    )
    try:
        send_mail(subject, body, None, addresses)
    except (SMTPException, OSError):
        log.exception("The people of %s could not be written to", study.name)
        Study.objects.filter(pk=study.pk, warned_at=now).update(warned_at=study.warned_at)
        return Warned(0, due.soon)
    return Warned(len(addresses), due.soon)
