"""A backup as one file: a zip archive with a manifest that holds the hash of every other member."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from annotation.exceptions import AssayError

MANIFEST = "manifest.json"
SCHEMA = "assay-backup"
SCHEMA_VERSION = 1
CHUNK = 1 << 20
# What the library raises for a changed byte: of a flag it reads as encryption, of a method as one that it lacks.
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    KeyError,
    ValueError,
    TypeError,
    OSError,
    EOFError,
    RuntimeError,
)


class BackupError(AssayError):
    """A backup that cannot be made, read or restored."""


def write_archive(path: Path, members: Mapping[str, Path], facts: Mapping[str, Any]) -> None:
    """Write the members and a manifest of `facts` and hashes; only this user may read it. All or nothing.

    Raises BackupError where the file exists.
    """
    if path.exists():
        raise BackupError(f"{path} exists already. Name another file.")
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with _private(unfinished) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            hashes = {}
            for name, source in sorted(members.items()):
                archive.write(source, name)
                hashes[name] = _digest(source.open("rb"))
            manifest = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **facts, "sha256": hashes}
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1, sort_keys=True))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest. Raises BackupError where the file is no backup, or is of a later version of Assay."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = dict(json.loads(archive.read(MANIFEST)))
    except FileNotFoundError:
        raise BackupError(f"{path} does not exist.") from None
    except (IsADirectoryError, PermissionError) as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from None
    except UNREADABLE:
        raise BackupError(f"{path} is damaged, or is not a backup: its manifest cannot be read.") from None
    if manifest.get("schema") != SCHEMA:
        raise BackupError(f"{path} is not a backup of Assay.")
    if manifest.get("schema_version") != SCHEMA_VERSION:
        raise BackupError(f"{path} was made by another version of Assay. Restore it with that version.")
    return manifest


def find_damage(path: Path) -> tuple[str, ...]:
    """A sentence for each member that is missing, cannot be read or is not what was stored."""
    manifest = read_manifest(path)
    faults = []
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        for name, expected in manifest["sha256"].items():
            if name not in names:
                faults.append(f"{name} is missing in {path.name}.")
                continue
            try:
                digest = _digest(archive.open(name))
            except UNREADABLE:
                faults.append(f"{name} in {path.name} is damaged: it cannot be read.")
                continue
            if digest != expected:
                faults.append(f"{name} in {path.name} is not what was stored.")
    return tuple(faults)


def extract(path: Path, name: str, target: Path) -> None:
    """Write one member to a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path) as archive, archive.open(name) as source, target.open("wb") as file:
        for block in _blocks(source):
            file.write(block)


def _private(path: Path) -> IO[bytes]:
    """A new file that only this user may read and write."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    with file:
        for block in _blocks(file):
            digest.update(block)
    return digest.hexdigest()


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(CHUNK):
        yield block
