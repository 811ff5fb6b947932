"""The web process is killed while a worker hands in, and comes back: the answer arrives, once."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browsing import fresh
from tests.marketplace.conftest import mturk
from tests.marketplace.framed.desk import Desk, enter, task
from tests.marketplace.framed.test_never_lost import KEPT, fill_in
from tests.marketplace.question_samples import html_question

ROOT = Path(__file__).resolve().parents[3]
PEOPLE = """
from django.core.management import call_command
call_command("create_requester", "lab", "--balance", "100.00", "--json")
call_command("create_worker", "ann", "--json")
"""
HIT = {
    "Title": "Rate a text",
    "Description": "Read it.",
    "Reward": "0.05",
    "LifetimeInSeconds": 3_600,
    "AssignmentDurationInSeconds": 3_600,
}


@dataclass
class House:
    """A project with a database of its own, whose web process can be killed and started again at the same address."""

    environment: dict[str, str]
    origin: str
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def people(self) -> tuple[dict[str, str], dict[str, str]]:
        """A requester and a worker, as the commands print them."""
        command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c", PEOPLE]
        done = subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, text=True, check=True)
        requester, worker = map(json.loads, done.stdout.splitlines())
        return requester, worker

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.environment["DATABASE_URL"].removeprefix("sqlite:///"))) as database:
            return database.execute(query).fetchall()

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", self.origin.rpartition(":")[2]]
        process = subprocess.Popen(command, env=self.environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.running.append(process)
        assert process.stdout is not None
        assert self.origin in process.stdout.readline()

    def kill(self) -> None:
        for process in self.running:
            process.kill()
            process.communicate(timeout=30)
        self.running.clear()


@pytest.fixture
def house(tmp_path: Path, migrated: Callable[[Path], None]) -> Iterator[House]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    origins = {f"{name}_ORIGIN": f"http://127.0.0.1:{port}" for name in ("WORKER", "CONSOLE")}
    settings = {"DJANGO_SETTINGS_MODULE": "deploy.settings.development", "HIT_ORIGIN": f"http://localhost:{port}"}
    database = {"DATABASE_URL": f"sqlite:///{tmp_path / 'house.sqlite3'}"}
    made = House({**os.environ, **origins, **settings, **database}, origins["WORKER_ORIGIN"])
    migrated(tmp_path / "house.sqlite3")
    yield made
    made.kill()


def test_answers_outlive_a_killed_server(house: House, browser: Browser) -> None:
    house.start()
    key, worker = house.people()
    client = mturk(f"{house.origin}/mturk/", key["access_key"], key["secret_key"])
    hit = client.create_hit(**HIT, Question=html_question(task()))["HIT"]
    with fresh(browser, base_url=house.origin) as context:
        ann = Desk(worker["worker_id"], context, context.new_page())
        enter(ann.page, worker["sign_in_url"])
        frame = ann.accept(hit)
        fill_in(frame)
        house.kill()
        frame.get_by_role("button", name="Submit").click()
        expect(ann.page.get_by_text(KEPT)).to_be_visible()
        # Offline the page cannot reach the new process by an attempt of its own before it is told to.
        ann.context.set_offline(True)
        house.start()
        ann.context.set_offline(False)
        ann.recorded()
    assert house.rows("select count(*) from marketplace_submission") == [(1,)]
    assert house.rows("select state from marketplace_assignment") == [("Submitted",)]
