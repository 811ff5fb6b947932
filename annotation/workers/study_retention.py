"""What is stored of the people of one study, until when, and its deletion."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.design.configure import configure
from annotation.exceptions import ChangedError, StateError
from annotation.models import AuditEvent, Device, HousekeepingMark, Participation, Study, WorkerIdentity
from annotation.mturk import payouts as calls
from annotation.mturk.client import Market
from annotation.mturk.payouts import RetentionState
from annotation.workers.payouts import market_of_payouts
from annotation.workers.retention import forget_draws

RUNNING = frozenset({Study.Status.PUBLISHED, Study.Status.PAUSED, Study.Status.ENDING})
# How often the loop looks for what is past its date.
PURGE_EVERY = timedelta(minutes=10)


def market_of_people(study: Study) -> Market | None:
    """Where the marketplace stores people of the study whom a call by its tag reaches; None where it stores none."""
    if not study.channel_tag:
        return None
    market = market_of_payouts()
    return market if market.ours else None


@dataclass(frozen=True, slots=True)
class StoredIds:
    """Worker ids of a study on this side: all, those that deleting would delete, and device codes."""

    workers: int
    only_of_study: int
    devices: int


def stored_ids(study: Study, *, now: datetime) -> StoredIds:
    """Count what is stored of the people of a study. Ids of people who are in another study that keeps them stay."""
    identities = WorkerIdentity.objects.filter(worker__participations__study=study)
    return StoredIds(
        identities.count(),
        _deletable(study, now).count(),
        Device.objects.filter(submission__hit__study=study).count(),
    )


def _deletable(study: Study, now: datetime) -> QuerySet[WorkerIdentity]:
    """Ids of people all of whose other studies are past their date."""
    elsewhere = Participation.objects.filter(worker=OuterRef("worker")).exclude(study=study)
    unexpired = elsewhere.filter(Q(study__retain_until=None) | Q(study__retain_until__gt=now))
    return WorkerIdentity.objects.filter(worker__participations__study=study).exclude(Exists(unexpired))


def set_retention_date(
    study: Study,
    until: datetime | None,
    *,
    market: Market | None,
    actor: str,
    now: datetime,
    once_until: datetime | None = None,
) -> None:
    """Set the date of the study and of all its channels; None: ids are stored until somebody deletes them.

    once_until: until then hashes of the deleted ids keep people from taking part a second time; they lead to no answer.

    Raises StateError for a date that is past. The study's date is set only where the marketplace took it.
    """
    if until is not None and until <= now:
        raise StateError("Enter a date in the future. To delete at once, use the button below.").at("retain_until")
    if once_until is not None and (market is None or until is None or once_until <= until):
        raise StateError("A sealed list needs a channel at our marketplace, and a date after the retention date.").at(
            "once_until"
        )
    if market is not None and study.channel_tag:
        calls.set_retention(market, study.channel_tag, until, once_until=once_until)
    configure(study, {"retain_until": until}, actor=actor, now=now)


def delete_ids(
    study: Study, *, workers: int, identities: int, market: Market | None, actor: str, now: datetime
) -> None:
    """Delete at once who the people of the study are, on the marketplace and here.

    workers, identities: how many the page showed. Raises StateError while the study runs, ChangedError where other
    numbers are stored or somebody is still owed something; then nothing was deleted.
    """
    _require_deletable(study, workers, now)
    # Outside a transaction: on SQLite the marketplace would wait for this side's lock, and this side for its answer.
    if market is not None and study.channel_tag:
        calls.purge_study(market, study.channel_tag, identities=identities)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        rows = list(_deletable(locked, now).values_list("pk", flat=True))
        WorkerIdentity.objects.filter(pk__in=rows).delete()
        forget_draws(study.draws.all())
        Study.objects.filter(pk=study.pk).update(retain_until=now)
        facts = {"workers": len(rows), "identities": identities}
        AuditEvent.objects.record(study, "delete_ids", actor=actor, now=now, **facts)


def _require_deletable(study: Study, workers: int, now: datetime) -> None:
    study.refresh_from_db(fields=["status", "channel_tag"])
    if study.status in RUNNING and study.mode != Study.Mode.IMPORTED:
        raise StateError(
            f"The study {study.name} is {study.get_status_display()}. Close it first: until then people come back to "
            "it and must be recognized."
        )
    if _deletable(study, now).count() != workers:
        raise ChangedError("Other worker IDs are stored than were shown. Nothing was deleted.")


def deleted_at(study: Study) -> datetime | None:
    """When ids of the study were last deleted, by its date or by a person; None where none were."""
    deeds = AuditEvent.objects.filter(study=study, verb__in=("forget", "delete_ids")).order_by("-number")
    return deeds.values_list("at", flat=True).first()


@dataclass(frozen=True, slots=True)
class PurgeTimes:
    """When the loop last deleted what is past its date, and when it does so next."""

    last: datetime | None
    due: datetime | None

    def is_late(self, now: datetime) -> bool:
        """Whether the loop does not run: it missed its turn by far."""
        return self.due is None or now > self.due + 6 * PURGE_EVERY


def purge_times(state: RetentionState | None = None) -> PurgeTimes:
    """Times of the loop; with the marketplace's state the earlier of the two sides."""
    mark = HousekeepingMark.objects.first()
    times = [mark.at if mark else None, *([state.last_purge] if state and state.channels else [])]
    last = None if None in times else min(at for at in times if at)
    return PurgeTimes(last, last + PURGE_EVERY if last else None)
