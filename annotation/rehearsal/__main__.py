"""`make demo`: a rehearsal in a folder and on a port of its own, so that it meets nothing and trips over nothing."""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

from annotation.rehearsal.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


def _locked_folder(first: Path) -> tuple[Path, TextIO]:
    """The first of demo, demo-2 ... that no other demo is using, emptied. The lock ends with the process."""
    for number in range(1, 100):
        folder = first if number == 1 else first.with_name(f"{first.name}-{number}")
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


def isolated_environment(folder: Path) -> dict[str, str]:
    """The environment of an installation with the database of `folder` and a port of its own."""
    port = free_port()
    return {
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": f"sqlite:///{folder / 'assay.sqlite3'}",
        "CELERY_BROKER_URL": "",
        "WORKER_ORIGIN": f"http://127.0.0.1:{port}",
        "HIT_ORIGIN": f"http://localhost:{port}",
        "CONSOLE_ORIGIN": f"http://127.0.0.1:{port}",
        "MTURK_ENDPOINT_URL": f"http://127.0.0.1:{port}/mturk/",
        # The marketplace of this installation, named by its address: what it charges is known.
        "MTURK_FEES": os.environ.get("MARKETPLACE_FEES", "none"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m annotation.rehearsal", description=__doc__, add_help=False)
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("ASSAY_VAR", ROOT / "var")) / "demo")
    arguments, rest = parser.parse_known_args()
    folder, _lock = _locked_folder(arguments.folder.resolve())
    os.environ.update(isolated_environment(folder))
    import django
    from django.core.management import CommandError, call_command, execute_from_command_line

    django.setup()
    from annotation.rehearsal.management.commands.rehearse import Command, wished

    words = ["--preset", "all", "--name", "demo", "--out", str(folder / "report"), *rest]
    try:  # report invalid options before the tables are created
        wished(vars(Command().create_parser("manage.py", "rehearse").parse_args(words)))
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
    call_command("migrate", verbosity=0)
    execute_from_command_line(["manage.py", "rehearse", "--skip-checks", *words])


if __name__ == "__main__":
    main()
