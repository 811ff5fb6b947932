"""What /metrics says of the requester side: jobs, actions, the last proven backup, disk, version."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.jobs import queue
from annotation.jobs.backups.back_up import LAST
from annotation.jobs.diagnosis import check_backup

pytestmark = pytest.mark.django_db


def numbers(client: Client) -> dict[str, float]:
    """The samples of /metrics by name with labels."""
    lines = client.get("/metrics").content.decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.VAR, settings.METRICS_TOKEN = tmp_path, ""
    return tmp_path


def test_a_job_that_waits_is_counted_with_its_age(client: Client) -> None:
    queue.ask("report", by=None, now=timezone.now() - timedelta(minutes=10))
    shown = numbers(client)
    assert (shown['assay_jobs{state="waiting"}'], shown['assay_jobs{state="running"}']) == (1, 0)
    assert 600 <= shown["assay_job_oldest_seconds"] < 660
    assert (shown["assay_outbox_due"], shown["assay_outbox_failed"], shown["assay_outbox_stalled_seconds"]) == (0, 0, 0)


def test_the_age_of_the_last_proven_backup_is_shown_where_there_was_one(client: Client, folder: Path) -> None:
    assert "assay_proven_backup_age_seconds" not in numbers(client)
    now = timezone.now()
    (folder / LAST).write_text(json.dumps({"at": (now - timedelta(days=3)).isoformat(), "file": "/backup/a.assay"}))
    assert numbers(client)["assay_proven_backup_age_seconds"] == pytest.approx(3 * 86_400, abs=60)
    (symptom,) = check_backup(now)
    assert (symptom.state, symptom.sentence) == ("warning", "The last proven backup is 3 days old.")


def test_disk_and_version_are_shown(client: Client) -> None:
    shown = numbers(client)
    assert shown["assay_disk_free_bytes"] > 0
    assert [value for name, value in shown.items() if re.match(r'assay_version\{version="\d', name)] == [1.0]
