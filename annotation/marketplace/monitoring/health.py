"""Whether this process lives, and whether it can do its work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe
from kombu.exceptions import KombuError

from annotation.accounts.lock_wait import limit_lock_wait
from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, Hit
from annotation.marketplace.monitoring import storage as storage_check
from annotation.marketplace.monitoring.storage import reason_of, storage

# What is due longer than this, right after a sweep, is not being done.
OVERDUE = timedelta(minutes=5)
BROKER_SECONDS = 2

log = logging.getLogger(__name__)


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """This process answers. Nothing else is asked, so that a slow database does not get it restarted."""
    return _uncached(HttpResponse("live\n", content_type="text/plain"))


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Database, migrations, storage, sweep and broker: 200 when all are well, else 503; each by name, in JSON.

    What another session has locked is waited for `LOCK_SECONDS` at most: no check is made after one that was not well.
    """
    outcomes = {"database": _outcome(_database)}
    if outcomes["database"] == "ok":
        outcomes["migrations"] = _outcome(_migrations)
    if outcomes.get("migrations") == "ok":
        outcomes["storage"] = _outcome(storage)
    if outcomes.get("storage") == "ok":
        outcomes["sweep"] = _outcome(_sweep)
    if settings.CELERY_BROKER_URL:
        outcomes["broker"] = _outcome(_broker)
    well = all(outcome == "ok" for outcome in outcomes.values())
    return _uncached(JsonResponse({"ready": well, "checks": outcomes}, status=200 if well else 503))


def _outcome(check: Callable[[], str]) -> str:
    """What a check says; the words of an error are for the log, not for everybody who asks."""
    try:
        return check()
    except (DatabaseError, KombuError, OSError) as error:
        log.warning("The health check %s failed: %s", check.__name__, error)
        return reason_of(error)


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


_up_to_date: set[str] = set()


def _migrations() -> str:
    """Whether every migration is applied; once it is so, this process need not look again."""
    name = str(connection.settings_dict["NAME"])
    if name not in _up_to_date:
        with limit_lock_wait(storage_check.LOCK_SECONDS):
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                return "missing"
        _up_to_date.add(name)
    return "ok"


def _sweep() -> str:
    """Do what is due (as every page does), and see that nothing old is left over."""
    now = clock.now()
    catch_up(now, lock_seconds=storage_check.LOCK_SECONDS)
    return "overdue" if overdue_seconds() > OVERDUE.total_seconds() else "ok"


def overdue_seconds() -> float:
    """How long the oldest thing that is due has waited by the marketplace's clock; 0 when nothing is due."""
    oldest = [model.objects.aggregate(at=Min("due_at"))["at"] for model in (Hit, Assignment)]
    now = clock.now()
    return max((max(0.0, (now - at).total_seconds()) for at in oldest if at is not None), default=0.0)


def _broker() -> str:
    with current_app.connection_for_read(connect_timeout=BROKER_SECONDS) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    return "ok"


def _uncached(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, no_store=True)
    return response
