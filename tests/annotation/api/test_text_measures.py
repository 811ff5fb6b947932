"""Measures that need no crowd, over HTTP: tests of a file, a run, texts of a file, log-probabilities of a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.jobs.run import run_due
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.console.test_text_measures import QUESTIONS
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path


def sent(caller: Caller, path: str, content: str, **fields: str) -> Any:
    file = SimpleUploadedFile("file.jsonl", content.encode())
    return Client().post(f"/api/v1{path}", {"file": file, **fields}, headers=caller.headers)


def ended(caller: Caller, answer: Any) -> Any:
    assert answer.status_code == 202, answer.content
    run_due(clock=timezone.now)
    job = caller("get", f"/jobs/{answer.json()['uuid']}").json()
    assert job["state"] == "done", job["problem"]
    return job


def test_tests_of_a_file_are_built_and_run_by_a_model_that_is_offered() -> None:
    caller = Caller("olga")
    assert [model["name"] for model in caller("get", "/models").json() if model["trial"]] == ["assay-tiny"]
    rows = "".join(json.dumps(row) + "\n" for row in QUESTIONS)
    built = ended(caller, sent(caller, "/near-negative-tests", rows, format="quiz-design"))
    assert built["outcome"]["tests"] == 24
    runs = f"/jobs/{built['uuid']}/near-negative-runs"
    refused = caller("post", runs, {"models": ["/etc"]})
    assert b"offers no model called '/etc'" in refused.content
    run = ended(caller, caller("post", runs, {"models": ["assay-tiny"], "reproduce": True}))
    result = caller("get", f"/jobs/{run['uuid']}/files/near-negative-tests.json")
    model = json.loads(b"".join(result.streaming_content))["models"][0]
    assert "|start:always|" in model["scored_by"]
    assert model["overall"]["settings"]["ties"] == "second"
    assert fault(Caller("stranger")("post", runs, {"models": ["assay-tiny"]}))[:2] == (404, "absent")
    assert caller("post", f"/jobs/{run['uuid']}/save").status_code == 404


def test_texts_are_scored_and_a_study_s_result_is_saved_in_it() -> None:
    caller = Caller("olga")
    job = ended(caller, sent(caller, "/human-likelihood", "A text.\nAnother text.\n", format="lines"))
    assert (job["outcome"]["texts"], job["outcome"]["tiny"]) == (2, True)
    study = make(workers=2, hits=1, texts=4)
    owner = Caller("owner", study, "owner")
    scored = ended(owner, owner("post", f"/studies/{study.uuid}/human-likelihood", {}))
    assert owner("post", f"/jobs/{scored['uuid']}/save").json()["kind"] == "automatic"
    path = f"/studies/{study.uuid}/log-probabilities"
    assert [row["scored"] for row in owner("get", path).json()] == [0]
    ended(owner, owner("post", path, {"generator": "tiny"}))
    assert [(row["scored"], row["complete"]) for row in owner("get", path).json()] == [(4, True)]
