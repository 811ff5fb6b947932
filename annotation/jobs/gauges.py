"""How far the requester side is behind, and what an operator watches beside it: for /metrics."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Max
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from annotation.jobs import installation_state as state
from annotation.models import Intent
from metrics.version import __version__


class RequesterGauges(Collector):
    """Gauges that are counted in the database, and read from the disk, when they are asked for."""

    def collect(self) -> Iterable[Metric]:
        now = timezone.now()
        queues = state.measure_queues(now)
        due = next(queue.waiting for queue in queues if queue.key == "actions")
        last = Intent.objects.aggregate(at=Max("finished_at"))["at"] if due else None
        yield _gauge("assay_outbox_due", "Marketplace actions that are due now.", due)
        stalled = "Time since the last marketplace action ended, while one is due; else 0."
        yield _gauge("assay_outbox_stalled_seconds", stalled, state.age_seconds(last, now))
        actions = state.measure_actions(now)
        yield _gauge("assay_outbox_failed", "Marketplace actions that failed and were not dropped.", actions.failed)
        yield _gauge(
            "assay_outbox_put_off", "Marketplace actions that are tried again after an error.", actions.put_off
        )
        waiting = {queue.key: queue.waiting for queue in queues}
        yield _by("assay_queue_waiting", "Work that is due and that no process has taken.", "queue", waiting)
        oldest = {queue.key: queue.oldest_seconds for queue in queues}
        yield _by("assay_queue_oldest_seconds", "How long the oldest work of a queue has been due.", "queue", oldest)
        yield from _broker()
        yield _by("assay_jobs", "Jobs by state.", "state", state.count_jobs())
        oldest_job = max(oldest["jobs"], oldest["files"])
        yield _gauge("assay_job_oldest_seconds", "Age of the oldest job that waits.", oldest_job)
        running = state.oldest_running_seconds(now)
        yield _gauge("assay_job_running_oldest_seconds", "Age of the oldest job that runs.", running)
        if (proven := state.proven_at()) is not None:
            age = state.age_seconds(proven, now)
            yield _gauge("assay_proven_backup_age_seconds", "Time since the last proven backup.", age)
        free = [disk.free_bytes for disk in state.measure_disks() if disk.free_bytes is not None]
        if free:
            yield _gauge("assay_disk_free_bytes", "Free space where files are written (the least).", min(free))
        yield _by("assay_version", "1, with the version as a label.", "version", {__version__: 1})


def _broker() -> Iterable[Metric]:
    """Nothing where no broker is set; without the numbers of its queues where it does not answer."""
    try:
        messages = state.count_broker_messages()
    except state.BROKER_ERRORS:
        yield _gauge("assay_broker_answers", "Whether the broker answers.", 0)
        return
    if messages:
        yield _gauge("assay_broker_answers", "Whether the broker answers.", 1)
        yield _by("assay_broker_messages", "Messages in the queues of the broker.", "queue", dict(messages))


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _by(name: str, text: str, label: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
