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
from django.db import connection

from annotation.jobs import shared_files
from annotation.jobs.backups.archive import BackupError, extract, find_damage, read_manifest, write_archive
from annotation.jobs.backups.database_copy import (
    copy_database,
    database_url,
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
    path.parent.mkdir(parents=True, exist_ok=True)
    with _workplace() as folder:
        copy = folder / DATABASE
        counts = copy_database(copy)
        members = {DATABASE: copy, **_files(folder / "files")}
        facts = {
            "made_at": now.isoformat(timespec="seconds"),
            "version": __version__,
            "database": connection.vendor,
            "rows": counts,
            "keys": _fingerprints(),
        }
        proof = _prove_copy(copy, folder, counts) if with_proof else ""
        write_archive(path, members, facts)
    if with_proof:
        record = {"at": now.isoformat(timespec="seconds"), "file": str(path.resolve())}
        (settings.VAR / LAST).write_text(json.dumps(record), encoding="utf-8")
    return Backup(path, sum(counts.values()), len(members) - 1, proof)


def restore(path: Path, *, with_proof: bool = False) -> Backup:
    """Put a backup into an empty installation. Raises BackupError; then the database is as it was.

    Everything is checked before anything is written: each member's hash, the kind of the database, the keys, and that
    the database and the files in the way are no one's.
    """
    manifest = read_manifest(path)
    damage = find_damage(path)
    if damage:
        raise BackupError(f"The backup is damaged; nothing was restored. {' '.join(damage)}")
    _refuse_misfits(manifest)
    files = [name for name in manifest["sha256"] if name != DATABASE]
    with _workplace() as folder:
        copy = folder / DATABASE
        extract(path, DATABASE, copy)
        _place_files(path, files, manifest["sha256"])
        replace_database(copy)
        proof = _prove(database_url(), manifest["rows"]) if with_proof else ""
    return Backup(path, sum(manifest["rows"].values()), len(files), proof)


def _refuse_misfits(manifest: Mapping[str, Any]) -> None:
    if manifest["database"] != connection.vendor:
        raise BackupError(
            f"The backup is of {manifest['database']} and DATABASE_URL names {connection.vendor}. Nothing was restored."
        )
    local = _fingerprints()
    other = [name for name in KEYS if manifest["keys"].get(name) != local[name]]
    if other:
        raise BackupError(
            f"{' and '.join(other)} of this installation differ from those of the backup. Without them its access "
            "keys cannot be read and workers are not recognised. Set them, then run this again. Nothing was restored."
        )
    rows = rows_in_use()
    if rows:
        raise BackupError(
            f"The database is in use: {rows} rows. Restore into an empty one (DATABASE_URL). Nothing was restored."
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
    """Run the checks of both sides on a database. Raises BackupError with what they say."""
    there = rows_of(url)
    wrong = sorted(table for table in counts if there.get(table) != counts[table])
    if wrong:
        raise BackupError(f"The restored database has another number of rows in {', '.join(wrong)}.")
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
