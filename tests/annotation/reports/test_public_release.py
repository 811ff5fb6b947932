"""From a study in the database to a bundle that anybody may read: the command, the page and the web API."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.design.kinds import default_wording
from annotation.design.wording import as_json
from annotation.jobs.job_files import folder_of
from annotation.jobs.run import run_due
from annotation.models import (
    AuditEvent,
    Job,
    Presentation,
    Release,
    Remark,
    Role,
    SharingAnswer,
    Study,
    StudyWording,
    Worker,
    WorkerIdentity,
)
from annotation.reports.take_snapshot import take
from metrics.report.snapshot import read_snapshot
from tests.annotation.api.conftest import Caller
from tests.annotation.review.factories import NOW, make, member

pytestmark = pytest.mark.django_db
AGREED = ("--licence", "CC-BY-4.0", "--consent", "Asked before the first task.")


@pytest.fixture
def study(settings: Any, tmp_path: Path) -> Study:
    settings.VAR = tmp_path / "var"
    made = make(workers=6, texts=4)
    take(made, actor="ada", reason="report", now=NOW)
    return made


def release(study: Study, *words: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("release", study.name, *map(str, words), stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def test_who_objects_is_in_no_release_and_nothing_leads_to_the_others(study: Study, tmp_path: Path) -> None:
    first, second = Worker.objects.order_by("pk")[:2]
    wording = replace(default_wording("typicality"), sharing="I agree that my answers are published.")
    version = {"version": 1, "digest": wording.digest(), "body": as_json(wording), "created_at": NOW}
    asked = StudyWording.objects.create(study=study, **version)
    for submission in second.submissions.all():
        SharingAnswer.objects.create(submission=submission, wording=asked, agreed=False)
    (tmp_path / "no.txt").write_text(f"{first.identity.external_id}\n")
    (tmp_path / "wrong.txt").write_text("A0NOBODY\n")
    with pytest.raises(CommandError, match="1 names are of no rater"):
        release(study, "--withhold", tmp_path / "wrong.txt")
    look = release(study, "--withhold", tmp_path / "no.txt", "--look", tmp_path / "read.csv")
    assert (look["withheld"], look["raters"]) == (1, 4)
    # Without words of their own the consent is stated as the task page asked for it.
    done = release(study, "--out", tmp_path / "public", "--licence", "CC-BY-4.0")
    assert (done["raters"], done["withheld"]) == (4, 2)
    everything = b"".join(path.read_bytes() for path in (tmp_path / "public").rglob("*") if path.is_file()).decode()
    names = [*Worker.objects.values_list("pseudonym", flat=True)]
    names += [*WorkerIdentity.objects.values_list("external_id", flat=True), str(study.uuid)]
    assert [name for name in names if re.search(rf"\b{re.escape(name)}\b", everything)] == []
    snapshot = read_snapshot((tmp_path / "public" / "snapshot.json").read_bytes())
    assert len({row.rater for row in snapshot.report_input.ratings}) == 4
    assert "2 raters did not agree to share" in everything
    assert "asked on the task page, by a box to tick: “I agree that my answers are published.”" in everything
    assert f"{done['differing_numbers']} numbers of `report.json` differ, because raters who did not" in everything
    row = Release.objects.get()
    facts = AuditEvent.objects.get(study=study, verb="release").facts
    assert facts == {"release": 1, "raters": 4, "withheld": 2, "sha256": row.sha256}
    assert AuditEvent.objects.first_broken(study) is None
    # Another release of the same data has no name in common with the first.
    release(study, "--out", tmp_path / "again", *AGREED)
    again = read_snapshot((tmp_path / "again" / "snapshot.json").read_bytes()).report_input
    assert not {row.rater for row in again.ratings} & {row.rater for row in snapshot.report_input.ratings}


def test_only_comments_that_somebody_chose_are_released(study: Study, tmp_path: Path) -> None:
    shown = Presentation.objects.order_by("pk")[:2]
    for presentation, body in zip(shown, ("Reads well.", "I am Kim, kim@example.org"), strict=True):
        Remark.objects.create(presentation=presentation, question="why", body=body)
    release(study, "--look", tmp_path / "read.csv")
    rows = list(csv.DictReader((tmp_path / "read.csv").read_text().splitlines()))
    assert "email address: kim@example.org" in rows[0]["flags"]  # what is flagged comes first
    assert (rows[1]["comment"], rows[1]["flags"]) == ("Reads well.", "")
    rows[1]["release"] = "yes"
    with (tmp_path / "chosen.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    assert release(study, "--out", tmp_path / "public", "--comments", tmp_path / "chosen.csv", *AGREED)["comments"] == 1
    text = (tmp_path / "public" / "snapshot.json").read_text()
    assert "Reads well." in text
    assert "kim@example.org" not in text


def test_a_file_with_an_id_in_it_stops_the_release(study: Study, tmp_path: Path) -> None:
    study.statements.create(key="people", body="One of them was A2KIMEXAMPLE77.")
    with pytest.raises(CommandError, match=r"contains 'A2KIMEXAMPLE77' \(worker ID\); nothing was written"):
        release(study, "--out", tmp_path / "public", *AGREED)
    assert not (tmp_path / "public").exists()
    assert not Release.objects.exists()


def test_an_owner_releases_on_the_page_and_by_the_web_api(study: Study) -> None:
    owner = Caller("olga", study, Role.OWNER)
    client = Client()
    client.force_login(owner.user)
    address = reverse("console:exports-release", args=[study.uuid])
    page = client.get(address).content.decode()
    assert "share each combination of columns" in page, page[page.index("<main") :]
    wish = {"licence": "CC0-1.0", "consent": "Asked before the first task."}
    assert client.post(reverse("console:exports-release-create", args=[study.uuid]), wish).status_code == 302
    answer = owner("post", f"/studies/{study.uuid}/releases", {**wish, "licence": "CC-BY-4.0", "withheld": []})
    assert answer.status_code == 202
    assert run_due() == 2
    jobs = list(Job.objects.filter(kind="release").order_by("pk"))
    assert [(job.state, job.problem) for job in jobs] == [("done", "")] * 2
    assert sorted(Release.objects.values_list("licence", flat=True)) == ["CC-BY-4.0", "CC0-1.0"]
    with zipfile.ZipFile(folder_of(jobs[0]) / jobs[0].outcome["files"][0]) as packed:
        assert {"snapshot.json", "README.md", "DATACARD.md", "croissant.json"} <= set(packed.namelist())
    assert "release-1.zip" in client.get(address).content.decode()
    editor = Caller("eva", study, Role.EDITOR)
    assert editor("post", f"/studies/{study.uuid}/releases", wish).status_code == 403


def test_the_page_before_a_release_reads_no_rating_and_stores_nothing(study: Study) -> None:
    client = Client()
    client.force_login(member(study, "owner"))
    with CaptureQueriesContext(connection) as queries:
        page = client.get(reverse("console:exports-release", args=[study.uuid])).content.decode()
    assert "Raters in the release: 6." in page
    assert [query["sql"] for query in queries if "annotation_judgment" in query["sql"]] == []
    assert study.snapshots.get().reason == "report"
