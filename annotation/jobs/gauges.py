"""How far the requester side is behind, and what an operator watches beside it: for /metrics and the doctor."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max, Min, Q
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from annotation.jobs.backups.back_up import LAST
from annotation.models import Intent, Job, Study
from metrics.version import __version__


def proven_at() -> datetime | None:
    """When a backup of this installation was last proven; None where this machine knows of none."""
    try:
        return datetime.fromisoformat(json.loads((Path(settings.VAR) / LAST).read_text(encoding="utf-8"))["at"])
    except (OSError, ValueError, KeyError):
        return None


class RequesterGauges(Collector):
    """Gauges that are counted in the database, and read from the disk, when they are asked for."""

    def collect(self) -> Iterable[Metric]:
        now = timezone.now()
        due = Q(state=Intent.State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
        waiting = Intent.objects.filter(due).exclude(study__status=Study.Status.PAUSED).count()
        last = Intent.objects.aggregate(at=Max("finished_at"))["at"] if waiting else None
        yield _gauge("assay_outbox_due", "Marketplace actions that are due now.", waiting)
        stalled = "Time since the last marketplace action ended, while one is due; else 0."
        yield _gauge("assay_outbox_stalled_seconds", stalled, _age(last, now))
        failed = Intent.objects.filter(state=Intent.State.FAILED).count()
        yield _gauge("assay_outbox_failed", "Marketplace actions that failed and were not dropped.", failed)
        yield _jobs()
        oldest = Job.objects.filter(state=Job.State.WAITING).aggregate(at=Min("created_at"))["at"]
        yield _gauge("assay_job_oldest_seconds", "Age of the oldest job that waits.", _age(oldest, now))
        if (proven := proven_at()) is not None:
            yield _gauge("assay_proven_backup_age_seconds", "Time since the last proven backup.", _age(proven, now))
        if Path(settings.VAR).is_dir():
            free = shutil.disk_usage(settings.VAR).free
            yield _gauge("assay_disk_free_bytes", "Free space where files are written.", free)
        version = GaugeMetricFamily("assay_version", "1, with the version as a label.", labels=["version"])
        version.add_metric([__version__], 1)
        yield version


def _age(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _jobs() -> Metric:
    family = GaugeMetricFamily("assay_jobs", "Jobs by state.", labels=["state"])
    counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in Job.State.values:
        family.add_metric([state], counts.get(state, 0))
    return family
