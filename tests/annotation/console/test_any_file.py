"""Any file comes in through the page: its columns are chosen from menus, and the guess is mostly right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation.accounts.models import User
from annotation.jobs import queue, uploads
from annotation.jobs.run import run, run_due
from annotation.models import Job, Membership, Role, SavedMapping, Study
from tests.annotation.readers.foreign import other_tools as tools

pytestmark = pytest.mark.django_db
MAX_CHOICES = 3


@pytest.fixture
def client(study: Study, settings: Any, tmp_path: Path) -> Client:
    settings.VAR = tmp_path / "var"
    owner = User.objects.create_user("owner")
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    client = Client()
    client.force_login(owner)
    return client


def upload(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def fields(page: bytes) -> dict[str, Any]:
    """What a browser would send of the form with the menus."""
    (form,) = [form for form in html.fromstring(page).forms if form.xpath('.//*[@id="columns"]')]
    values: dict[str, Any] = {}
    for name, value in form.form_values():
        values.setdefault(name, []).append(value)
    return values


def pressed(client: Client, address: str, values: dict[str, Any]) -> Job:
    """Send the menus and let the work loop check the file."""
    answer = client.post(address, values)
    assert answer.status_code == 302, html.fromstring(answer.content).xpath("string(//main)")
    run_due(clock=timezone.now)
    return Job.objects.get(uuid=answer["Location"].rstrip("/").split("/")[-1])


def bring(client: Client, study: Study, path: Path, **more: Any) -> str:
    """Upload a file of texts; the address of its menus."""
    if path.is_dir():
        files: dict[str, Any] = {"folder": [upload(file) for file in path.iterdir()]}
    else:
        files = {"file": upload(path)}
    answer = client.post(reverse("console:texts-add", args=[study.uuid]), {**files, **more})
    assert answer.status_code == 302, html.fromstring(answer.content).xpath("string(//main)")
    return str(answer["Location"])


@pytest.mark.parametrize("file", [*tools.TWENTY, *tools.FOLDERS], ids=lambda file: file.name)
def test_a_file_of_another_tool_is_imported_without_a_choice(
    file: tools.Brought, client: Client, study: Study, tmp_path: Path
) -> None:
    path = tmp_path / file.name
    file.write(path)
    address = bring(client, study, path)
    page = client.get(address)
    job = pressed(client, address, fields(page.content))  # no menu is touched: 0 of MAX_CHOICES
    assert (job.state, job.outcome.get("total_problems"), job.outcome.get("texts")) == ("done", 0, file.texts), (
        job.problem
    )
    added = client.post(reverse("console:texts-confirm", args=[study.uuid]), {"job": job.uuid})
    assert added.status_code == 302
    assert study.texts.count() == file.texts
    assert not [folder for folder in (tmp_path / "var" / "uploads").iterdir() if any(folder.iterdir())]
    if file.layout:
        assert f"recognized as {file.layout}" in page.content.decode()


def test_a_file_without_any_usual_name_takes_three_choices(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [("alpha", "beta", "gamma"), *zip(tools.MODEL, tools.HUMAN, tools.PROMPTS, strict=True)]
    path.write_text(tools._csv(rows))
    address = bring(client, study, path)
    values = fields(client.get(address).content)
    choices = {"shape": "wide", "reference": "beta", "models": ["alpha"]}
    assert len(choices) <= MAX_CHOICES
    part = client.post(f"{address}preview/", {**values, **choices})
    assert tools.HUMAN[0] in part.content.decode()
    job = pressed(client, address, {**fields(b"<form>%s</form>" % part.content), **choices})
    assert (job.outcome["total_problems"], job.outcome["texts"]) == (0, 8)


def test_the_choice_is_remembered_and_saved_by_name(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(tools._csv([("alpha", "beta"), *zip(tools.MODEL, tools.HUMAN, strict=True)]))
    address = bring(client, study, path)
    choices = {"shape": "wide", "reference": "beta", "models": ["alpha"], "name": "lab files"}
    pressed(client, address, {**fields(client.get(address).content), **choices})
    again = fields(client.get(bring(client, study, path)).content)
    assert (again["shape"], again["reference"], again["models"]) == (["wide"], ["beta"], ["alpha"])
    other = tmp_path / "other.csv"
    other.write_text(tools._csv([("alpha", "beta", "more"), *zip(tools.MODEL, tools.HUMAN, "abcd", strict=True)]))
    address = bring(client, study, other)
    saved = fields(client.get(f"{address}?saved=lab files").content)
    assert saved["reference"] == ["beta"]
    assert set(SavedMapping.objects.values_list("name", flat=True)) == {"", "lab files"}


def test_what_is_missing_is_said_beside_the_menus(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(tools._csv([("alpha", "beta"), *zip(tools.MODEL, tools.HUMAN, strict=True)]))
    address = bring(client, study, path)
    answer = client.post(address, {**fields(client.get(address).content), "text": ""})
    assert answer.status_code == 422
    assert "Choose the column of the texts." in answer.content.decode()


def test_a_list_from_prolific_says_what_it_is(client: Client, study: Study, tmp_path: Path) -> None:
    (tmp_path / "prolific.csv").write_text(tools.PROLIFIC)
    address = bring(client, study, tmp_path / "prolific.csv")
    assert "a list of submissions from Prolific" in client.get(address).content.decode()


def test_another_encoding_can_be_chosen(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(tools._csv([("prompt", "human", "gpt2"), ("a", "őszi szél fúj itt", "b c d e")]).encode("cp1250"))
    address = bring(client, study, path)
    assert "õszi" in client.get(address).content.decode()
    answer = client.post(address, {**fields(client.get(address).content), "encoding": "cp1250", "again": "1"})
    page = client.get(answer["Location"])
    assert "őszi" in page.content.decode()
    job = pressed(client, answer["Location"], fields(page.content))
    assert job.outcome["preview"][0]["cells"]["text"] == "őszi szél fúj itt"


@pytest.mark.parametrize("rated", tools.RATED, ids=lambda rated: rated[0])
def test_ratings_of_other_tools_become_a_study(rated: Any, client: Client, tmp_path: Path) -> None:
    name, content, texts, ratings, _ = rated
    (tmp_path / name).write_text(content)
    address = reverse("console:studies-ratings")
    answer = client.post(address, {"name": "rated", "file": upload(tmp_path / name)})
    job = pressed(client, answer["Location"], fields(client.get(answer["Location"]).content))
    assert (job.state, job.outcome.get("judgments")) == ("done", ratings), job.problem
    assert "The file is valid" in client.get(reverse("console:job", args=[job.uuid])).content.decode()
    imported = client.post(reverse("console:studies-ratings-confirm"), {"job": job.uuid})
    run_due(clock=timezone.now)
    job = Job.objects.get(uuid=imported["Location"].rstrip("/").split("/")[-1])
    assert (job.outcome["judgments"], job.outcome["texts"]) == (ratings, texts), job.problem
    assert Study.objects.filter(name="rated", mode="imported").exists()


def test_a_strangers_file_is_not_there(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    tools.TWENTY[0].write(path)
    address = bring(client, study, path)
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    for part in ("", "preview/"):
        assert stranger.post(address + part, {}).status_code == 404
    rated = client.post(reverse("console:studies-ratings"), {"name": "x", "file": upload(path)})["Location"]
    for part in ("", "preview/"):
        assert stranger.post(rated + part, {}).status_code == 404


def test_a_job_that_stores_texts_can_be_canceled_and_leaves_none(client: Client, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    tools.TWENTY[0].write(path)
    address = bring(client, study, path)
    check = pressed(client, address, fields(client.get(address).content))
    job = queue.ask(Job.Kind.ADD_TEXTS, by=check.asked_by, now=timezone.now(), study=study, settings=check.settings)
    job = queue.take(now=timezone.now(), only=job)
    assert job is not None
    assert job.cancelable
    client.post(reverse("console:job-cancel", args=[job.uuid]))
    run(job)
    job.refresh_from_db()
    assert (job.state, job.problem, study.texts.count()) == ("failed", "Canceled by owner.", 0)
    assert Path(json.loads(json.dumps(job.settings))["path"]).exists()  # it can be begun again


def test_an_upload_that_breaks_off_leaves_nothing(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path

    class BrokenOff(SimpleUploadedFile):
        def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
            yield b"prompt,human"
            raise OSError("the connection was closed")

    for store in (uploads.keep, lambda file: uploads.keep_folder([upload(Path(__file__)), file])):
        with pytest.raises(OSError, match="closed"):
            store(BrokenOff("texts.csv", b""))
    assert list((tmp_path / "uploads").iterdir()) == []
