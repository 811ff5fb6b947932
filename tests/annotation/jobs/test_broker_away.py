"""Work that is asked for while the broker is away is stored, and found later."""

from __future__ import annotations

import pytest
from celery import Celery
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.accounts.models import User
from annotation.jobs import celery_tasks
from annotation.models import Job


@pytest.fixture
def _broker_away(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OperationalError("Error 111 connecting to 127.0.0.1:6379. Connection refused.")

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/0"
    monkeypatch.setattr(Celery, "send_task", refused)
    for task in (celery_tasks.work_off, celery_tasks.poll_off, celery_tasks.score_off):
        monkeypatch.setattr(task, "delay", refused)


@pytest.mark.django_db
@pytest.mark.usefixtures("_broker_away")
def test_a_job_is_stored_and_a_warning_logged(caplog: pytest.LogCaptureFixture) -> None:
    ada = User.objects.create_user("ada")
    settings_of_job = {"path": "batch.csv", "name": "A batch"}
    job = celery_tasks.ask(Job.Kind.IMPORT_BATCH, by=ada, now=timezone.now(), settings=settings_of_job)
    assert Job.objects.get(pk=job.pk).state == Job.State.WAITING
    assert "The broker could not be reached; the work is stored and taken up later" in caplog.text


@pytest.mark.usefixtures("_broker_away")
def test_a_study_and_its_scoring_are_left_to_the_scheduler() -> None:
    assert celery_tasks.wake(1)
    assert celery_tasks.wake_scoring(1, chunks=3)
