"""`make serve` as a newcomer runs it: the first start, a stop by a signal, the second start."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command

from annotation import settings as conf
from annotation.accounts.models import AccessKey
from annotation.management.commands import serve
from annotation.management.commands.serve import open_development_account
from annotation.management.keep_running import keep_running

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 240.0  # seconds; a busy machine is slow, not wrong
PASSWORD = "quite a long pass phrase"


def environment(folder: Path) -> dict[str, str]:
    """A place of its own: a free port, an empty folder, nothing of the tests' own settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    origins = dict.fromkeys(("WORKER_ORIGIN", "CONSOLE_ORIGIN"), f"http://127.0.0.1:{port}")
    return {
        **kept, **origins, "HIT_ORIGIN": f"http://localhost:{port}", "ASSAY_VAR": str(folder), "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development", "PORT": str(port),
    }  # fmt: skip


def manage(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *words]


@contextmanager
def served(env: dict[str, str], told: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = manage("serve", "--work", "--demo", "20x2", "--port", env["PORT"])
    with told.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT)
        try:
            until(lambda: "Serving " in told.read_text() or process.poll() is not None)
            assert process.poll() is None, told.read_text()
            yield process
        finally:
            process.kill()
            process.wait()


def until(holds) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.2)


def children(of: int) -> dict[int, str]:
    """The processes that `of` started and that still live, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == of and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def stopped(process: subprocess.Popen[bytes]) -> None:
    """A stop by a signal ends everything, and in order."""
    # The server says that it serves before its work loop is there.
    until(lambda: any("work --every" in line for line in children(process.pid).values()))
    started = children(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=PATIENCE) == 0
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def posted(client: httpx.Client, address: str, **fields: str) -> httpx.Response:
    page = client.get(address)
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert found, page.text[:500]
    return client.post(address, data={"csrfmiddlewaretoken": found[1], **fields})


@pytest.mark.long
def test_the_first_start_shows_a_study_and_the_second_makes_nothing_anew(
    tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    env = environment(tmp_path / "var")
    (tmp_path / "var").mkdir()
    migrated(tmp_path / "var" / "assay.sqlite3")
    with served(env, tmp_path / "first.txt") as process:
        until(lambda: re.search(r"/console/enter/\S+\n", (tmp_path / "first.txt").read_text()))
        link = re.search(r"\S+/console/enter/\S+", (tmp_path / "first.txt").read_text())
        assert link
        with httpx.Client(trust_env=False, timeout=60, follow_redirects=True) as owner:
            entered = posted(owner, link[0], password=PASSWORD)
            assert ">demo</a>" in entered.text
            assert owner.get(link[0]).status_code == 403
            study = re.search(r"/console/studies/[0-9a-f-]{36}/", entered.text)[0]
            # The loop beside the pages does long work: a report comes.
            client_says = owner.get(f"{env['CONSOLE_ORIGIN']}{study}results/").text
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', client_says)[1]
            address = f"{env['CONSOLE_ORIGIN']}{study}results/compute/"
            job = owner.post(address, data={"csrfmiddlewaretoken": token}).url
            until(lambda: "View results" in owner.get(job).text)
        stopped(process)
    with served(env, tmp_path / "second.txt") as process:
        told = (tmp_path / "second.txt").read_text()
        assert "rehearsed" not in told
        assert "/console/enter/" not in told
        stopped(process)


def test_work_that_is_killed_begins_anew_until_the_server_stops(tmp_path: Path) -> None:
    begun, stop = tmp_path / "begun", threading.Event()
    code = (
        "import os, subprocess, time; child = subprocess.Popen(['sleep', '600']); "
        f"open({str(begun)!r}, 'a').write(f'{{os.getpid()}} {{child.pid}}\\n'); time.sleep(600)"
    )
    keeper = threading.Thread(
        target=keep_running, args=[[sys.executable, "-c", code], dict(os.environ), tmp_path / "work.log", stop]
    )
    keeper.start()
    try:
        until(lambda: begun.is_file() and begun.read_text().endswith("\n"))
        first, child = begun.read_text().split()
        os.kill(int(first), signal.SIGKILL)
        # What it began would hold its port.
        until(lambda: not _lives(int(child)))
        until(lambda: begun.read_text().count("\n") == 2)
    finally:
        stop.set()
        keeper.join(timeout=PATIENCE)
    assert not keeper.is_alive()
    assert "ended with -9; it starts again" in (tmp_path / "work.log").read_text()
    until(lambda: not any(_lives(int(pid)) for pid in begun.read_text().split()))


def _lives(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for its new parent to ask how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.django_db
def test_with_a_key_of_its_own_the_console_has_a_queue_too_for_answers_to_rejections_come_by_no_other_way(
    settings: Any,
) -> None:
    settings.MARKETPLACE_DEVELOPMENT, settings.MTURK_ACCESS_KEY, settings.MTURK_QUEUE_URL = True, "", ""
    assert conf.endpoint().access_key == ""
    open_development_account()
    made = settings.MTURK_QUEUE_URL
    assert re.fullmatch(rf"{settings.WORKER_ORIGIN}/sqs/\d{{12}}/console", made)
    settings.MTURK_QUEUE_URL = ""
    key = conf.endpoint().access_key
    open_development_account()
    assert made == settings.MTURK_QUEUE_URL
    # A command, which is another process, signs with the same key, which no setting holds.
    assert (conf.endpoint().access_key, settings.MTURK_ACCESS_KEY) == (key, "")
    assert AccessKey.objects.get().key_id == key


@pytest.mark.django_db
def test_a_queue_or_a_topic_that_the_settings_name_is_left_alone(settings: Any) -> None:
    for name in ("MTURK_QUEUE_URL", "MTURK_TOPIC_ARN"):
        settings.MARKETPLACE_DEVELOPMENT, settings.MTURK_ACCESS_KEY = True, ""
        settings.MTURK_QUEUE_URL = settings.MTURK_TOPIC_ARN = ""
        setattr(settings, name, "named")
        open_development_account()
        assert {settings.MTURK_QUEUE_URL, settings.MTURK_TOPIC_ARN} == {"named", ""}


class _NoServer:
    def run(self) -> None: ...

    def close(self) -> None: ...


def served_on(port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `serve` says on a port, without serving."""
    out = io.StringIO()
    monkeypatch.setattr(serve, "served", lambda listener, threads: listener.close() or _NoServer())
    monkeypatch.setattr(serve, "_start_delivery", lambda: None)
    monkeypatch.setattr(serve.gc, "freeze", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    try:
        call_command("serve", "--port", str(port), stdout=out, stderr=out)
    finally:
        signal.signal(signal.SIGTERM, before)
    return out.getvalue()


@pytest.mark.django_db
def test_the_owners_link_leads_to_the_port_that_is_served(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(environment(Path())["PORT"])
    settings.DEFAULT_ORIGINS = ["WORKER_ORIGIN", "HIT_ORIGIN", "CONSOLE_ORIGIN"]
    settings.WORKER_ORIGIN = settings.CONSOLE_ORIGIN = "http://127.0.0.1:8000"
    told = served_on(port, monkeypatch)
    assert f"  http://127.0.0.1:{port}/console/enter/" in told
    assert ":8000" not in told


@pytest.mark.django_db
def test_an_origin_that_somebody_named_stays_as_it_is(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of theirs may listen there."""
    settings.DEFAULT_ORIGINS = []
    settings.WORKER_ORIGIN = settings.CONSOLE_ORIGIN = "http://127.0.0.1:8000"
    told = served_on(int(environment(Path())["PORT"]), monkeypatch)
    assert "WORKER_ORIGIN is http://127.0.0.1:8000, but the port served is" in told
    assert "  http://127.0.0.1:8000/console/enter/" in told
