"""A real Celery worker on a real Redis does what the embedded loop does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection

from annotation.models import Intent, Job, Study
from annotation.mturk.records import Endpoint
from tests.annotation.conftest import endpoint, study  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.needs_redis,
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.skipif("TEST_REDIS_URL" not in os.environ, reason="TEST_REDIS_URL is not set"),
]


def database_url() -> str:
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    return f"postgres://{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT']}/{found['NAME']}"


def wait_for(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not happened() and time.monotonic() < until:
        time.sleep(0.2)


@pytest.fixture
def environment(endpoint: Endpoint, site: str) -> dict[str, str]:  # noqa: F811
    """An installation on the test database, the test's marketplace and Redis."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": os.environ["TEST_REDIS_URL"],
        "WORKER_ORIGIN": site,
        "MTURK_ENDPOINT_URL": endpoint.url,
        "MTURK_FEES": "none",
        "MTURK_ACCESS_KEY": endpoint.access_key,
        "MTURK_SECRET_KEY": endpoint.secret_key,
    }


@pytest.fixture
def celery_worker(environment: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "celery", "-A", "deploy", "worker", "-c", "1", "--purge", "-l", "INFO"]
    told = tmp_path / "worker.log"
    with told.open("wb") as log:
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        wait_for(lambda: b" ready." in told.read_bytes() or worker.poll() is not None)
        yield worker
        worker.terminate()
        worker.wait(timeout=30)


def test_a_worker_is_woken_by_publishing_and_by_long_work(
    study: Study,  # noqa: F811
    environment: dict[str, str],
    celery_worker: subprocess.Popen[bytes],
) -> None:
    command = [sys.executable, "manage.py", "publish", study.name, "--yes"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = ran.stdout
    assert "HITs to create: 2" in said
    assert "manage.py work" not in said
    wait_for(lambda: not Intent.objects.exclude(state=Intent.State.DONE).exists())
    assert celery_worker.poll() is None
    assert study.hits.filter(market_id=None).count() == 0

    asking = f"""
import django
django.setup()
from django.utils import timezone
from annotation.models import Job, Study
from annotation.jobs.celery_tasks import ask
study = Study.objects.get(pk={study.pk})
ask(Job.Kind.PREFLIGHT, by=None, now=timezone.now(), study=study, settings={{"offline": True}})
"""
    subprocess.run([sys.executable, "-c", asking], cwd=ROOT, env=environment, check=True)
    wait_for(lambda: Job.objects.exclude(state__in=["waiting", "running"]).exists())
    assert Job.objects.get().state == "done", Job.objects.get().problem
