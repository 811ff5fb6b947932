"""Uploads that nobody goes on with are deleted, those that somebody waits for are not."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from annotation.jobs import queue as jobs
from annotation.jobs.clean_uploads import tidy, tidy_measures
from annotation.models import Job, Study
from tests.annotation.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.database]
WEEK = timedelta(days=7)


def upload(folder: Path, name: str, *, age: timedelta) -> Path:
    path = folder / name / "texts.csv"
    path.parent.mkdir(parents=True)
    path.write_text("id,text,source\n", encoding="utf-8")
    at = (NOW - age).timestamp()
    os.utime(path.parent, (at, at))
    return path


def test_only_what_is_old_goes(tmp_path: Path) -> None:
    old, young = upload(tmp_path, "a", age=WEEK), upload(tmp_path, "b", age=WEEK - timedelta(minutes=1))
    assert tidy(tmp_path, now=NOW, keep=WEEK) == 1
    assert not old.parent.exists()
    assert young.exists()


@pytest.mark.parametrize(("state", "kept"), [("waiting", True), ("running", True), ("done", False), ("failed", False)])
def test_what_an_open_job_reads_stays(tmp_path: Path, state: str, kept: bool) -> None:
    texts, more = (upload(tmp_path, name, age=2 * WEEK) for name in ("a", "b"))
    job = jobs.ask(
        Job.Kind.CHECK_TEXTS, by=None, now=NOW, settings={"path": str(texts), "likelihoods": str(more), "allow": []}
    )
    Job.objects.filter(pk=job.pk).update(state=state, problem="odd")
    tidy(tmp_path, now=NOW, keep=WEEK)
    assert (texts.exists(), more.exists()) == (kept, kept)


def test_where_nothing_was_uploaded_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert tidy(tmp_path / "uploads", now=NOW, keep=WEEK) == 0


def test_measures_of_no_study_go_with_the_uploads(tmp_path: Path, study: Study) -> None:
    def files_of(kind: str, *, state: str = "done", of: Study | None = None, age: timedelta = WEEK) -> Path:
        job = Job.objects.create(
            kind=kind, state=state, study=of, problem="odd", created_at=NOW - age, finished_at=NOW - age
        )
        folder = tmp_path / str(job.uuid)
        folder.mkdir()
        return folder

    gone = [
        files_of("nnd_tests"),
        files_of("nnd_run"),
        files_of("h_score"),
        files_of("h_score", state="failed", of=study),
    ]
    stays = [files_of("h_score", of=study), files_of("comparison"), files_of("h_score", age=WEEK / 2)]
    read = files_of("nnd_tests")
    Job.objects.create(kind="nnd_run", created_at=NOW, settings={"tests": read.name})
    assert tidy_measures(tmp_path, now=NOW, keep=WEEK) == len(gone)
    assert {folder for folder in (*gone, *stays, read) if folder.exists()} == {*stays, read}
