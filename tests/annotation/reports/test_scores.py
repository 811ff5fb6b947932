"""Files of scores kept with a study: by the page, the API and the command; refused by row, column and rule."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.exceptions import DesignError, StateError
from annotation.models import ScoreFile, Study
from annotation.reports.attach_scores import attach, detach
from annotation.reports.gather import score
from metrics.report.build import build_report
from metrics.report.formats.html import html
from metrics.report.section_kind import Options
from metrics.report.sections import machine_scores
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.review.factories import make, member
from tests.metrics.report.test_formats import rates

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 22, tzinfo=UTC)
# Of the texts t0 to t7 the even ones are references: every model text scores higher on `human`, none on `flat`.
TABLE = "id,human,flat\n" + "".join(f"t{at},{at % 2 + at / 100},1\n" for at in range(8))
MADE = {"model": "detector", "version": "2.1", "actor": "ada", "now": NOW}


@pytest.fixture
def study() -> Study:
    return make(workers=3, hits=2, texts=4)


def written(folder: Path, content: str, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_table_is_told_by_source_in_every_report_with_what_made_it(study: Study, tmp_path: Path) -> None:
    kept = attach(study, written(tmp_path, TABLE), **MADE)
    assert kept.sha256 == hashlib.sha256(TABLE.encode()).hexdigest()
    report = build_report(score(study))
    found = machine_scores.SECTIONS[0].section(report.input, Options())
    (table,) = found.tables
    rows = {(row[1], row[2]): row for row in table.rows}
    assert set(rows) == {(measure, side) for measure in ("human", "flat") for side in ("references", "tiny")}
    assert rows["human", "references"][3].value == pytest.approx((0 + 0.02 + 0.04 + 0.06) / 4)
    assert (rows["human", "tiny"][4].value, rows["flat", "tiny"][4].value) == (1.0, 0.5)
    assert rows["human", "tiny"][4].interval.low < 1
    assert rows["human", "references"][4] is None
    page = html(report, now=NOW)
    for words in ("by detector, version 2.1", "attached by ada on 22 November 2026", kept.sha256):
        assert words in re.sub("<[^>]+>", "", page)


def test_a_file_of_ours_says_itself_what_made_it(study: Study, tmp_path: Path) -> None:
    kept = attach(study, written(tmp_path, json.dumps(rates()), "nnd.json"), actor="ada", now=NOW)
    assert (kept.kind, kept.model) == ("nnd", "")
    assert [one.key for one in build_report(score(study)).sections if one.tables][-1] == "nnd"


FAULTS = {
    "id,score\nt0,high\n": "row 2, column score: 'high' is not a finite decimal number",
    "id,score\nt99,1\n": "no text of the study has the id 't99'",
    "id,score\nt0,1\nt0,2\n": "has scores in row 2 already",
    "id,score\n,1\n": "the cell is blank",
    "id\nt0\n": "a column of scores in addition",
    "name,score\nt0,1\n": "id",
    "id,score\nt0,\n": "the column holds no score",
    "id,score\nt0,nan\n": "is not a finite decimal number",
    "": "empty",
    "{": "not JSON",
    "[1]": "a JSON object was expected",
    '{"a": 1}': "neither",
    '{"mean_fp": 1}': "shape|expected",
    '{"models": [{}]}': "pass rates need",
}


@pytest.mark.parametrize("content", FAULTS)
def test_a_file_with_a_fault_is_refused_whole_by_row_column_and_rule(
    study: Study, tmp_path: Path, content: str
) -> None:
    with pytest.raises(DesignError, match=FAULTS[content]) as caught:
        attach(study, written(tmp_path, content), **MADE)
    assert caught.value.field == "file"
    assert not ScoreFile.objects.exists()


def test_the_same_file_twice_and_scores_of_nobody_are_refused(study: Study, tmp_path: Path) -> None:
    path = written(tmp_path, TABLE)
    with pytest.raises(StateError, match="Say which model") as caught:
        attach(study, path, actor="ada", now=NOW)
    assert caught.value.field == "model"
    attach(study, path, **MADE)
    with pytest.raises(StateError, match=r"has this file already, as scores\.csv"):
        attach(study, path, **MADE)


def test_named_columns_alone_are_taken_and_a_file_can_be_taken_away(study: Study, tmp_path: Path) -> None:
    kept = attach(study, written(tmp_path, TABLE), columns=["flat"], **MADE)
    assert list(json.loads(kept.document)["scores"]) == ["flat"]
    detach(kept, actor="ada", now=NOW)
    assert score(study).attached == ()
    assert [one.verb for one in study.audit.order_by("number")] == ["attach", "detach"]


def test_the_command_attaches_and_takes_away(study: Study, tmp_path: Path) -> None:
    path = written(tmp_path, TABLE)
    source = {"model": "detector", "version_of": "2.1", "column": ["human"]}
    call_command("attach_scores", study.name, path, **source, dry_run=True)
    assert not study.score_files.exists()
    call_command("attach_scores", study.name, path, **source)
    assert study.score_files.get().model == "detector"
    with pytest.raises(CommandError, match=r"Nothing was attached: .*other"):
        call_command("attach_scores", study.name, path, model="a", version_of="1", column=["other"])
    call_command("attach_scores", study.name, path, take_away=True)
    with pytest.raises(CommandError, match=r"has no file scores\.csv"):
        call_command("attach_scores", study.name, path, take_away=True)


def test_an_editor_attaches_on_the_page_and_a_viewer_reads(study: Study, settings, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    address, editor, viewer = reverse("console:exports-scores", args=[study.uuid]), Client(), Client()
    editor.force_login(member(study, "editor"))
    viewer.force_login(member(study, "viewer"))
    for client, status in ((viewer, 200), (editor, 302)):
        given = {"file": SimpleUploadedFile("scores.csv", TABLE.encode()), "model": "detector", "version": "2.1"}
        assert client.post(address, given).status_code == status
    kept = study.score_files.get()
    page = viewer.get(address).content.decode()
    assert "detector" in page
    assert "Take away" not in page
    assert not list((tmp_path / "uploads").glob("*/scores.csv"))
    away = reverse("console:exports-scores-away", args=[study.uuid, kept.pk])
    assert viewer.post(away).status_code == 403
    assert editor.post(away).status_code == 302
    assert not ScoreFile.objects.exists()


def test_the_api_attaches_lists_and_takes_away(study: Study, settings, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    eve, path = Caller("eve", study, "editor"), f"/studies/{study.uuid}/scores"
    made = eve.upload(path, TABLE, model="detector", version="2.1")
    assert made.status_code == 201, made.content
    listed = eve("get", path).json()["items"]
    assert [(one["name"], one["kind"], one["model"]) for one in listed] == [("mine.csv", "scores", "detector")]
    refused = fault(eve.upload(path, "id,score\nt99,1\n", model="a", version="1"))
    assert refused[:2] == (409, "design")
    assert eve("delete", f"{path}/{listed[0]['number']}").status_code == 204
    assert eve("delete", f"{path}/{listed[0]['number']}").status_code == 404
