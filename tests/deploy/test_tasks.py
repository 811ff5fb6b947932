"""The queue's application knows every task: names on the queue are found by nothing but its registry."""

from __future__ import annotations

from deploy.celery import app

# What beat, commands and pages put on the queue; messages in flight carry these names through a release.
NAMES = {
    "annotation.jobs",
    "annotation.keep_house",
    "annotation.poll",
    "annotation.poll_all",
    "annotation.read",
    "annotation.score",
    "annotation.work",
}


def test_the_application_registers_every_task_by_its_name() -> None:
    app.loader.import_default_modules()
    assert {name for name in app.tasks if name.startswith("annotation.")} == NAMES


def test_beat_puts_only_registered_tasks_on_the_queue() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= NAMES
