"""A backup of a running installation is proven, and becomes the same installation elsewhere, or nothing at all."""

from __future__ import annotations

import io
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotation.accounts.models import User
from annotation.jobs.backups import back_up as making
from annotation.jobs.backups.archive import BackupError, read_manifest
from annotation.jobs.backups.back_up import back_up, restore
from annotation.jobs.backups.database_copy import _run, _settings, _url
from annotation.models import AuditEvent, Study, Worker
from annotation.studies.audit_check import prove

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = "id,text,source,generator\nr1,A reference,reference,\nm1,By a model,model,tiny\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """The folder of the installation, with an upload in it, and a study in its database."""
    settings.VAR = tmp_path / "var"
    (settings.VAR / "uploads").mkdir(parents=True)
    (settings.VAR / "uploads" / "texts.csv").write_text(TEXTS)
    User.objects.create_superuser("ada")
    call_command(
        "import_texts", str(settings.VAR / "uploads" / "texts.csv"), "--study", "news", "--create", stdout=io.StringIO()
    )
    call_command("create_requester", "lab", "--display-name", "The lab", stdout=io.StringIO())
    return tmp_path


@pytest.fixture
def elsewhere(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of another, empty installation on the same kind of database."""
    surroundings = {**os.environ, "ASSAY_VAR": str(folder / "elsewhere")}
    if connection.vendor == "sqlite":
        yield {**surroundings, "DATABASE_URL": f"sqlite:///{folder / 'elsewhere' / 'assay.sqlite3'}"}
        return
    name = f"restored_{secrets.token_hex(4)}"
    _run(["createdb", name], _settings(), database=False)
    try:
        yield {**surroundings, "DATABASE_URL": _url({**_settings(), "NAME": name})}
    finally:
        _run(["dropdb", name], _settings(), database=False)


def command(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*configured.MANAGE, *words], env=env, capture_output=True, text=True)


@pytest.mark.database
@pytest.mark.long
def test_a_proven_backup_becomes_the_same_installation_elsewhere(folder: Path, elsewhere: dict[str, str]) -> None:
    path = folder / "backup.assay"
    nothing = command("backup", str(path), "--prove", env=elsewhere)
    assert (nothing.returncode, path.exists(), (folder / "elsewhere" / "assay.sqlite3").exists()) == (1, False, False)
    assert "does not exist or is empty" in nothing.stderr
    out = io.StringIO()
    call_command("backup", str(path), "--prove", stdout=out)
    assert f"news: {AuditEvent.objects.count()} rows of the log, decisions and money agree." in out.getvalue()
    assert "accounts and" in out.getvalue()
    done = command("restore", str(path), "--prove", env=elsewhere)
    assert done.returncode == 0, done.stderr
    assert "decisions and money agree" in done.stdout
    assert (folder / "elsewhere" / "uploads" / "texts.csv").read_text() == TEXTS
    again = command("restore", str(path), env=elsewhere)
    assert again.returncode != 0
    assert "The database is in use" in again.stderr


@pytest.mark.database
@pytest.mark.long
def test_a_restored_backup_erases_again_who_was_erased_after_it(folder: Path, elsewhere: dict[str, str]) -> None:
    """Where the list of erasures is at hand: the backup itself knows the person."""
    worker = Worker.objects.known_as("assay", "A2ERASEDLATER")
    path = folder / "backup.assay"
    call_command("backup", str(path), stdout=io.StringIO())
    (folder / "elsewhere").mkdir(exist_ok=True)
    entry = {"at": "2026-11-25T20:00:00+00:00", "pseudonyms": [worker.pseudonym], "with_answers": True}

    (folder / "elsewhere" / "erasures.jsonl").write_text(json.dumps(entry) + "\n")
    done = command("restore", str(path), env=elsewhere)
    assert done.returncode == 0, done.stderr
    assert "Erased again, as after the backup was made: 1 people." in done.stdout
    shown = command("person", "show", "A2ERASEDLATER", "--reason", "request", env=elsewhere)
    assert "Neither side stores anybody" in shown.stderr


def test_nothing_of_a_backup_that_does_not_fit_is_restored(
    folder: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = back_up(folder / "backup.assay", now=timezone.now()).path
    with pytest.raises(BackupError, match=r"backup\.assay.*: Not a directory|: File exists"):
        back_up(path / "second.assay", now=timezone.now())
    with monkeypatch.context() as earlier:
        earlier.setattr(making, "known_migrations", lambda: {"annotation.0001_initial"})
        with pytest.raises(BackupError, match="made by a later version of Assay"):
            restore(path)
    with pytest.raises(BackupError, match="The database is in use"):
        restore(path)
    settings.PSEUDONYM_KEY = "another"
    with pytest.raises(BackupError, match="another PSEUDONYM_KEY than the backup's"):
        restore(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3] + b"damage" + content[len(content) // 3 + 6 :])
    with pytest.raises(BackupError, match=r"database in backup.assay is damaged|is not what was stored"):
        restore(path)
    assert Study.objects.get().name == "news"
    assert not list((folder / "var").glob("backup-*"))


def test_a_proof_finds_a_row_of_the_log_that_somebody_altered(folder: Path) -> None:
    event = AuditEvent.objects.order_by("pk").first()
    assert event is not None
    with connection.cursor() as cursor:  # as somebody would who has the file
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        cursor.execute("UPDATE annotation_auditevent SET verb = 'other' WHERE id = %s", [event.pk])
        for _, statement in triggers:
            cursor.execute(statement)
    study = Study.objects.get()
    assert prove(study).faults
    with pytest.raises(CommandError, match=r"The proof failed \(audit\).*was altered.*No backup was made"):
        call_command("backup", str(folder / "backup.assay"), "--prove")
    assert not (folder / "backup.assay").exists()


def test_keys_are_not_in_the_backup(folder: Path) -> None:
    path = back_up(folder / "backup.assay", now=timezone.now()).path
    manifest = read_manifest(path)
    assert set(manifest["keys"]) == {"SECRET_KEY", "PSEUDONYM_KEY"}
    assert configured.SECRET_KEY not in str(manifest)
    assert configured.PSEUDONYM_KEY not in str(manifest)
