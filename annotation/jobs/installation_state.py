"""How an installation is doing, measured once for the operator's page, /metrics and the doctor."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.module_loading import import_string
from kombu.exceptions import KombuError

from annotation.jobs.backups.back_up import LAST
from annotation.jobs.queue import FILE_KINDS
from annotation.models import Intent, Job, ScoringChunk, Study, Submission

BROKER_SECONDS = 2.0
BROKER_ERRORS = (KombuError, OSError)


@dataclass(frozen=True, slots=True)
class QueueLag:
    """Work that is due and that no process has taken. oldest_seconds: how long the oldest of it has been due."""

    key: str
    name: str
    waiting: int
    oldest_seconds: float
    process: str

    @classmethod
    def of(cls, key: str, name: str, waiting: int, oldest: datetime | None, *, process: str, now: datetime) -> QueueLag:
        """The lag of a queue whose oldest row has been due since `oldest`."""
        return cls(key, name, waiting, age_seconds(oldest, now), process)


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Room in a folder that a running installation writes to; free_bytes is None where there is no such folder."""

    folder: Path
    free_bytes: int | None

    @property
    def free(self) -> str:
        """The free room for a reader; "" where there is no folder."""
        return "" if self.free_bytes is None else f"{self.free_bytes / 1024**3:,.1f} GiB"


@dataclass(frozen=True, slots=True)
class ActionState:
    """Marketplace actions that did not succeed. put_off: those that are tried again later, after an error."""

    failed: int
    put_off: int
    last_error: str


def measure_queues(now: datetime) -> tuple[QueueLag, ...]:
    """Return the lag of every queue that is kept in the database, that of marketplace actions first."""
    elsewhere = [import_string(path)(now) for path in settings.QUEUES_OF_THE_MARKETPLACE]
    return (
        _lag(_due_actions(now), "actions", "Marketplace actions", now, at=Coalesce("not_before", "created_at")),
        _lag(_answers(), "answers", "Submissions to be parsed", now, at=F("received_at")),
        _lag(_jobs().exclude(kind__in=FILE_KINDS), "jobs", "Jobs", now, at=F("created_at")),
        _lag(_jobs().filter(kind__in=FILE_KINDS), "files", "Jobs that read files", now, at=F("created_at")),
        _lag(_chunks(now), "scoring", "Texts to be scored", now, at=Coalesce("not_before", "job__created_at")),
        *(QueueLag.of(*row, process="notifications", now=now) for row in elsewhere),
    )


def count_broker_messages() -> Mapping[str, int]:
    """Return the messages in each queue of the broker; {} without a broker. Raises KombuError or OSError where it does
    not answer."""
    if not settings.CELERY_BROKER_URL:
        return {}
    with current_app.connection_for_read(connect_timeout=BROKER_SECONDS) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
        return {name: _messages(broker, name) for name in (*settings.CELERY_TASK_QUEUES, "scoring")}


def count_jobs() -> dict[str, int]:
    """Return the number of jobs in each state."""
    counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    return {state: counts.get(state, 0) for state in Job.State.values}


def oldest_running_seconds(now: datetime) -> float:
    """Return how long ago the oldest job that runs was requested; 0 where none runs."""
    return age_seconds(Job.objects.filter(state=Job.State.RUNNING).aggregate(at=Min("created_at"))["at"], now)


def measure_actions(now: datetime) -> ActionState:
    """Return the marketplace actions that failed, or wait after an error."""
    put_off = Intent.objects.filter(state=Intent.State.WAITING, refusals__gt=0)
    failed = Intent.objects.filter(state=Intent.State.FAILED)
    last = (put_off.order_by("-not_before").first() if put_off.exists() else None) or failed.order_by("-pk").first()
    return ActionState(failed.count(), put_off.count(), last.outcome if last else "")


def proven_at() -> datetime | None:
    """When a backup of this installation was last proven; None where this machine knows of none."""
    try:
        return datetime.fromisoformat(json.loads((Path(settings.VAR) / LAST).read_text(encoding="utf-8"))["at"])
    except (OSError, ValueError, KeyError):
        return None


def measure_disks() -> list[DiskSpace]:
    """Return the room for files, and for an embedded database."""
    places = {Path(settings.VAR)}
    if connection.vendor == "sqlite" and Path(str(connection.settings_dict["NAME"])).is_file():
        places.add(Path(str(connection.settings_dict["NAME"])).parent)
    return [DiskSpace(place, shutil.disk_usage(place).free if place.is_dir() else None) for place in sorted(places)]


def age_seconds(since: datetime | None, now: datetime) -> float:
    """Return the seconds since then, 0 where there is no such time or it is to come."""
    return max(0.0, (now - since).total_seconds()) if since else 0.0


def describe_duration(seconds: float) -> str:
    """Return a span for a reader: 40 s, 12 min, 3 h, 2 days."""
    for unit, name in ((86_400, " days"), (3_600, " h"), (60, " min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f}{name}"
    return f"{seconds:.0f} s"


def _due_actions(now: datetime) -> QuerySet[Intent]:
    due = Q(state=Intent.State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
    return Intent.objects.filter(due).exclude(study__status=Study.Status.PAUSED)


def _answers() -> QuerySet[Submission]:
    return Submission.objects.filter(parse=None, raw_format="mturk-xml")


def _jobs() -> QuerySet[Job]:
    return Job.objects.filter(state=Job.State.WAITING)


def _chunks(now: datetime) -> QuerySet[ScoringChunk]:
    due = Q(not_before=None) | Q(not_before__lte=now)
    return ScoringChunk.objects.filter(due, state=ScoringChunk.State.WAITING)


# With a broker, and without one: the processes of deploy/processes.py that work a queue off.
PROCESSES: Mapping[str, tuple[str, str]] = {
    "actions": ("market", "work"),
    "answers": ("computing", "work"),
    "jobs": ("computing", "work"),
    "files": ("files", "reading"),
    "scoring": ("scoring", "work"),
}


def _lag(rows: QuerySet[Any], key: str, name: str, now: datetime, *, at: Any) -> QueueLag:
    counts = rows.aggregate(waiting=Count("pk"), oldest=Min(at))
    process = PROCESSES[key][0 if settings.CELERY_BROKER_URL else 1]
    return QueueLag.of(key, name, counts["waiting"], counts["oldest"], process=process, now=now)


def _messages(broker: Any, queue: str) -> int:
    try:
        return int(broker.default_channel.queue_declare(queue, passive=True).message_count)
    except broker.channel_errors:
        return 0  # an empty queue of Redis does not exist
