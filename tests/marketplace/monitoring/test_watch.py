"""Health and metrics, for probes and monitors."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from annotation.accounts.models import User
from annotation.marketplace.assignments import expire_due
from annotation.marketplace.models import Assignment, Hit, Requester, Submission, SweepMark
from annotation.marketplace.monitoring import health, storage
from tests.annotation.locked_database import lock_out_writers
from tests.marketplace import owed

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def fresh(settings: Any) -> None:
    settings.CELERY_BROKER_URL = ""
    health._up_to_date.clear()


def numbers(text: str) -> dict[tuple[str, ...], float]:
    """Samples by name and labels, as a Prometheus server reads them."""
    families = text_string_to_metric_families(text)
    return {
        (s.name, *(s.labels[key] for key in sorted(s.labels))): s.value for family in families for s in family.samples
    }


def test_a_process_that_answers_is_live_whatever_its_database_does(client, django_db_blocker):
    with django_db_blocker.block():
        assert client.get("/health/live").status_code == 200


def test_ready_names_each_check(client):
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (
        200,
        {"ready": True, "checks": {"database": "ok", "migrations": "ok", "storage": "ok", "sweep": "ok"}},
    )
    assert "no-store" in answer["Cache-Control"]


def test_a_missing_migration_is_not_ready(client):
    MigrationRecorder.Migration.objects.filter(app="marketplace").delete()
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["checks"]["migrations"]) == (503, "missing")


def test_a_database_that_is_gone_is_not_ready_and_tells_no_secret(client, monkeypatch):
    def refused() -> None:
        raise OperationalError("password=secret")

    monkeypatch.setattr(connection, "cursor", refused)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["checks"]) == (503, {"database": "failing"})
    assert "secret" not in answer.text


@pytest.mark.parametrize(("table", "check"), [(Submission, "storage"), (SweepMark, "sweep"), (Hit, "sweep")])
def test_what_another_session_keeps_locked_is_named_and_waited_for_no_longer_than_the_limit(
    transactional_db, client, monkeypatch, table, check
):
    monkeypatch.setattr(storage, "LOCK_SECONDS", 0.2)
    monkeypatch.setattr(storage, "_probed", {})
    monkeypatch.setattr(expire_due, "_marked", 0.0)
    lab = Requester.objects.create(user=User.objects.create(username="lab"), created_at=timezone.now())
    expired = owed.hit(lab, "", now=timezone.now() - timedelta(days=2))
    Hit.objects.filter(pk=expired.pk).update(status="Assignable", due_at=expired.expiration)
    with lock_out_writers(table._meta.db_table):
        answer = client.get("/health/ready")
    # SQLite has one lock, which the first check that writes meets.
    locked = "storage" if connection.vendor == "sqlite" else check
    assert (answer.status_code, answer.json()["checks"][locked]) == (503, "locked")
    assert list(answer.json()["checks"])[-1] == locked
    monkeypatch.setattr(storage, "_probed", {})
    assert client.get("/health/ready").json()["ready"]


def test_a_broker_that_does_not_answer_is_not_ready(client, settings, monkeypatch):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(health.current_app.conf, "broker_url", settings.CELERY_BROKER_URL)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["checks"]["broker"]) == (503, "failing")


def test_what_a_sweep_leaves_over_is_not_ready(client, monkeypatch):
    monkeypatch.setattr(health, "overdue_seconds", lambda: 301.0)
    assert client.get("/health/ready").json()["checks"]["sweep"] == "overdue"


def test_metrics_count_what_is_stored_and_what_was_asked(client):
    SweepMark.objects.create(pk=1, at=timezone.now() - timedelta(seconds=90))
    before = numbers(client.get("/metrics").text)
    client.get("/health/live")
    client.get("/nowhere/")
    after = numbers(client.get("/metrics").text)
    assert after["assay_hits", "Assignable"] == 0
    assert {label for name, *labels in after if name == "assay_assignments" for label in labels} == set(
        Assignment.State.values
    )
    assert after["assay_notifications_undelivered",] == 0
    assert 90 <= after["assay_last_sweep_age_seconds",] < 120
    for route, status in (("watch:live", "200"), ("none", "404")):
        key = ("assay_requests_total", "GET", route, status)
        assert after[key] - before.get(key, 0) == 1


def test_addresses_of_pages_make_no_series_of_their_own(client, settings):
    settings.WORKER_ORIGIN = settings.HIT_ORIGIN = "http://testserver"
    client.get(f"/hits/3{'A' * 29}/")
    assert f"3{'A' * 29}" not in client.get("/metrics").text


@pytest.mark.parametrize(
    ("meta", "status"),
    [
        ({}, 200),
        ({"REMOTE_ADDR": "::1"}, 200),
        ({"REMOTE_ADDR": "203.0.113.5"}, 404),
        ({"REMOTE_ADDR": ""}, 404),
        ({"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 404),
        ({"HTTP_FORWARDED": "for=127.0.0.1"}, 404),
    ],
)
def test_without_a_token_metrics_are_for_this_machine_only(client, meta, status):
    assert client.get("/metrics", **meta).status_code == status


@pytest.mark.parametrize(
    ("given", "status"), [("Bearer the-token", 200), ("Bearer other", 404), ("", 404), ("Bearer \xe9", 404)]
)
def test_with_a_token_metrics_are_for_who_shows_it(client: Client, settings, given, status):
    settings.METRICS_TOKEN = "the-token"
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.5", HTTP_AUTHORIZATION=given).status_code == status
