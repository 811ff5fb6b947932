"""A rehearsal beside another server on its port, which may have another database."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.rehearsal.__main__ import ROOT, apart

pytestmark = pytest.mark.timeout(600)


def manage(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip


def test_a_port_that_somebody_else_has_is_left_alone_and_said(tmp_path: Path, migrated: Callable[[Path], None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(0)
        port = stranger.getsockname()[1]
        taken = {"WORKER_ORIGIN": f"http://127.0.0.1:{port}", "MTURK_ENDPOINT_URL": f"http://127.0.0.1:{port}/mturk/"}
        environment = {**os.environ, **apart(tmp_path), **taken, "ASSAY_VAR": str(tmp_path)}
        migrated(tmp_path / "assay.sqlite3")
        ran = manage(environment, "rehearse", "--texts", "20", "--raters", "1", "--out", str(tmp_path / "report"))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert f"Something else listens on port {port}; the rehearsal has port" in ran.stdout
        # Whoever listens there heard that somebody looked, and not a word of the study.
        heard = b""
        while True:
            try:
                visit, _ = stranger.accept()
            except BlockingIOError:
                break
            with visit:
                visit.settimeout(5)
                heard += visit.recv(1000)
        assert heard == b""
