"""Fixtures that several rooms share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.db import connections
from django.test import TransactionTestCase
from playwright.sync_api import Browser, BrowserContext
from waitress import create_server

from annotation.management.commands.serve import application
from tests.browsing import chromium, fresh
from tests.databases import empty, lay, own_copy

# The same examples in every run, and no deadline: a test that fails on somebody else's machine must fail on ours.
# HYPOTHESIS_PROFILE=search looks for new ones.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests begin first: begun last, one would keep a process busy when the others have nothing left."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def mturk_fees(settings: Any) -> None:
    """MTurk's price list switched on: for the tests that hold its cases (specification mturk-api.md, section 4)."""
    settings.MARKETPLACE_FEES = settings.MTURK_FEES = "mturk"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data beside the project; absent, the test is skipped (or fails where ASSAY_REQUIRE_DATA=1)."""
    if DATA.is_dir():
        return DATA
    if os.environ.get("ASSAY_REQUIRE_DATA") == "1":
        pytest.fail(f"ASSAY_REQUIRE_DATA=1, but the data folder {DATA} is absent")
    pytest.skip("the data folder ../shared/data is absent")


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: Any
) -> Iterator[None]:
    """In place of pytest-django's own of this name, by which each process migrates and each commit is flushed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", lambda test: empty())
        with django_db_blocker.unblock(), own_copy():
            yield


@pytest.fixture(scope="session")
def migrated(django_db_setup: None) -> Callable[[Path], None]:
    """Puts a migrated SQLite database at a path: for programs that a test starts on a database of their own."""
    return lay


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """The port at which the whole project answers, served from threads of this process."""
    server = create_server(application(), host="127.0.0.1", port=0, threads=16)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.effective_port
    server.close()
    server.task_dispatcher.shutdown()
    thread.join(timeout=10)


@pytest.fixture
def site(port: int, transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The worker site's origin, on a real socket and the test database."""
    settings.WORKER_ORIGIN = f"http://127.0.0.1:{port}"
    settings.HIT_ORIGIN = f"http://localhost:{port}"
    # The server's threads keep no connection: the test database can be dropped at the end.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    return str(settings.WORKER_ORIGIN)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium at `CHROMIUM`; without it the test is skipped (CI sets it)."""
    path = os.environ.get("CHROMIUM")
    if not path:
        pytest.skip("set CHROMIUM to the path of a Chromium")
    with chromium(path) as launched:
        yield launched


@pytest.fixture
def browsing(browser: Browser) -> Iterator[BrowserContext]:
    """A person at a desk with a fresh browser."""
    with fresh(browser) as context:
        yield context
