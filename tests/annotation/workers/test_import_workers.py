"""Worker IDs of an old list come in with qualifications and blocks, by command, page and API; bad rows are named."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.jobs.run import run_due
from annotation.marketplace.models import QualificationGrant, WorkerAccount, WorkerBlock
from annotation.models import Job
from tests.annotation.conftest import told

pytestmark = pytest.mark.database
LIST = "worker,qualification: Reads English,block,note\nA1OLD,90,,first\nA2OLD,,Copied answers.,\nA3OLD,0,,\n"
# In the columns of the requester site's own list.
SITE = "Worker ID,CURRENT-Reads,UPDATE-Reads,CURRENT BlockStatus,UPDATE BlockStatus\nA1OLD,5,7,Never Blocked,Block\n"


@pytest.fixture
def owner(site: str, settings: Any, tmp_path: Path) -> User:
    settings.VAR = tmp_path / "var"
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    key = told("create_requester", "console-requester")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    told("create_worker", "somebody", "--worker-id", "A3OLD")  # is here under a name
    return User.objects.create_superuser("owner")


def market() -> tuple[set[str], dict[str, tuple[str, int]], dict[str, str]]:
    """The workers, their qualifications and the blocks that the marketplace has."""
    grants = QualificationGrant.objects.values_list("worker__worker_id", "qualification_type__name", "value")
    return (
        set(WorkerAccount.objects.values_list("worker_id", flat=True)),
        {worker: (name, value) for worker, name, value in grants},
        dict(WorkerBlock.objects.values_list("worker__worker_id", "reason")),
    )


EXPECTED = (
    {"A1OLD", "A2OLD", "A3OLD"},
    {"A1OLD": ("Reads English", 90), "A3OLD": ("Reads English", 0)},
    {"A2OLD": "Copied answers."},
)


@pytest.mark.database
def test_by_command_twice_and_once_as_a_dry_run(owner: User, tmp_path: Path) -> None:
    path, out, warned = tmp_path / "old.csv", io.StringIO(), io.StringIO()
    path.write_text(LIST)
    call_command("import_workers", str(path), dry_run=True, stdout=out, stderr=warned)
    assert out.getvalue() == "3 workers, 2 scores, 1 blocks. Nothing was changed.\n"
    assert "'note'" in warned.getvalue()
    assert market() == ({"A3OLD"}, {}, {})
    for _ in range(2):
        call_command("import_workers", str(path), stdout=out, stderr=warned)
        assert market() == EXPECTED
    path.write_text(SITE)
    call_command("import_workers", str(path), stdout=out, stderr=warned)
    assert QualificationGrant.objects.get(qualification_type__name="Reads").value == 7
    assert WorkerBlock.objects.filter(worker__worker_id="A1OLD").exists()


@pytest.mark.database
def test_bad_rows_are_named_and_none_is_imported(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_text("worker,qualification: Q,UPDATE BlockStatus\na1,1,\nA1OLD,x,\nA1OLD,1,\nA9,1,maybe\n")
    with pytest.raises(CommandError) as refused:
        call_command("import_workers", str(path), stdout=io.StringIO())
    for part in (
        "row 2, column 'worker'",
        "row 3, column 'qualification: Q'",
        "row 4, column 'worker': duplicate",
        "row 5, column 'UPDATE BlockStatus'",
    ):
        assert part in str(refused.value)
    assert market() == ({"A3OLD"}, {}, {})


@pytest.mark.parametrize("way", ["page", "api"])
def test_by_page_and_by_api_for_owners_of_the_installation(owner: User, way: str) -> None:
    def sent(user: User, text: str) -> Any:
        file = SimpleUploadedFile("old.csv", text.encode())
        if way == "page":
            client = Client()
            client.force_login(user)
            return client.post("/console/workers/import/", {"file": file})
        token = ApiToken.objects.issue(user, name="t", now=timezone.now())[1]
        return Client().post("/api/v1/workers", {"file": file}, headers={"Authorization": f"Bearer {token}"})

    assert sent(User.objects.create_user("stranger"), LIST).status_code == 403
    faulty = sent(owner, "worker\nbad\n")
    assert faulty.status_code in (409, 422)
    assert "row 2" in faulty.content.decode()
    assert Job.objects.count() == 0
    assert sent(owner, LIST).status_code in (202, 302)
    run_due(clock=timezone.now)
    job = Job.objects.get()
    assert (job.state, job.outcome["workers"], job.outcome["blocks"]) == ("done", 3, 1)
    assert market() == EXPECTED
