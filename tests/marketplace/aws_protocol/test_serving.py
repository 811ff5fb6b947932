"""`manage.py serve` in a process of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from annotation.management.commands import serve

ROOT = Path(__file__).resolve().parents[3]


def own_database(file: Path) -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "deploy.settings.test", "DATABASE_URL": f"sqlite:///{file}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a free port, as it prints it; its database is empty at first."""
    environment = own_database(tmp_path_factory.mktemp("served") / "empty.sqlite3")
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0", "--threads", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield re.search(r"http://127\.0\.0\.1:\d+", line)[0]
        process.terminate()


def test_a_free_port_is_printed_and_the_origins_follow_it(served):
    elsewhere = served.replace("127.0.0.1", "localhost")
    answer = httpx.get(f"{elsewhere}/hits/sign-in/", trust_env=False)
    assert answer.headers["location"] == f"{served}/hits/sign-in/"


def test_a_head_leaves_the_connection_in_order(served):
    with httpx.Client(trust_env=False) as browser:
        assert browser.head(f"{served}/hits/sign-in/").status_code == 401
        assert "Please sign in" in browser.get(f"{served}/hits/sign-in/").text


def refused(port: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", port]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)


def test_a_taken_port_is_refused_with_a_sentence(served, tmp_path, migrated):
    port = served.rpartition(":")[2]
    migrated(tmp_path / "own.sqlite3")
    answer = refused(port, own_database(tmp_path / "own.sqlite3"))
    assert answer.returncode == 1
    assert f"Cannot serve on 127.0.0.1:{port}" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_port_that_there_is_not_is_refused_with_a_sentence(tmp_path, migrated):
    migrated(tmp_path / "own.sqlite3")
    answer = refused("99999", own_database(tmp_path / "own.sqlite3"))
    assert answer.returncode == 1
    assert "a port is a number from 0 (any free one) to 65535" in answer.stderr
    assert "Traceback" not in answer.stderr


# Closing a server from outside of its thread may surprise its loop.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(("proxies", "status"), [(0, 301), (1, 401)])
def test_https_is_believed_of_a_proxy_and_of_nobody_else(settings, proxies, status):
    settings.TRUSTED_PROXIES = proxies
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = serve.served(listener, threads=1)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/hits/sign-in/"
        answer = httpx.get(address, headers={"X-Forwarded-Proto": "https"}, trust_env=False)
        server.close()
        thread.join(timeout=10)
    assert answer.status_code == status
