"""Programs that call the API, each with the token of a person."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from annotation.accounts.models import ApiToken, User
from annotation.models import Membership, Study

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Caller:
    """A program of one user."""

    def __init__(self, name: str, study: Study | None = None, role: str = "") -> None:
        self.user = User.objects.create_user(name)
        self.row, self.token = ApiToken.objects.issue(self.user, name="test", now=NOW)
        if study is not None:
            Membership.objects.create(study=study, user=self.user, role=role)

    def __call__(self, method: str, path: str, body: object = None) -> HttpResponse:
        sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        return getattr(Client(), method)(f"/api/v1{path}", headers=self.headers, **sent)

    def upload(self, path: str, content: str, **fields: str) -> HttpResponse:
        """Send a CSV file by a form."""
        file = SimpleUploadedFile("mine.csv", content.encode(), "text/csv")
        return Client().post(f"/api/v1{path}", {"file": file, **fields}, headers=self.headers)

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


def fault(answer: HttpResponse) -> tuple[int, str, list[str]]:
    """Status, code and the fields at fault of a problem document."""
    assert answer["Content-Type"] == "application/problem+json", answer.content
    told = answer.json()
    assert told["status"] == answer.status_code
    assert told["detail"]
    return told["status"], told["code"], [one["field"] for one in told["errors"]]


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR, settings.CHROMIUM = tmp_path, ""
