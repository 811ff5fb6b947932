"""The AWS command line against a running server: create, list, approve, bonus, delete."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from tests.marketplace.people import Lab
from tests.marketplace.question_samples import html_question

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("awscli") is None, reason="awscli is not installed (make setup-dev)"
)


def aws(lab: Lab, *arguments: str) -> dict:
    """What `aws mturk ...` prints, as JSON."""
    command = [sys.executable, "-W", "ignore", "-m", "awscli", "mturk", *arguments]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        "AWS_ACCESS_KEY_ID": lab.key,
        "AWS_SECRET_ACCESS_KEY": lab.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_PAGER": "",
        "NO_PROXY": "127.0.0.1",
    }
    told = subprocess.run(
        [*command, "--endpoint-url", lab.url, "--output", "json"],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout) if told.stdout.strip() else {}


def test_a_study_is_run_from_the_command_line(lab, ann):
    hit = aws(
        lab, "create-hit", "--title", "Rate a text", "--description", "Read it.", "--reward", "0.50",
        "--max-assignments", "1", "--lifetime-in-seconds", "3600", "--assignment-duration-in-seconds", "600",
        "--question", html_question(),
    )["HIT"]  # fmt: skip
    assert [row["HITId"] for row in aws(lab, "list-hits")["HITs"]] == [hit["HITId"]]
    work = ann.do(hit)
    (row,) = aws(lab, "list-assignments-for-hit", "--hit-id", hit["HITId"])["Assignments"]
    assert (row["AssignmentId"], row["AssignmentStatus"]) == (work, "Submitted")
    aws(lab, "approve-assignment", "--assignment-id", work)
    aws(
        lab, "send-bonus", "--worker-id", ann.worker_id, "--assignment-id", work, "--bonus-amount", "1.00",
        "--reason", "well done",
    )  # fmt: skip
    aws(lab, "delete-hit", "--hit-id", hit["HITId"])
    assert aws(lab, "list-hits")["HITs"] == []
    assert aws(lab, "get-account-balance")["AvailableBalance"] == "9998.20"
