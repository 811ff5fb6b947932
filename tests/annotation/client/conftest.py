"""A studio that is served, the loop beside it, and the token of a person."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from annotation.accounts.models import ApiToken, User
from annotation.client import Studio, connect
from tests.annotation.conftest import told

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def token(transactional_db: None) -> str:
    return ApiToken.objects.issue(User.objects.create_user("ada"), name="notebook", now=NOW)[1]


@pytest.fixture
def working(site: str, settings: Any, tmp_path: Any) -> Iterator[None]:
    """The loop that `serve --work` runs beside the server: jobs, actions of the marketplace, collecting."""
    settings.VAR, settings.MTURK_ENDPOINT_URL = tmp_path, f"{site}/mturk/"
    key = told("create_requester", "lab", "--display-name", "Example Lab", "--balance", "100.00")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    over = threading.Event()

    def loop() -> None:
        try:
            while not over.wait(0.1):
                call_command("work", "--collect", stdout=io.StringIO())
        finally:
            connections.close_all()

    thread = threading.Thread(target=loop)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.fixture
def studio(site: str, token: str) -> Iterator[Studio]:
    with connect(site, token) as opened:
        yield opened
