"""Fixtures that several rooms share."""

from __future__ import annotations

import gc
import os
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import certifi
import hypothesis
import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from playwright.sync_api import Browser, BrowserContext
from waitress import create_server
from waitress.task import ThreadedTaskDispatcher

from annotation.management.commands.serve import application
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.rehearsal.prolific_stub.process import running
from tests.browsing import chromium, fresh
from tests.databases import empty, first_alone, lay, own_copy

# The same examples in every run, and no deadline: a test that fails on somebody else's machine must fail on ours.
# HYPOTHESIS_PROFILE=search looks for new ones.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of the database tests alone reads no module without one: reading all of them takes a process 15 seconds."""
    if config.option.markexpr == "database" and collection_path.match("test_*.py"):
        return "mark.database" not in collection_path.read_text(encoding="utf-8") or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Modules are compiled as they are read: in a fresh clone by one process, and only then read by the others."""
    one_of_several = "PYTEST_XDIST_WORKER" in os.environ
    with first_alone(settings.VAR / "tests-read") if one_of_several else nullcontext():
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()


def pytest_collection_finish() -> None:
    """What was read stays to the end: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """The certificates of httpx, read once: each client of a test would read them anew, which takes 20 ms."""
    read, shipped = ssl.create_default_context, certifi.where()
    context = read(cafile=shipped)

    def known(*args: Any, **options: Any) -> ssl.SSLContext:
        return context if not args and options == {"cafile": shipped} else read(*args, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl, "create_default_context", known)
        yield


class Threads(ThreadedTaskDispatcher):
    """Threads of a server that keep their connections to the database as long as they live, as in production."""

    def handler_thread(self, thread_no: int) -> None:
        """Serve, and close the thread's connections at its end."""
        super().handler_thread(thread_no)
        connections.close_all()


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """The port at which the whole project answers, served from threads of this process."""
    threads = Threads()
    threads.set_thread_count(16)
    server = create_server(application(), host="127.0.0.1", port=0, _dispatcher=threads)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.effective_port
    server.close()
    server.task_dispatcher.shutdown()
    thread.join(timeout=10)


@pytest.fixture
def site(port: int, transactional_db: None, settings: Any) -> str:
    """The worker site's origin, on a real socket and the test database."""
    settings.WORKER_ORIGIN = f"http://127.0.0.1:{port}"
    settings.HIT_ORIGIN = f"http://localhost:{port}"
    return str(settings.WORKER_ORIGIN)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium at `CHROMIUM`; without it the test is skipped (CI sets it).

    Where `CHROMIUM_SHELL` is set, that: the same engine without the windows around its pages, for three tenths less of
    the processor. The product makes its PDF and pictures with `CHROMIUM`, in tests too.
    """
    path = os.environ.get("CHROMIUM_SHELL") or os.environ.get("CHROMIUM")
    if not path:
        pytest.skip("set CHROMIUM to the path of a Chromium")
    with chromium(path) as launched:
        yield launched


@pytest.fixture
def browsing(browser: Browser) -> Iterator[BrowserContext]:
    """A person at a desk with a fresh browser."""
    with fresh(browser) as context:
        yield context


@pytest.fixture(scope="session")
def prolific_process() -> Iterator[Controls]:
    """The stand-in for Prolific's API, a process of its own for all tests of this process."""
    with running() as controls:
        yield controls


@pytest.fixture
def prolific_stub(prolific_process: Controls) -> Controls:
    """The stand-in with an account without studies."""
    prolific_process.reset()
    return prolific_process
