"""The queue's application knows every task: names on the queue are found by nothing but its registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from django.conf import settings

from deploy.celery import app

ROOT = Path(__file__).resolve().parents[2]

# What beat, commands and pages put on the queue; messages in flight carry these names through a release.
NAMES = {
    "annotation.files",
    "annotation.jobs",
    "annotation.keep_house",
    "annotation.probe",
    "annotation.poll",
    "annotation.poll_all",
    "annotation.prolific",
    "annotation.read",
    "annotation.score",
    "annotation.work",
}


def test_the_application_registers_every_task_by_its_name() -> None:
    # In a process of its own: here other tests have imported the modules of the tasks.
    registered = "from deploy import celery_app as app; app.loader.import_default_modules(); print(*app.tasks)"
    told = subprocess.run([sys.executable, "-c", registered], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name for name in told.stdout.split() if name.startswith("annotation.")} == NAMES


def test_beat_has_everything_done_that_the_embedded_loop_does() -> None:
    due = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert due == {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert due == {
        "annotation.poll_all",
        "annotation.jobs",
        "annotation.files",
        "annotation.keep_house",
        "annotation.probe",
        "annotation.prolific",
    }
    assert due <= NAMES
