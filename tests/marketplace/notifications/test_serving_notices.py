"""`manage.py serve` sends notifications by itself, from a thread of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from django.utils import timezone

from annotation.mturk.sns import read_events, verify
from tests.marketplace.aws_protocol.test_serving import ROOT, own_database
from tests.marketplace.conftest import mturk
from tests.marketplace.receiver import Receiver


@pytest.fixture
def environment(tmp_path: Path, migrated: Callable[[Path], None]) -> dict[str, str]:
    migrated(tmp_path / "served.sqlite3")
    return own_database(tmp_path / "served.sqlite3")


@pytest.fixture
def origin(environment: dict[str, str]) -> Iterator[str]:
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0", "--threads", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        assert process.stdout is not None
        yield re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
        process.terminate()


def told(environment: dict[str, str], *arguments: str) -> dict[str, str]:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True, env=environment)
    return json.loads(answer.stdout)


def test_a_served_marketplace_confirms_and_tells(origin, environment, receiver: Receiver):
    keys = told(environment, "create_requester", "lab", "--balance", "10")
    arn = told(environment, "notification_endpoint", "add", receiver.url, "--requester", "lab")["arn"]
    known = {"certificate_host": origin.removeprefix("http://"), "topic_arn": arn}
    request = verify(receiver.wait_for("SubscriptionConfirmation"), now=timezone.now(), **known)
    assert httpx.get(request.subscribe_url, trust_env=False).status_code == 200
    client = mturk(f"{origin}/mturk/", keys["access_key"], keys["secret_key"])
    asked = {"Destination": arn, "Transport": "SNS", "Version": "2014-08-15", "EventTypes": ["HITCreated"]}
    client.send_test_event_notification(Notification=asked, TestEventType="Ping")
    client.close()
    message = verify(receiver.wait_for("Notification"), now=timezone.now(), **known)
    assert [event.kind for event in read_events(message).events] == ["Ping"]
