"""What happened at Prolific comes into our rows: read by GET, written in one transaction, the same when read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from annotation.marketplace.invitations.sealed_ids import is_erased_session
from annotation.marketplace.models import (
    Channel,
    Participant,
    ParticipantIdentity,
    ProlificBonusBatch,
    ProlificBonusLine,
    ProlificIdentity,
    ProlificStudy,
    ProlificSubmission,
)
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.follow import APPROVED, SESSION
from annotation.marketplace.prolific.pay import uncharged_since
from annotation.marketplace.prolific.records import SessionRecord

# A study in this status is read less often: decisions on Prolific's own site may still change it.
COMPLETED, COMPLETED_PAUSE = "COMPLETED", 60
# The columns that a reading sets.
READ = ["status", "spent_minor", "fees_minor", "counts", "unknown_fields", "synced_at", "sync_error"]
UNREADABLE_COST = "Prolific's answer about the cost cannot be read: fees are estimated from the price at publishing."
UNKNOWN_SESSION = "Prolific does not know this person's submission."


def read_study(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    """Read the study, its cost and every submission. Raises ProlificError; nothing is written then."""
    record = client.get_study(study.prolific_id)
    cost = client.get_cost(study.prolific_id)
    rows = client.list_submissions(study.prolific_id)
    pause = timedelta(seconds=settings.PROLIFIC_POLL_SECONDS)
    study.status = record.status
    study.counts = dict(Counter(row.status for row in rows))
    study.unknown_fields = dict(record.unknown) | {f"submission.{name}": "" for row in rows for name in row.unknown}
    study.synced_at, study.sync_error = now, ""
    if cost.amount is not None and cost.fees is not None:
        study.spent_minor, study.fees_minor = cost.amount.units, cost.fees.units
    else:
        study.spent_minor, study.fees_minor = _estimated_cost(study, rows)
        study.sync_error = UNREADABLE_COST
    _store_rows(study, rows, now=now)
    is_over = record.status == COMPLETED and not uncharged_since(study, now=now)
    study.sync_due_at = now + (pause * COMPLETED_PAUSE if is_over else pause)
    study.save(update_fields=["sync_due_at"])


def _estimated_cost(study: ProlificStudy, rows: Sequence[SessionRecord]) -> tuple[int, int]:
    """What people were paid, and fees with tax in the proportion of the price at which the study was published."""
    bonuses = ProlificBonusLine.objects.filter(
        submission__study=study, batch__state=ProlificBonusBatch.State.KNOWN
    ).aggregate(sum=Sum("amount_minor"))["sum"]
    reward = study.reward_minor or 0
    paid = reward * sum(row.status == APPROVED for row in rows) + (bonuses or 0)
    planned = reward * (study.places or 0)
    return paid, round(paid * ((study.total_minor or 0) - planned) / planned) if planned else 0


@transaction.atomic
def _store_rows(study: ProlificStudy, rows: Sequence[SessionRecord], *, now: datetime) -> None:
    """Write what was read. The door waits: who arrives now is the person that a row names, not a second one."""
    channel = Channel.objects.select_for_update(no_key=True).get(pk=study.channel_id)
    if channel.purged_at is not None:
        return
    known = ProlificIdentity.objects.select_related("submission").filter(submission__study=study)
    by_session = {identity.session_id: identity.submission for identity in known}
    for row in rows:
        # Prolific's list goes on naming people who were erased here.
        if row.session_id in by_session or not is_erased_session(channel, row.session_id):
            store_row(study, row, by_session.get(row.session_id), now=now)
    _note_unknown(study, {row.session_id for row in rows}, now=now)
    study.save(update_fields=READ)


def store_row(
    study: ProlificStudy, row: SessionRecord, known: ProlificSubmission | None, *, now: datetime
) -> ProlificSubmission:
    """The submission of `row`, as it is now (`known`: as it is stored); the channel is locked."""
    submission = known or _submission_of(study, row, now)
    fields = {
        "status": row.status,
        "code": row.code or submission.code,
        "started_at": row.started_at or submission.started_at,
        "completed_at": row.completed_at or submission.completed_at,
        "return_requested_at": row.return_requested_at or submission.return_requested_at,
        "paid_minor": (study.reward_minor or 0) if row.status == APPROVED else submission.paid_minor,
        "note": "" if submission.note == UNKNOWN_SESSION else submission.note,
    }
    changed = [name for name, value in fields.items() if getattr(submission, name) != value]
    for name in changed:
        setattr(submission, name, fields[name])
    if changed:
        submission.save(update_fields=changed)
    return submission


def _submission_of(study: ProlificStudy, row: SessionRecord, now: datetime) -> ProlificSubmission:
    """Of a session that was not seen before: the row of its person that waits for it, or a new one."""
    person = _person_of(study, row, now)
    # Who came with another session id, or with none: that row was waiting for this one.
    unseen = ProlificSubmission.objects.filter(study=study, participant=person, status="").first()
    submission = unseen or ProlificSubmission.objects.create(study=study, participant=person, created_at=now)
    ProlificIdentity.objects.update_or_create(submission=submission, defaults={"session_id": row.session_id})
    return submission


def _person_of(study: ProlificStudy, row: SessionRecord, now: datetime) -> Participant:
    """Who a row is about: known by their id since they came, or by an earlier row; else known from now on."""
    known = ParticipantIdentity.objects.select_related("participant").filter(channel=study.channel_id)
    identity = known.filter(external_id=row.participant_id).first() if row.participant_id else None
    if identity is not None:
        return identity.participant
    person = Participant.objects.create(channel_id=study.channel_id, created_at=now)
    ParticipantIdentity.objects.create(participant=person, channel_id=study.channel_id, external_id=row.participant_id)
    return person


def _note_unknown(study: ProlificStudy, sessions: set[str], *, now: datetime) -> None:
    """Rows for people who came to the door and whom Prolific's list does not name."""
    arrived = Participant.objects.filter(channel=study.channel_id, began_at__isnull=False, prolific_submissions=None)
    for person in arrived.select_related("identity"):
        session = person.identity.panel_ids.get(SESSION, "") if hasattr(person, "identity") else ""
        submission = ProlificSubmission.objects.create(
            study=study, participant=person, note=UNKNOWN_SESSION, created_at=now
        )
        if session and session not in sessions and not ProlificIdentity.objects.filter(session_id=session).exists():
            ProlificIdentity.objects.create(submission=submission, session_id=session)
