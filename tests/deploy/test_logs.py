"""Logs as lines of JSON."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from annotation.accounts.models import ApiToken, User
from deploy.logs import HEADER, JsonLines, without_secrets
from tests.deploy.test_settings import manage

PASSWORD = "a pass phrase that is nowhere written"
WORKER = "A2EXAMPLEWORKER9"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the root logger writes, with the formatter of LOG_FORMAT=json."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def test_lines_have_the_request_and_the_number_of_the_user_and_no_planted_secret(
    client: Client, db: None, settings: Any, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = User.objects.create_user("ada-lovelace", email="ada@example.org", password=PASSWORD)
    token = ApiToken.objects.issue(user, name="test", now=user.date_joined)[1]

    def fail(request: Any, **more: Any) -> None:
        raise RuntimeError(f"planted: {token} password={PASSWORD!r} WorkerId={WORKER} of {user.email} at {WORKER}")

    monkeypatch.setattr("annotation.console.views.keys._shown", fail)
    client.raise_request_exception = False
    client.force_login(user)
    answer = client.get(f"/console/settings/?token={token}", headers={HEADER: "proxy-number-1"})
    assert (answer.status_code, answer[HEADER]) == (500, "proxy-number-1")
    settings.AXES_ENABLED = True
    Client().post("/console/sign-in/", {"username": user.username, "password": "wrong"})
    client.get("/console/enter/a-secret-link-of-a-person-0123456789/")
    client.get("/api/v1/nowhere", headers={"authorization": f"Bearer {token}"})
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    failed = next(line for line in records if line["level"] == "ERROR")
    assert failed["request"] == "proxy-number-1"
    assert (failed["user"], failed["route"], failed["status"]) == (user.pk, "console:keys", 500)
    assert "RuntimeError: planted" in failed["error"]
    for secret in (token, PASSWORD, WORKER, "a-secret-link", user.username, user.email):
        assert secret not in lines.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abcdefghij", "Authorization: [secret] [secret]"),
        ("redis://:hidden@host/0", "redis://:[secret]@host/0"),
        ("{'password': 'x y', 'a': 1}", "{'password': [secret], 'a': 1}"),
        ("AKIAABCDEFGHIJKLMN failed", "[key] failed"),
        ("3 jobs waited; ASSIGNMENT is a word", "3 jobs waited; ASSIGNMENT is a word"),
    ],
)
def test_secrets_are_replaced_and_words_stay(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_a_number_that_is_no_number_is_replaced(client: Client, db: None) -> None:
    odd = client.get("/console/sign-in/", headers={HEADER: 'x" "level": "INFO'})[HEADER]
    assert len(odd) == 32
    assert client.get("/console/sign-in/")[HEADER] != odd


def test_the_setting_switches_them_on() -> None:
    ask = "import logging; logging.getLogger('any').warning('a sentence')"
    written = manage("shell", "-v0", "-c", ask, LOG_FORMAT="json", DATABASE_URL="sqlite:///:memory:").stderr
    assert json.loads(written.splitlines()[-1])["message"] == "a sentence"
    assert "must be plain or json" in manage("check", LOG_FORMAT="xml").stderr
