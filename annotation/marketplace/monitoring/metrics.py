"""Numbers for a Prometheus server: what is stored, counted when it asks, and the requests of this process.

With several processes set PROMETHEUS_MULTIPROC_DIR (prometheus_client's own), so that each answers for all.
"""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address

from django.conf import settings
from django.db.models import Count, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotation.accounts.addresses import client_address
from annotation.marketplace.models import Assignment, Document, Event, Hit, SweepMark
from annotation.marketplace.monitoring.health import overdue_seconds

Answer = Callable[[HttpRequest], HttpResponse]

REGISTRY = CollectorRegistry()
# Gauges of other parts of an installation: the addresses (deploy/urls.py) put them in.
MORE: list[Collector] = []
METHODS = {"GET", "HEAD", "POST"}
REQUESTS = Counter(
    "assay_requests",
    "Requests answered, by route, method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
SECONDS = Histogram(
    "assay_request_seconds",
    "Time to answer, by route.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)


def count_requests(answer: Answer) -> Answer:
    """Middleware: counts answers by the name of their route, so that ids in addresses make no new series."""

    def counted(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = answer(request)
        match = request.resolver_match
        route = (match.view_name or match.route) if match else "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(route, method, str(response.status_code)).inc()
        SECONDS.labels(route).observe(time.perf_counter() - began)
        return response

    return counted


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All numbers in Prometheus's text format, for who may read them; there is nothing here for anybody else."""
    if not _may_read(request):
        raise Http404
    response = HttpResponse(
        generate_latest(_requests()) + generate_latest(_stored()), headers={"Content-Type": CONTENT_TYPE_LATEST}
    )
    response["Cache-Control"] = "no-store"
    return response


def _may_read(request: HttpRequest) -> bool:
    """Who shows the token; where none is set, who comes from this machine and through no proxy."""
    if settings.METRICS_TOKEN:
        authorization = request.headers.get("Authorization", "")
        return hmac.compare_digest(authorization.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ip_address(client_address(request)).is_loopback
    except ValueError:
        return False


def _requests() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)
    return together


def _stored() -> CollectorRegistry:
    registry = CollectorRegistry()
    for collector in (_Stored(), *MORE):
        registry.register(collector)
    return registry


class _Stored(Collector):
    """Gauges that are counted in the database when they are asked for."""

    def collect(self) -> Iterable[Metric]:
        yield _by("assay_hits", "HITs by status.", "status", Hit.Status.values, Hit, "status")
        yield _by("assay_assignments", "Assignments by state.", "state", Assignment.State.values, Assignment, "state")
        waiting = Document.objects.filter(next_attempt_at__isnull=False)
        events = Event.objects.filter(document=None).count()
        yield _gauge(
            "assay_notifications_undelivered", "Documents and events to be delivered.", waiting.count() + events
        )
        oldest = waiting.aggregate(at=Min("created_at"))["at"]
        age = (timezone.now() - oldest).total_seconds() if oldest else 0.0
        yield _gauge("assay_notification_oldest_seconds", "Age of the oldest document to be delivered.", age)
        yield _gauge("assay_overdue_seconds", "How long the oldest thing due has waited.", overdue_seconds())
        mark = SweepMark.objects.first()
        if mark is not None:
            age = max(0.0, (timezone.now() - mark.at).total_seconds())
            yield _gauge("assay_last_sweep_age_seconds", "Time since what is due was last looked for.", age)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _by(name: str, text: str, label: str, values: Iterable[str], model: type[Hit | Assignment], field: str) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    counts = dict(model.objects.order_by().values_list(field).annotate(Count("pk")))
    for value in values:
        family.add_metric([value], counts.get(value, 0))
    return family
