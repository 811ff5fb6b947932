"""A new installation as `make serve` makes it, without the rehearsed study."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"^\s*(http\S+)$")


@contextmanager
def installation(folder: Path) -> Iterator[str]:
    """Serve from an empty `folder`, or from one with a migrated database in it; yields the link of the first owner."""
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    environment = {
        **kept,
        "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        "DATABASE_URL": f"sqlite:///{folder / 'assay.sqlite3'}",
        "ASSAY_VAR": str(folder),
        "PYTHONUNBUFFERED": "1",
    }
    manage = [sys.executable, "manage.py"]
    if not (folder / "assay.sqlite3").exists():
        subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True)
    with (folder / "serve.log").open("w") as log:
        serving = subprocess.Popen(
            [*manage, "serve", "--work", "--port", "0"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert serving.stdout
            yield next(found[1] for line in serving.stdout if (found := LINK.match(line)))
        finally:
            serving.terminate()
            serving.communicate()
