"""A locked or full database is a sentence in the console, the web API, the administration and elsewhere."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.common.upload_limits import FILE_MIB, MIB, SUBMISSION_MIB
from annotation.importing import texts_upload
from deploy.failures import answer_failure
from tests.deploy.test_database_errors import full, locked, raised_by

pytestmark = pytest.mark.django_db
CAUSES = [(locked, "The database is locked by another process"), (full, "The disk of the server is full")]


@contextmanager
def failing(error: OperationalError, table: str) -> Iterator[None]:
    """Every statement about a table fails as the database has it fail."""

    def refuse(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if table in sql:
            raise error from error.__cause__
        return execute(sql, *args)

    with connection.execute_wrapper(refuse):
        yield


@pytest.fixture
def client() -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize(("act", "title"), CAUSES)
@pytest.mark.parametrize(
    ("table", "name", "sent"),
    [
        ("django_session", "studies", None),
        ("annotation_study", "studies", None),
        ("apitoken", "keys-token", {"name": "a"}),
    ],
)
def test_a_page_of_the_console_says_what_happened(
    *,
    act: Callable[[Path], None],
    title: str,
    table: str,
    name: str,
    sent: dict[str, str] | None,
    client: Client,
    tmp_path: Path,
) -> None:
    with failing(raised_by(act, tmp_path / "a.sqlite3"), table):
        address = reverse(f"console:{name}")
        answer = client.post(address, sent) if sent else client.get(address)
    assert answer.status_code == 503, answer.content.decode()
    assert f"<h1>{title}</h1>" in answer.content.decode()
    assert "send it again" in answer.content.decode()
    assert answer["Retry-After"] == "30"


@pytest.mark.parametrize(("act", "title"), CAUSES)
def test_the_web_api_answers_by_a_problem_document(
    act: Callable[[Path], None], title: str, client: Client, tmp_path: Path
) -> None:
    user = User.objects.get(username="root")
    _, token = ApiToken.objects.issue(user, name="a program", now=timezone.now())
    with failing(raised_by(act, tmp_path / "a.sqlite3"), "annotation_study"):
        answer = client.get("/api/v1/studies", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["detail"].startswith(title)


def test_the_administration_and_pages_without_a_layout_say_it_too(client: Client, tmp_path: Path) -> None:
    error = raised_by(locked, tmp_path / "a.sqlite3")
    for address, table in (("/admin/", "django_session"), ("/shared/a-token/", "annotation_")):
        with failing(error, table):
            answer = client.get(address)
        assert (answer.status_code, "locked by another process" in answer.content.decode()) == (503, True)


def test_another_error_is_told_without_its_words(client: Client) -> None:
    with failing(OperationalError("no such column: secret"), "annotation_study"):
        answer = client.get(reverse("console:studies"))
    assert answer.status_code == 500
    assert "<h1>Internal error</h1>" in answer.content.decode()
    assert "secret" not in answer.content.decode()


def test_a_form_that_is_too_large_is_answered_with_the_limit(client: Client) -> None:
    answer = client.post(reverse("console:keys-token"), {"name": "a" * (SUBMISSION_MIB * MIB + 1)})
    assert answer.status_code == 413
    assert f"<h1>What you sent is larger than {SUBMISSION_MIB} MB</h1>" in answer.content.decode()


def test_a_file_that_is_too_large_is_a_sentence_at_its_field(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_upload, "MAX_BYTES", 10)
    page = client.get(reverse("console:studies-import")).content.decode()
    assert f"At most {FILE_MIB} MB." in page
    file = SimpleUploadedFile("results.csv", b"a" * 11, "text/csv")
    answer = client.post(reverse("console:studies-import"), {"name": "batch", "file": file})
    assert answer.status_code == 422
    assert f"The file is larger than {FILE_MIB} MB." in answer.content.decode()


def test_a_folder_that_is_read_only_is_not_called_a_database() -> None:
    try:
        raise OSError(errno.EROFS, "Read-only file system", "uploads/items.csv")
    except OSError:
        answer = answer_failure(RequestFactory().post("/console/studies/"))
    page = answer.content.decode()
    assert (answer.status_code, "The disk or the database of the server is read-only" in page) == (503, True)
    assert "items.csv" not in page
