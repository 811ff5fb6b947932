"""The operator's page: for administrators, with each fault and its cure, from the facts of the doctor and /metrics."""

from __future__ import annotations

import html
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import User
from annotation.jobs import installation_state
from annotation.jobs.backups.back_up import LAST
from annotation.models import Intent, Job
from annotation.studies.create import Plan, create

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def installation(settings: Any, tmp_path: Path) -> Any:
    settings.VAR, settings.CELERY_BROKER_URL, settings.METRICS_TOKEN = tmp_path, "", ""
    (tmp_path / LAST).write_text(json.dumps({"at": timezone.now().isoformat(), "file": "/backup/a.assay"}))
    return settings


def page(user: User) -> Any:
    client = Client()
    client.force_login(user)
    return client.get(reverse("console:keys-operation"))


def root() -> User:
    return User.objects.create_superuser("root")


def plant_faults() -> None:
    """A job and an action that nothing carries out, an action that failed, and one that waits after an error."""
    study, now = create("headlines", mode="rehearsal", plan=Plan(), actor="ada", now=timezone.now()), timezone.now()
    Job.objects.create(kind=Job.Kind.REPORT, created_at=now - timedelta(hours=3))
    Job.objects.create(kind=Job.Kind.REPORT, created_at=now, finished_at=now, state="failed", problem="Row 3 is empty.")
    for subject, (state, minutes, more) in enumerate(
        (
            ("waiting", 20, {}),
            ("failed", 20, {"outcome": "The HIT does not exist."}),
            ("waiting", 1, {"refusals": 3, "not_before": now + timedelta(minutes=4), "outcome": "It does not answer."}),
        )
    ):
        intent = Intent.of(study, Intent.Kind.BONUS, subject, slot=str(subject))
        intent.state, intent.created_at = state, now - timedelta(minutes=minutes)
        for name, value in more.items():
            setattr(intent, name, value)
        intent.save()


SENTENCES = (
    "Marketplace actions: 1 due, the oldest for 20 min.",
    "Jobs: 1 due, the oldest for 3 h.",
    "1 marketplace action failed.",
    "1 marketplace action waits after an error: It does not answer.",
)


def test_who_is_no_administrator_does_not_see_it() -> None:
    assert page(User.objects.create_user("rita")).status_code == 403
    assert Client().get(reverse("console:keys-operation")).status_code == 302


def test_a_healthy_installation_shows_its_state_and_no_fault() -> None:
    shown = html.unescape(page(root()).content.decode())
    assert "No fault was found." in shown
    assert "Fault:" not in shown
    assert "Submissions to be parsed" in shown
    assert "Notifications" in shown


def test_page_doctor_and_metrics_state_the_same_planted_faults() -> None:
    plant_faults()
    shown = html.unescape(page(root()).content.decode())
    doctor = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=doctor)
    for sentence in SENTENCES:
        assert sentence in shown
        assert sentence in doctor.getvalue()
    assert "<code>python -m deploy run work</code>" in shown
    assert "Row 3 is empty." in shown
    lines = Client().get("/metrics").content.decode().splitlines()
    metrics = {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}
    assert metrics['assay_queue_waiting{queue="actions"}'] == metrics["assay_outbox_due"] == 1
    assert 1200 <= metrics['assay_queue_oldest_seconds{queue="actions"}'] < 1260
    assert metrics['assay_queue_waiting{queue="jobs"}'] == 1
    assert (metrics["assay_outbox_failed"], metrics["assay_outbox_put_off"]) == (1, 1)


def test_a_broker_that_is_away_is_a_fault_on_the_page_and_a_zero_in_the_metrics(
    installation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"

    def refuse() -> None:
        raise OSError("Connection refused")

    monkeypatch.setattr(installation_state.current_app, "connection_for_read", lambda **_: refuse())
    shown = html.unescape(page(root()).content.decode())
    assert "The broker does not answer: Connection refused" in shown
    assert "Start Redis, or correct CELERY_BROKER_URL." in shown
    assert "assay_broker_answers 0.0" in Client().get("/metrics").content.decode()
