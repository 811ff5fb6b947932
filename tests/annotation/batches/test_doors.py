"""Batches by command and by the web API: the verbs of the console, for their owner alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.hits.batches.check_page import check_page
from annotation.hits.batches.template import page_of
from annotation.jobs.run import run_due
from annotation.models import Batch
from annotation.mturk.client import Market
from tests.marketplace.people import Person

TEMPLATE = '<p>${x}</p><a href="https://survey.example/s">Survey</a><input name="code">'
CREATE = ("--title", "Rate words", "--description", "Read and rate.", "--reward", "0.50", "--as", "olga")


def told(*words: object) -> str:
    out = io.StringIO()
    call_command("batches", *map(str, words), stdout=out, stderr=out)
    return out.getvalue()


def reviewed(results: str, path: Path) -> Path:
    """The results with every assignment approved."""
    reader = csv.DictReader(io.StringIO(results))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(reader.fieldnames or ()))
        writer.writeheader()
        writer.writerows({**row, "Approve": "X"} for row in reader)
    return path


def test_a_batch_from_files_to_approved_work_by_commands(
    olga: User, market: Market, worker: Callable[[str], Person], tmp_path: Path
) -> None:
    (tmp_path / "t.html").write_text(TEMPLATE)
    (tmp_path / "t.csv").write_text("x\n1\n2\n")
    create = ("create", "words", "--template", tmp_path / "t.html", "--table", tmp_path / "t.csv", *CREATE)
    dry = told(*create, "--dry-run")
    assert "2 rows, each a HIT. Nothing was stored." in dry
    assert "Links out of the task: https://survey.example/s." in dry
    assert Batch.objects.count() == 0
    with pytest.raises(CommandError, match=r"^Title: 1 to 128, not 129 characters\.$"):
        told(*create, "--title", "t" * 129)
    told(*create)
    batch = Batch.objects.get()
    assert "2 rows, $1.00 with fees. Nothing was published." in told("publish", batch.number, "--dry-run")
    assert list(market.hits()) == []
    assert told("publish", batch.number, "--yes", "--as", "olga") == "2 tasks published.\n"
    worker("ann").do({"HITId": batch.hits.first().market_id}, [("code", "42")])  # type: ignore[union-attr]
    told("results", batch.number, "--out", tmp_path / "out", "--as", "olga")
    path = reviewed((tmp_path / "out" / f"Batch_{batch.number}_batch_results.csv").read_text(), tmp_path / "r.csv")
    assert told("review", batch.number, path, "--dry-run") == "To approve: 1. To reject: 0. Nothing was decided.\n"
    assert told("review", batch.number, path, "--yes", "--as", "olga") == "Approved: 1. Rejected: 0.\n"
    assert told("cancel", batch.number, "--yes", "--as", "olga") == "Canceled; 2 tasks ended.\n"
    shown = told("show", batch.number)
    for verb in ("create_batch", "publish_batch", "gather_results", "review_batch", "cancel_batch"):
        assert f"olga {verb}" in shown
    User.objects.create_user("stan")
    assert told("list", "--as", "stan") == ""
    with pytest.raises(CommandError, match=f"There is no batch {batch.number} of stan"):
        told("publish", batch.number, "--yes", "--as", "stan")


def test_a_batch_from_files_to_approved_work_by_the_api(
    olga: User, market: Market, worker: Callable[[str], Person], tmp_path: Path
) -> None:
    def caller(user: User) -> Callable[..., Any]:
        token = ApiToken.objects.issue(user, name="t", now=timezone.now())[1]

        def call(method: str, path: str, **more: Any) -> Any:
            send = getattr(Client(headers={"authorization": f"Bearer {token}"}), method)
            return send(f"/api/v1{path}", **more)

        return call

    def job_of(answer: Any) -> Any:
        assert answer.status_code == 202, answer.content
        run_due(clock=timezone.now)
        done = call("get", f"/jobs/{answer.json()['uuid']}").json()
        assert done["state"] == "done", done
        return done

    call, stranger = caller(olga), caller(User.objects.create_user("stan"))
    fields: dict[str, Any] = {"name": "words", "title": "Rate", "description": "Rate.", "reward_cents": 50}

    def files(table: str) -> dict[str, Any]:
        return {
            "template": SimpleUploadedFile("t.html", TEMPLATE.encode()),
            "table": SimpleUploadedFile("t.csv", table.encode()),
        }

    refused = call("post", "/batches", data=fields | files("y\n1\n"))
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "template")
    assert "no column for ${x} (line 1)" in refused.json()["detail"]
    created = call("post", "/batches", data=fields | files("x\n1\n2\n"))
    assert created.status_code == 201, created.content
    batch = Batch.objects.get()
    at = f"/batches/{batch.uuid}"
    row = call("get", f"{at}/rows/1").json()
    assert (row["cells"], row["check"]["links"]) == ({"x": "1"}, ["https://survey.example/s"])
    assert call("post", f"{at}/publish", data={"total_cents": 1}, content_type="application/json").status_code == 409
    total = {"total_cents": created.json()["total_cents"]}
    job_of(call("post", f"{at}/publish", data=total, content_type="application/json"))
    worker("ann").do({"HITId": batch.hits.first().market_id}, [("code", "42")])  # type: ignore[union-attr]
    gathered = job_of(call("post", f"{at}/results"))
    content = b"".join(call("get", f"/jobs/{gathered['uuid']}/files/{gathered['files'][0]}"))
    path = reviewed(content.decode(), tmp_path / "r.csv")
    checked = job_of(call("post", f"{at}/reviews", data={"file": SimpleUploadedFile("r.csv", path.read_bytes())}))
    assert (checked["outcome"]["approve"], checked["outcome"]["cents"]) == (1, 50)
    assert job_of(call("post", f"{at}/reviews/{checked['uuid']}/apply"))["outcome"]["approve"] == 1
    assert job_of(call("delete", at))["outcome"]["hits"] == 2
    assert all(hit.over for hit in market.hits())
    log = call("get", f"{at}/log").json()["items"]
    assert [event["verb"] for event in log[:2]] == ["cancel_batch", "review_batch"]
    assert stranger("get", "/batches").json()["count"] == 0
    for method, path_of in (
        ("get", at),
        ("get", f"{at}/log"),
        ("get", f"{at}/rows/1"),
        ("post", f"{at}/results"),
        ("delete", at),
    ):
        assert stranger(method, path_of).status_code == 404


def test_the_check_names_what_will_not_work_as_its_author_means() -> None:
    check = check_page(
        page_of(
            """<crowd-form answer-format="flatten-objects"><crowd-checkbox name="q" value="a"></crowd-checkbox>
<crowd-input name="q.a"></crowd-input><crowd-button href="//survey.example/c">Go</crowd-button>
<a href="#here">Here</a><a href="mailto:a@b.example">Mail</a><a href="http://a.example/" download>File</a></crowd-form>
<form action="https://collect.example/"></form><script>localStorage.x = 1; window.open("https://w.example/"); `${js}`
</script>""",
            {},
            title="T",
        )
    )
    assert check.fields == ("q", "q.a")
    assert check.links == ("//survey.example/c",)
    assert check.opens
    assert check.sends_to == ("https://collect.example/",)
    assert check.storage == ("localStorage",)
    assert check.left == ("js",)
    assert check.colliding == ("q.a",)
    assert not check.form_added
    survey = check_page(page_of('<a href="https://s.example/">S</a><input name="surveycode">', {}, title="T"))
    assert (survey.form_added, survey.fields, survey.sends_to) == (True, ("surveycode",), ())
