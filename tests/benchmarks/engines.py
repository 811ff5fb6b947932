"""A check on SQLite and on PostgreSQL: each engine in a process of its own, on a test database removed afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ONE = "--one"


def lines_by_engine(module: str, *arguments: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run `python -m MODULE --one ARGUMENTS` on each engine; yield its name with each line of JSON that it prints.

    PostgreSQL only where TEST_POSTGRES_URL names a server. Raises CalledProcessError where a process fails.
    """
    engines = {"SQLite": "", "PostgreSQL": os.environ.get("TEST_POSTGRES_URL", "")}
    if not engines["PostgreSQL"]:
        print("Not run on PostgreSQL: set TEST_POSTGRES_URL=postgres://user@host/name.")
        del engines["PostgreSQL"]
    for name, url in engines.items():
        print(f"{name} ...", flush=True)
        environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
        environment |= {"DATABASE_URL": url} if url else {}
        command = [sys.executable, "-m", module, ONE, *arguments]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout or ():
                yield name, json.loads(line)
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, command)


@contextmanager
def own_database(label: str) -> Iterator[None]:
    """A migrated database for this process alone."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.test")
    import django

    django.setup()
    from django.db import connection

    if connection.vendor == "sqlite":
        # Apart from the file that a test run may be using.
        local = Path(connection.settings_dict["TEST"]["NAME"]).with_name(f"test-{label}-{os.getpid()}.sqlite3")
        connection.settings_dict["TEST"]["NAME"] = str(local)
    else:
        connection.settings_dict["TEST"]["NAME"] = f"test_{label}_{os.getpid()}"
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
