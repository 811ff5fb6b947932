"""Uploads and jobs' files of two machines with folders of their own, which share a bucket (of moto's S3 server)."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from moto.server import ThreadedMotoServer

from annotation.accounts.models import User
from annotation.jobs import queue, run, shared_files, uploads
from annotation.jobs.backups.archive import read_manifest
from annotation.jobs.backups.back_up import back_up
from annotation.jobs.clean_uploads import tidy
from annotation.jobs.diagnosis import check_files
from annotation.jobs.job_files import folder_of
from annotation.models import Job
from deploy.settings.environment import bucket

RATINGS = "item,rater,value\nt1,r1,3\nt1,r2,5\nt2,r1,1\nt2,r2,2\n"
NOW = datetime(2026, 11, 25, 20, 0, tzinfo=UTC)
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def store():
    """The address of an S3-compatible server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def machines(store, settings, tmp_path, monkeypatch):
    """A call that makes this process one of the machines, by its number."""
    keys = {"AWS_ACCESS_KEY_ID": "lab", "AWS_SECRET_ACCESS_KEY": "lab", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FILES_ENDPOINT_URL", store)
    name = f"files-{uuid.uuid4().hex}"
    boto3.client("s3", endpoint_url=store).create_bucket(Bucket=name)
    settings.FILES_BUCKET = name
    settings.STORAGES = {**settings.STORAGES, "files": bucket(name)}

    def become(number: int) -> None:
        settings.VAR = tmp_path / f"machine-{number}"
        settings.VAR.mkdir(exist_ok=True)

    become(1)
    return become


def away(settings, monkeypatch) -> None:
    monkeypatch.setenv("FILES_ENDPOINT_URL", NOWHERE)
    settings.STORAGES = {**settings.STORAGES, "files": bucket(settings.FILES_BUCKET)}


def look(path: str) -> Job:
    ada = User.objects.get_or_create(username="ada", is_superuser=True)[0]
    return queue.ask(Job.Kind.LOOK_AT_FILE, by=ada, now=timezone.now(), settings={"path": path, "of": "ratings"})


def ended(job: Job) -> Job:
    run.run_due()
    job.refresh_from_db()
    return job


@pytest.mark.django_db
def test_a_file_that_came_to_one_machine_is_read_on_another(machines):
    path = uploads.keep(SimpleUploadedFile("ratings.csv", RATINGS.encode()))
    machines(2)
    done = ended(look(str(path)))
    assert done.state == Job.State.DONE, done.problem
    assert [column["name"] for column in done.outcome["look"]["columns"]] == ["item", "rater", "value"]
    assert done.settings["path"] == str(path)
    assert not any(file.is_file() for file in (path.parents[3] / "machine-2").rglob("*"))


@pytest.mark.django_db
def test_what_a_job_wrote_on_one_machine_is_handed_out_by_another(machines, client, monkeypatch):
    def wrote(job, tell, now):
        folder = folder_of(job)
        folder.mkdir(parents=True)
        (folder / "table.csv").write_text("a,b\n1,2\n")
        return {"files": ["table.csv"]}, None

    monkeypatch.setitem(run.RUNS, Job.Kind.LOOK_AT_FILE, wrote)
    job = ended(look("/nowhere"))
    machines(2)
    client.force_login(job.asked_by)
    answer = client.get(reverse("console:job-file", args=[job.uuid, "table.csv"]))
    assert b"".join(answer.streaming_content) == b"a,b\n1,2\n"
    with shared_files.borrow(folder_of(job)) as folder:
        assert [file.name for file in folder.iterdir()] == ["table.csv"]


@pytest.mark.django_db
def test_a_missing_file_is_no_error_of_the_server(machines, client, monkeypatch):
    monkeypatch.setitem(run.RUNS, Job.Kind.LOOK_AT_FILE, lambda job, tell, now: ({"files": ["gone.csv"]}, None))
    job = ended(look("/nowhere"))
    client.force_login(job.asked_by)
    assert client.get(reverse("console:job-file", args=[job.uuid, "gone.csv"])).status_code == 404


@pytest.mark.django_db
def test_a_store_that_is_away_is_a_sentence(machines, client, settings, monkeypatch):
    monkeypatch.setitem(run.RUNS, Job.Kind.LOOK_AT_FILE, lambda job, tell, now: ({"files": ["a.csv"]}, None))
    job = ended(look("/nowhere"))
    away(settings, monkeypatch)
    client.force_login(job.asked_by)
    page = client.get(reverse("console:job-file", args=[job.uuid, "a.csv"]))
    assert page.status_code < 500
    assert b"The storage of files does not answer" in page.content
    with pytest.raises(shared_files.StorageError):
        uploads.keep(SimpleUploadedFile("ratings.csv", RATINGS.encode()))
    assert not any(file.is_file() for file in settings.VAR.rglob("*"))
    failed = ended(look("/elsewhere/uploads/0123/ratings.csv"))
    assert (failed.state, "storage of files does not answer" in failed.problem) == (Job.State.FAILED, True)
    assert [symptom.state for symptom in check_files(NOW)] == ["fault"]


@pytest.mark.django_db
def test_old_uploads_are_deleted_for_all_machines(machines, settings):
    path = uploads.keep(SimpleUploadedFile("ratings.csv", RATINGS.encode()))
    machines(2)
    folder, later = settings.VAR / "uploads", timezone.now() + timedelta(days=8)
    assert tidy(folder, now=timezone.now(), keep=timedelta(days=7)) == 0
    assert tidy(folder, now=later, keep=timedelta(days=7)) == 1
    assert list(shared_files.stored_names("uploads")) == []
    assert shared_files.open_file(path.parents[3] / "machine-2" / "uploads" / path.parent.name / path.name) is None


@pytest.mark.django_db
def test_a_backup_holds_what_lies_in_the_bucket(machines, settings, tmp_path):
    path = uploads.keep(SimpleUploadedFile("ratings.csv", RATINGS.encode()))
    machines(2)
    file = tmp_path / "a.assay"
    back_up(file, now=NOW)
    assert f"files/uploads/{path.parent.name}/ratings.csv" in read_manifest(file)["sha256"]


def test_the_doctor_writes_and_deletes_a_file(machines):
    assert [symptom.state for symptom in check_files(NOW)] == ["ok"]
    assert list(shared_files.stored_names("doctor")) == []


def test_without_a_bucket_files_stay_where_they_are(settings, tmp_path):
    settings.VAR = tmp_path
    path = uploads.keep(SimpleUploadedFile("ratings.csv", RATINGS.encode()))
    with shared_files.open_file(path) as content:
        assert content.read() == RATINGS.encode()
    shared_files.leave(path.parent)
    assert path.is_file()
    assert storages["files"] is not None
    uploads.discard(path)
    assert not path.exists()
