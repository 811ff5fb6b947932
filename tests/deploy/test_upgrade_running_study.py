"""An installation whose study is under way goes on under this version: nothing is lost, and its people finish.

`earlier/running_study.sql.xz` is the database of a `manage.py rehearse` (16 assignments wanted, from 4 HITs), killed
when three people had submitted and one was at work. It is of commit b84dd261, the last that edited a first migration:
databases of earlier commits are not brought forward.
"""

from __future__ import annotations

import json
import lzma
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EARLIER = Path(__file__).with_name("earlier") / "running_study.sql.xz"

# In the upgraded installation: the person at work submits, and another one accepts a task of the study.
GO_ON = """
import json
from django.core.management import call_command
from django.utils import timezone
from annotation.marketplace.assignments import accept_submit
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import Assignment, Hit, Submission, WorkerAccount
from annotation.models import AuditEvent, Study
before = [Submission.objects.count(), AuditEvent.objects.count(), Study.objects.get().status]
held = Assignment.objects.get(state="Accepted")
now = held.accepted_at
accept_submit.submit(held, [("text-00", "3")], answer="<QuestionFormAnswers/>", now=now, received_at=timezone.now())
accepted = ""
others = WorkerAccount.objects.exclude(pk__in=Assignment.objects.values("worker"))
for hit_id in Hit.objects.values_list("hit_id", flat=True):
    try:
        accepted = accept_submit.accept(hit_id, worker=others.first(), now=now).state
        break
    except WorkRefusedError:
        continue
call_command("audit", "running")
call_command("check_balances")
print(json.dumps([*before, Submission.objects.count(), accepted]))
"""


def manage(database: Path, *words: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    env = {**kept, "ASSAY_VAR": str(database.parent), "DJANGO_SETTINGS_MODULE": "deploy.settings.development"}
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "assay.sqlite3"
    with sqlite3.connect(file) as made:
        made.executescript(lzma.decompress(EARLIER.read_bytes()).decode())
    return file


def shape(database: Path) -> dict[str, object]:
    """Columns and indexes of each table, and the triggers, without the order in which they were made."""
    with closing(sqlite3.connect(database)) as opened:
        made = opened.execute("SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')").fetchall()
        shapes: dict[str, object] = {name: sql for kind, name, sql in made if kind == "trigger"}
        for name in (name for kind, name, _ in made if kind == "table"):
            columns = opened.execute(f"SELECT name, type, \"notnull\", pk FROM pragma_table_info('{name}')").fetchall()
            indexes = opened.execute(
                f"SELECT l.\"unique\", l.partial, group_concat(i.name) FROM pragma_index_list('{name}') l, "
                "pragma_index_info(l.name) i GROUP BY l.name"
            ).fetchall()
            shapes[name] = (sorted(columns), sorted(indexes, key=repr))
    return shapes


@pytest.mark.long
def test_a_study_under_way_goes_on_after_the_upgrade(
    database: Path, tmp_path: Path, migrated: Callable[[Path], None]
) -> None:
    manage(database, "migrate", "--verbosity", "0")
    migrated(tmp_path / "new.sqlite3")
    assert shape(database) == shape(tmp_path / "new.sqlite3")
    printed = manage(database, "shell", "-v0", "-c", GO_ON).strip().splitlines()
    assert json.loads(printed[-1]) == [3, 7, "published", 4, "Accepted"]
    # The log is complete, decisions and money agree, and the marketplace's books do.
    assert printed[0].startswith("running: 7 rows of the log, decisions and money agree")
    assert "agree with the ledger" in printed[-2]
