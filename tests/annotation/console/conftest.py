"""People at the console: one for each role on a study, and a stranger to it."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from annotation.accounts.models import User
from annotation.models import Membership, Role, Study
from annotation.studies.create import Plan, create
from tests.annotation.conftest import told

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def study(db: None) -> Study:
    return create("headlines", mode="rehearsal", plan=Plan(noun="headline"), actor="ada", now=NOW)


@pytest.fixture
def person(study: Study) -> Callable[..., Client]:
    """Signs in somebody who holds `role` on the study (None: a stranger to it)."""

    def signed_in(role: str | None = Role.OWNER, name: str = "") -> Client:
        user = User.objects.create_user(name or f"{role or 'stranger'}", password="a long password 1")
        if role:
            Membership.objects.create(study=study, user=user, role=role)
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def loop(site: str, settings: Any, tmp_path: Path) -> Iterator[None]:
    """`manage.py work --collect` beside the pages, as `make serve` runs it, and the key it works with."""
    settings.VAR, settings.CONSOLE_ORIGIN = tmp_path, site
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    key = told("create_requester", "console-requester", "--balance", "1000.00")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    stop = threading.Event()

    def turn() -> None:
        while not stop.wait(0.3):
            call_command("work", "--collect", stdout=io.StringIO(), stderr=io.StringIO())
        connection.close()

    thread = threading.Thread(target=turn)
    thread.start()
    yield
    stop.set()
    thread.join(timeout=60)
