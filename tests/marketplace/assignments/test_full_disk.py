"""A disk that takes nothing more: workers are told so and keep what they wrote, and the site is not ready."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence

import httpx
import pytest
from django.db import InternalError, OperationalError, connection
from django.db.models import Model
from django.test import Client
from lxml import html

from annotation.marketplace.assignments import accept_submit, places
from annotation.marketplace.core.prepared_sql import RowChange, insert
from annotation.marketplace.models import Assignment, Submission
from annotation.marketplace.monitoring import health, storage
from annotation.marketplace.site import sign_in as entrance
from tests.marketplace.people import Person, reason

pytestmark = pytest.mark.database
FULL = OperationalError("database or disk is full")  # SQLite's sentence
FIELDS = [("rating", "5"), ("why", "It says:\r\n“no” & <nothing>"), ("rating", "6")]


@pytest.fixture(autouse=True)
def unprobed(settings) -> Iterator[None]:
    settings.CELERY_BROKER_URL = ""
    storage._probed.clear()
    yield
    storage._probed.clear()  # what a full disk answered is good for ten seconds, and the next test has another disk


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The disk is full once a submission's row is written, until it is undone."""

    def refused(rows: Sequence[Model], *changes: RowChange) -> None:
        insert(rows, *changes)
        raise FULL

    monkeypatch.setattr(accept_submit, "insert", refused)
    return monkeypatch


def test_answers_that_cannot_be_stored_stay_in_the_page_and_are_recorded_when_sent_again(
    lab, ann: Person, full
) -> None:
    task = ann.take(lab.hit())
    page = ann.hand_in(task, FIELDS)
    assert (page.status_code, reason(page), page.headers["Retry-After"]) == (503, "unstored", "30")
    (form,) = html.fromstring(page.content).forms
    assert "cannot store anything at the moment" in page.text
    assert (Submission.objects.count(), Assignment.objects.get().state) == (0, "Accepted")
    full.undo()
    sent = httpx.post(str(page.url.join(form.action)), data=_by_name(form.form_values()), trust_env=False)
    assert (sent.status_code, reason(sent)) == (200, "recorded")
    # A browser reads the page's line ends as LF, and sends CRLF.
    why = FIELDS[1][1].replace("\r\n", "\n")
    assert json.loads(Submission.objects.get().raw) == [
        ["assignmentId", task.id], ["rating", "5"], ["rating", "6"], ["why", why],
    ]  # fmt: skip


def test_the_page_around_a_task_is_told_to_keep_the_answers(lab, ann: Person, full) -> None:
    task = ann.take(lab.hit())
    answer = httpx.post(
        f"{task.fields['turkSubmitTo']}/mturk/externalSubmit",
        data={"assignmentId": task.id},
        headers={"Accept": "application/json"},
        trust_env=False,
    )
    assert (answer.status_code, answer.json()["reason"], answer.json()["same"]) == (503, "unstored", False)


@pytest.mark.parametrize("error", [FULL, InternalError("read-only"), OSError(errno.ENOSPC, "No space left on device")])
def test_a_step_that_writes_nothing_of_the_worker_is_answered_in_words_too(lab, ann, monkeypatch, error) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(places, "insert", refused)
    page = ann.accept(lab.hit())
    assert (page.status_code, reason(page)) == (503, "unstored")
    assert Assignment.objects.count() == 0


def test_a_password_is_not_repeated_in_a_page(client: Client, db, settings, monkeypatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise FULL

    settings.WORKER_ORIGIN = settings.HIT_ORIGIN = "http://testserver"
    monkeypatch.setattr(entrance.registration, "sign_in", refused)
    page = client.post("/hits/sign-in/", {"who": "ann@example.org", "password": "four long words"})
    assert page.status_code == 503
    assert "four long words" not in page.text
    assert "try again in a few minutes" in page.text


def test_an_error_of_another_kind_stays_one(lab, ann: Person, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(places, "insert", broken)
    assert ann.accept(lab.hit()).status_code == 500


@pytest.fixture
def a_full_database(transactional_db) -> Iterator[None]:
    """The real thing, as far as a test can make it: no page can be added, or nothing be written."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            pages, free, most = (
                cursor.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "max_page_count")
            )
            # What lies free is filled first.
            cursor.execute("CREATE TABLE filler (content)")
            cursor.execute(f"INSERT INTO filler VALUES (zeroblob({4096 * (free + 1)}))")
            cursor.execute(f"PRAGMA max_page_count = {pages}")
            yield
            cursor.execute(f"PRAGMA max_page_count = {most}")
            cursor.execute("DROP TABLE filler")
    else:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
            yield
            cursor.execute("SET default_transaction_read_only = off")


def test_a_site_that_can_write_no_submission_is_not_ready(client: Client, a_full_database, monkeypatch) -> None:
    health._up_to_date.add(str(connection.settings_dict["NAME"]))
    answer = client.get("/health/ready")
    reason = "full" if connection.vendor == "sqlite" else "read-only"
    assert (answer.status_code, answer.json()) == (
        503,
        {"ready": False, "checks": {"database": "ok", "migrations": "ok", "storage": reason}},
    )


def test_a_probe_leaves_nothing_and_is_good_for_ten_seconds(db, monkeypatch, django_assert_num_queries) -> None:
    now = 1000.0
    monkeypatch.setattr(storage.time, "monotonic", lambda: now)
    assert storage.storage() == "ok"
    assert Submission.objects.count() == 0
    now += 9.9
    with django_assert_num_queries(0):
        assert storage.storage() == "ok"
    now += 0.1
    monkeypatch.setattr(storage.Submission.objects, "create", lambda **_: (_ for _ in ()).throw(FULL))
    assert storage.storage() == "failing"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the disk of another database's server is not ours to see")
def test_less_room_than_the_largest_form_takes_is_not_ready(client: Client, db, monkeypatch) -> None:
    little = storage.shutil.disk_usage("/")._replace(free=8 * 1024 * 1024)
    monkeypatch.setattr(storage.shutil, "disk_usage", lambda _: little)
    assert client.get("/health/ready").json()["checks"]["storage"] == "full"


def _by_name(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
