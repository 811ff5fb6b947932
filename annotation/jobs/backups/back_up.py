"""Make, prove and restore backups of an installation: its database, its files, and a check of its keys."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from annotation.jobs import shared_files
from annotation.jobs.backups.archive import BackupError, extract, find_damage, read_manifest, write_archive
from annotation.jobs.backups.database_copy import (
    applied_migrations,
    copy_database,
    database_name,
    database_url,
    has_tables,
    known_migrations,
    replace_database,
    rows_in_use,
    rows_of,
    scratch_database,
)
from metrics.version import __version__

# What an installation writes below VAR and cannot make again.
FOLDERS = ("uploads", "jobs", "reports")
DATABASE = "database"
KEYS = ("SECRET_KEY", "PSEUDONYM_KEY")
NO_DATABASE = "The database {name} does not exist or is empty."
USE_INSTALLATION = "Run this command where the installation's commands run, or set ASSAY_VAR or DATABASE_URL as there."
LAST = "last-backup.json"
# What must agree in a restored database: the log of each study with its money, and the marketplace's balances.
PROOFS = (["audit"], ["check_balances"])


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup: rows and files in it, and what a proof printed ("" without one)."""

    path: Path
    rows: int
    files: int
    proof: str = ""


def back_up(path: Path, *, now: datetime, with_proof: bool = False) -> Backup:
    """Write a backup while the installation runs. Raises BackupError; then no file is written.

    with_proof: restore it into a database of its own, check that every log, all money and both sides' balances agree
    there, and delete that database.
    """
    _refuse_nothing()
    if with_proof and (missing := _missing_migrations()):
        raise BackupError(
            f"{missing} migrations are missing in the database, so this version cannot check its backup. Make it "
            "without --prove, or run manage.py migrate first."
        )
    with _sentences(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _sentences(settings.VAR), _workplace() as folder:
        copy = folder / DATABASE
        counts = copy_database(copy)
        members = {DATABASE: copy, **_files(folder / "files")}
        facts = {
            "made_at": now.isoformat(timespec="seconds"),
            "version": __version__,
            "database": connection.vendor,
            "rows": counts,
            "migrations": applied_migrations(),
            "keys": _fingerprints(),
        }
        proof = _prove_copy(copy, folder, counts) if with_proof else ""
        with _sentences(path):
            write_archive(path, members, facts)
    if with_proof:
        record = {"at": now.isoformat(timespec="seconds"), "file": str(path.resolve())}
        (settings.VAR / LAST).write_text(json.dumps(record), encoding="utf-8")
    return Backup(path, sum(counts.values()), len(members) - 1, proof)


def restore(path: Path, *, with_proof: bool = False) -> Backup:
    """Put a backup into an empty installation. Raises BackupError; then the database is as it was, but where the proof
    failed.

    Everything is checked before anything is written: each member's hash, the kind of the database, the keys, and that
    the database and the files in the way are no one's. with_proof: tables of an earlier version are brought to this one
    before logs, money and balances are checked.
    """
    manifest = read_manifest(path)
    damage = find_damage(path)
    if damage:
        raise BackupError(f"The backup is damaged; nothing was restored. {' '.join(damage)}")
    _refuse_misfits(manifest)
    files = [name for name in manifest["sha256"] if name != DATABASE]
    with _sentences(settings.VAR), _workplace() as folder:
        copy = folder / DATABASE
        extract(path, DATABASE, copy)
        _place_files(path, files, manifest["sha256"])
        replace_database(copy)
    proof = _prove_restored(manifest["rows"]) if with_proof else ""
    return Backup(path, sum(manifest["rows"].values()), len(files), proof)


def _prove_restored(counts: Mapping[str, int]) -> str:
    try:
        _compare_rows(database_url(), counts)
        if _missing_migrations():
            call_command("migrate", verbosity=0)
            connections.close_all()
        return _run_checks(database_url())
    except BackupError as error:
        raise BackupError(f"The backup was restored. {error}") from None


def _missing_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _refuse_nothing() -> None:
    """Raise BackupError where the settings name no database of an installation, as in another folder than its own."""
    if not has_tables():
        raise BackupError(f"{NO_DATABASE.format(name=database_name())} {USE_INSTALLATION}")


@contextmanager
def _sentences(place: Path) -> Iterator[None]:
    """Raise BackupError with a sentence for what the system says about a file; place: where, if it does not say it."""
    try:
        yield
    except OSError as error:
        raise BackupError(
            f"{error.filename or place}: {error.strerror or error}. See that this user may read and write there, and "
            "that there is room."
        ) from None


def _refuse_misfits(manifest: Mapping[str, Any]) -> None:
    if manifest["database"] != connection.vendor:
        raise BackupError(
            f"The backup is of {manifest['database']} and DATABASE_URL names {connection.vendor}. Nothing was restored."
        )
    local = _fingerprints()
    other = [name for name in KEYS if manifest["keys"].get(name) != local[name]]
    if other:
        raise BackupError(
            f"This installation has another {' and another '.join(other)} than the backup's, without which access keys "
            "cannot be read and workers are not recognized. Take over installation.env of the backup's installation, "
            "then run this again. Nothing was restored."
        )
    if set(manifest.get("migrations", ())) - known_migrations():
        raise BackupError(
            f"The backup was made by a later version of Assay ({manifest['version']}; this is {__version__}), whose "
            "tables this version does not know. Restore it with that version. Nothing was restored."
        )
    rows = rows_in_use()
    if rows:
        raise BackupError(
            f"The database is in use: {rows} rows. A first start writes some, too. Restore into an empty one: name "
            f"another in DATABASE_URL, or delete {database_name()} where nothing in it is needed. Nothing was restored."
        )


def _place_files(path: Path, names: list[str], hashes: Mapping[str, str]) -> None:
    """Files that are there already with the same content, as after a restore that was stopped, stay."""
    targets = {name: settings.VAR / name.removeprefix("files/") for name in names}
    for name, target in targets.items():
        if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() != hashes[name]:
            raise BackupError(f"{target} exists with another content. Move it away first. Nothing was restored.")
    for name, target in targets.items():
        if not target.exists():
            unfinished = target.with_name(f"{target.name}.unfinished")
            extract(path, name, unfinished)
            unfinished.replace(target)
        shared_files.publish(target)


def _files(copies: Path) -> dict[str, Path]:
    """By name. Of files that several machines share, copies are made."""
    local = {
        f"files/{file.relative_to(settings.VAR).as_posix()}": file
        for name in FOLDERS
        for file in sorted((settings.VAR / name).rglob("*"))
        if file.is_file()
    }
    shared = [name for folder in FOLDERS for name in shared_files.stored_names(folder)]
    return local | {f"files/{name}": shared_files.copy_to(copies, name) for name in shared}


def _fingerprints() -> dict[str, str]:
    """A check of each key from which the key cannot be computed."""
    return {
        name: hmac.digest(str(getattr(settings, name)).encode(), b"backup of an installation", "sha256").hex()[:32]
        for name in KEYS
    }


def _prove_copy(copy: Path, folder: Path, counts: Mapping[str, int]) -> str:
    with scratch_database(copy, folder) as url:
        return _prove(url, counts)


def _prove(url: str, counts: Mapping[str, int]) -> str:
    """Compare the rows of a database, and run the checks of both sides on it. Raises BackupError with what they say."""
    _compare_rows(url, counts)
    return _run_checks(url)


def _compare_rows(url: str, counts: Mapping[str, int]) -> None:
    there = rows_of(url, sorted(counts))
    wrong = sorted(table for table in counts if there.get(table) != counts[table])
    if wrong:
        raise BackupError(f"The restored database has another number of rows in {', '.join(wrong)}.")


def _run_checks(url: str) -> str:
    outputs = []
    for words in PROOFS:
        done = subprocess.run(  # noqa: S603 - this installation's own command
            [*settings.MANAGE, *words],
            env={**os.environ, "DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BackupError(f"The proof failed ({' '.join(words)}): {' '.join(done.stderr.split())}")
        outputs.append(done.stdout.strip())
    return "\n".join(line for line in outputs if line)


@contextmanager
def _workplace() -> Iterator[Path]:
    """A folder for copies of the database, which only this user may read; deleted afterwards."""
    settings.VAR.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="backup-", dir=settings.VAR))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
