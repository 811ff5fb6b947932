"""`make demo`: a rehearsal in a folder and on a port of its own, so that it meets nothing and trips over nothing."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]


def _own_folder() -> tuple[Path, TextIO]:
    """The first of var/demo, var/demo-2 ... that no other demo is using, emptied. The lock ends with the process."""
    for number in range(1, 100):
        folder = ROOT / "var" / ("demo" if number == 1 else f"demo-{number}")
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        for entry in folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != ".lock":
                entry.unlink()
        return folder, lock
    raise SystemExit("A hundred demos are running already.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> None:
    folder, _lock = _own_folder()
    port = _free_port()
    os.chdir(ROOT)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="deploy.settings.development",
        DATABASE_URL=f"sqlite:///{folder / 'assay.sqlite3'}",
        CELERY_BROKER_URL="",
        WORKER_ORIGIN=f"http://127.0.0.1:{port}",
        HIT_ORIGIN=f"http://localhost:{port}",
        CONSOLE_ORIGIN=f"http://127.0.0.1:{port}",
        MTURK_ENDPOINT_URL=f"http://127.0.0.1:{port}/mturk/",
    )
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", "migrate", "--verbosity", "0"])
    execute_from_command_line(
        ["manage.py", "rehearse", "--name", "demo", "--out", str(folder / "report"), *sys.argv[1:]]
    )


if __name__ == "__main__":
    main()
