"""Mailing invitations, by the mail back end of the settings."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotation.marketplace.invitations.channel_plan import LinkPlan
from annotation.marketplace.invitations.open_channel import link_for
from annotation.marketplace.models import Channel, Participant

log = logging.getLogger(__name__)
# Stands for a mail server where none is set: it writes mails to the terminal.
NO_SERVER = "django.core.mail.backends.console.EmailBackend"


# A requester's mails go to people who may not know them: so many in 24 hours, and one to each person.
MAX_A_DAY = 500
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Mailed:
    """Mails that were sent, and people left over: the mail server failed, or the mails of a day are used up."""

    sent: int
    left: int


def can_mail() -> bool:
    """Whether mails leave this site."""
    return settings.EMAIL_BACKEND != NO_SERVER


def send(channel: Channel, plan: LinkPlan, *, again: bool, now: datetime) -> Mailed:
    """Mail a personal link to everybody invited with an address who was not mailed yet.

    `again`: a reminder to those who were mailed a day ago or earlier and have neither begun nor declined. Each mail
    carries a link of its own (a stored token cannot be read back); earlier links go on working. What is sent is noted
    mail by mail, so that a run that was broken off is simply run again.
    """
    rows = Participant.objects.filter(channel=channel, began_at=None, declined_at=None, mailed_at__isnull=not again)
    if again:
        rows = rows.filter(mailed_at__lte=now - DAY)
    today = Participant.objects.filter(channel__requester=channel.requester, mailed_at__gt=now - DAY).count()
    waiting = list(rows.exclude(identity=None).exclude(identity__email="").select_related("identity", "channel"))
    sent = 0
    try:
        with get_connection() as connection:
            for person in waiting[: max(0, MAX_A_DAY - today)]:
                _letter(person, link_for(person, plan, now=now), again, connection).send()
                Participant.objects.filter(pk=person.pk).update(mailed_at=now)
                sent += 1
    except (SMTPException, OSError) as error:
        log.warning("Invitations of the channel %s could not be mailed: %s", channel.channel_id, type(error).__name__)
    return Mailed(sent, len(waiting) - sent)


def _letter(person: Participant, link: str, again: bool, connection: BaseEmailBackend) -> EmailMessage:
    channel = person.channel
    context = {"channel": channel, "requester": channel.requester, "person": person, "link": link, "again": again}
    subject = _("Reminder: invitation to a study") if again else _("Invitation to a study")
    return EmailMessage(
        f"{subject}: {' '.join(str(channel).split())}",
        render_to_string("marketplace/channels/invitation.txt", context),
        to=[person.identity.email],
        connection=connection,
        headers={"Auto-Submitted": "auto-generated"},
    )
