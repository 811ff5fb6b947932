"""Retention: from a channel's date on its worker ids cannot be traced to persons; event logs end after some days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.ids import public_id
from annotation.marketplace.invitations.sealed_ids import seal_people
from annotation.marketplace.models import (
    Channel,
    Document,
    Event,
    OneTimeLink,
    Participant,
    ParticipantIdentity,
    ProlificIdentity,
    PurgeMark,
    QueueMessage,
    SealedId,
    WorkerSession,
)


@dataclass(frozen=True)
class Purged:
    """Rows that were deleted (or would be): channels past their date, what was known of their people, log rows."""

    channels: int
    identities: int
    sessions: int
    events: int
    sign_in_logs: int


@transaction.atomic
def purge(*, now: datetime, dry_run: bool) -> Purged:
    """Delete what is past its date. The answers stay, under worker ids that no longer lead to anybody.

    A channel past its date is closed for ever: it could not recognise anybody. Notifications that wait to be sent
    stay, however old.
    """
    due = Channel.objects.filter(retain_until__lte=now, purged_at=None)
    channels = list(due.values_list("pk", flat=True))
    before = now - timedelta(days=settings.MARKETPLACE_EVENT_LOG_DAYS)
    identities, sessions = _forget_people(channels, now=now, dry_run=dry_run)
    _delete_unless_dry(SealedId.objects.filter(until__lte=now), dry_run)
    sessions += _delete_unless_dry(WorkerSession.objects.filter(expires_at__lte=now), dry_run)
    sessions += _delete_unless_dry(OneTimeLink.objects.filter(expires_at__lte=before), dry_run)
    events = sum(_delete_unless_dry(rows, dry_run) for rows in _events(before))
    logs = sum(
        _delete_unless_dry(model.objects.filter(attempt_time__lt=before), dry_run)
        for model in (AccessAttempt, AccessLog, AccessFailureLog)
    )
    if not dry_run:
        PurgeMark.objects.update_or_create(pk=1, defaults={"at": now, "identities": identities})
    return Purged(len(channels), identities, sessions, events, logs)


def _forget_people(channels: Sequence[int], *, now: datetime, dry_run: bool) -> tuple[int, int]:
    """Delete who the people of these channels are, and their open sessions; the channels end. How many of each."""
    if not dry_run:
        seal_people(Channel.objects.filter(pk__in=channels).order_by("pk"), now=now)
        forget_browsers(Participant.objects.filter(channel__in=channels))
    identities = _delete_unless_dry(ParticipantIdentity.objects.filter(channel__in=channels), dry_run)
    _delete_unless_dry(ProlificIdentity.objects.filter(submission__study__channel__in=channels), dry_run)
    sessions = _delete_unless_dry(WorkerSession.objects.filter(worker__channel__in=channels), dry_run)
    sessions += _delete_unless_dry(OneTimeLink.objects.filter(worker__channel__in=channels), dry_run)
    if not dry_run:
        Channel.objects.filter(pk__in=channels, closed_at=None).update(closed_at=now)
        Channel.objects.filter(pk__in=channels).update(purged_at=now)
    return identities, sessions


def forget_browsers(people: QuerySet[Participant]) -> None:
    """Give participants new ids: by the earlier ones the cookies of their browsers would still name them."""
    rows = list(people.only("pk", "participant_id"))
    for person in rows:
        person.participant_id = public_id()
    Participant.objects.bulk_update(rows, ["participant_id"], batch_size=500)


@transaction.atomic
def purge_study(channels: QuerySet[Channel], *, identities: int, now: datetime) -> int:
    """Delete at once who the people of a study's channels are; how many.

    identities: how many the requester was shown. Raises RequestRefusedError where there are other numbers by now.
    """
    keys = list(channels.select_for_update(no_key=True).filter(purged_at=None).values_list("pk", flat=True))
    deleted, _ = _forget_people(keys, now=now, dry_run=False)
    if deleted != identities:
        raise RequestRefusedError("RetentionChanged", "Other people are stored than were shown. Nothing was deleted.")
    Channel.objects.filter(pk__in=keys).update(retain_until=now)
    return deleted


def _events(before: datetime) -> list[QuerySet]:
    """Events with the documents they went out in, and what lies in queues."""
    settled = Q(delivered_at__isnull=False) | Q(given_up_at__isnull=False)
    sent = Document.objects.filter(settled, created_at__lt=before)
    return [
        Event.objects.filter(document__in=sent.values("pk")),
        sent,
        QueueMessage.objects.filter(sent_at__lt=before),
    ]


def _delete_unless_dry(rows: QuerySet, dry_run: bool) -> int:
    """How many rows there are; they are deleted unless it is a dry run."""
    number = rows.count()
    if number and not dry_run:
        rows.delete()
    return number
