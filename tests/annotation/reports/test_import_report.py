"""A report loaded as a study is its snapshot; nobody's worker id is in any file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.accounts.models import User
from annotation.models import Decision, ImportedReport, Membership, Study, Submission, Text, WorkerIdentity
from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path) -> Study:
    path = batches.written(tmp_path / "batch.csv", batches.rows())
    call_command("import_batch", path, study="small")
    found = Study.objects.get(name="small")
    gone = Submission.objects.order_by("pk").first()
    Decision.objects.create(
        submission=gone, matter="analysis", verdict="exclude", reason="too quick", at=gone.received_at
    )
    for key, text in (("ethics", "Board 7."), ("licence", "CC0"), ("contact", "us")):
        call_command("set_details", "small", key, text)
    return found


def told(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


@pytest.mark.database
@pytest.mark.parametrize("name", ["report.json", "snapshot.json"])
def test_a_loaded_report_is_its_snapshot_and_has_no_rows(study: Study, tmp_path: Path, name: str) -> None:
    call_command("report", "small", out=tmp_path / "one", format="json,csv")
    call_command("import_report", tmp_path / "one" / name, study="again")
    call_command("report", "again", out=tmp_path / "two", format="json,csv")
    first, second = told(tmp_path / "one"), told(tmp_path / "two")
    for place in ("generators", "hj", "verdicts", "results", "datasheet", "completeness"):
        assert second[place] == first[place], place
    assert second["data"]["ratings"] == first["data"]["ratings"]
    snapshots = [json.loads((tmp_path / folder / "snapshot.json").read_text()) for folder in ("one", "two")]
    assert snapshots[1]["content"] == snapshots[0]["content"]
    again = Study.objects.get(name="again")
    assert again.snapshots.get().content == again.imported_report.content  # one content, stored once
    assert not Text.objects.filter(study=again).exists()
    assert not again.hits.exists()


@pytest.mark.database
def test_a_loaded_study_refuses_what_its_snapshot_would_not_show(study: Study, tmp_path: Path) -> None:
    call_command("report", "small", out=tmp_path / "one", format="json")
    call_command("import_report", tmp_path / "one" / "report.json", study="again")
    (tmp_path / "scores.csv").write_text("id,bleu\n1,.5\n")
    for command in (["set_details", "again", "contact", "them"], ["attach_scores", "again", tmp_path / "scores.csv"]):
        with pytest.raises(CommandError, match="again was loaded from a report"):
            call_command(*command)


def test_a_loaded_study_is_compared_under_its_own_name(study: Study, tmp_path: Path) -> None:
    call_command("report", "small", out=tmp_path / "one", format="json")
    call_command("import_report", tmp_path / "one" / "report.json", study="again")
    call_command("report", "small", "again", out=tmp_path / "both", format="json")
    compared = json.loads((tmp_path / "both" / "comparison.json").read_text(encoding="utf-8"))
    assert [one["study"]["name"] for one in compared["studies"]] == ["small", "again"]


def test_a_study_that_an_earlier_version_imported_says_what_to_do(study: Study, tmp_path: Path) -> None:
    ImportedReport.objects.create(study=study, made_at=study.created_at)
    with pytest.raises(CommandError, match=r"earlier version .* Import its report.json or snapshot.json again"):
        call_command("report", "small", out=tmp_path / "one", format="json")


def test_no_worker_id_and_no_assignment_id_leaves_in_any_format(study: Study, tmp_path: Path, settings) -> None:
    settings.CHROMIUM = ""  # what it prints is the page, which is read here
    call_command("report", "small", out=tmp_path / "out", format="html,json,csv,latex,zip")
    secrets = [*WorkerIdentity.objects.values_list("external_id", flat=True)]
    secrets += Submission.objects.values_list("market_id", flat=True)
    assert len(secrets) > 20
    contents = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with zipfile.ZipFile(tmp_path / "out" / "report.zip") as packed:
        contents |= {f"zip/{name}": packed.read(name) for name in packed.namelist()}
    assert len(contents) > 25
    for name, content in contents.items():
        for secret in secrets:
            assert secret.encode() not in content, (name, secret)


def test_what_a_person_stated_is_in_the_report(study: Study, tmp_path: Path) -> None:
    call_command("report", "small", out=tmp_path / "out", format="json")
    found = told(tmp_path / "out")
    assert found["crowd"]["ethics"] == "Board 7."
    assert found["data"]["licence"] == "CC0"
    assert {"question": "Completed by; contact", "answer": "us"}.items() <= next(
        one for one in found["datasheet"] if one["answer"] == "us"
    ).items()


def test_only_members_may_report_and_only_editors_may_state(study: Study, tmp_path: Path) -> None:
    User.objects.create_user("anna")
    bert = User.objects.create_user("bert")
    Membership.objects.create(study=study, user=bert, role="viewer")
    with pytest.raises(CommandError, match="on which anna may do this"):
        call_command("report", "small", out=tmp_path / "out", format="json", as_user="anna")
    with pytest.raises(CommandError, match="on which bert may do this"):
        call_command("set_details", "small", "ethics", "None.", as_user="bert")
    call_command("report", "small", out=tmp_path / "out", format="json", as_user="bert")
    assert study.audit.get(verb="export").actor == "bert"


COMPARISON = '{"schema_version": 2, "studies": [], "results": []}'
NO_REPORTS = [
    ("{", "not JSON"),
    ("{}", "not a report of Assay"),
    ("[]", "not a report"),
    (COMPARISON, "a comparison holds no ratings.* report.json of each of its studies"),
]


@pytest.mark.parametrize(("content", "words"), NO_REPORTS)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "file.json").write_text(content)
    with pytest.raises(CommandError, match=words):
        call_command("import_report", tmp_path / "file.json", study="x")
    assert not Study.objects.exists()


def test_each_rating_finds_its_assignment_by_hit_and_rater(study: Study, tmp_path: Path) -> None:
    call_command("report", "small", out=tmp_path / "out", format="json")
    data = told(tmp_path / "out")["data"]

    def pairs(name: str) -> set:
        columns = data[name]["columns"]
        at = [columns.index(key) for key in ("hit", "rater")]
        return {tuple(row[i] for i in at) for row in data[name]["rows"]}

    assert pairs("ratings") == pairs("assignments")
