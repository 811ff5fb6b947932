"""Uploads and jobs' files where several machines share them: in Django's storage `files`, by their paths below VAR.

Where FILES_BUCKET names no bucket, these files lie below VAR alone, and everything here leaves them as they are. With a
bucket the folder of a machine is a place to work in: what is written there is published, what is needed is brought.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from annotation.exceptions import StateError

# Settings of a job that name uploads.
UPLOADS = ("path", "likelihoods", "joined", "mapping", "scores", "origins", "files")
FAILURES = (BotoCoreError, ClientError, OSError)


class StorageError(StateError):
    """The storage of files does not answer."""


def storage() -> Storage | None:
    """The storage that machines share; None where there is one machine."""
    return storages["files"] if settings.FILES_BUCKET else None


def publish(path: Path) -> None:
    """Store a file, or every file of a folder, for all machines. Raises StorageError."""
    shared = storage()
    if shared is None:
        return
    with _answering():
        for file in _files_of(path):
            with file.open("rb") as content:
                shared.save(_name(file), File(content))


def bring(path: Path) -> Path:
    """Have a file, or every file of a folder, below VAR on this machine; one that is here already stays.

    Returns `path`, which is not there where the storage has no such file. Raises StorageError.
    """
    shared = storage()
    if shared is not None:
        with _answering():
            for name in stored_names(_name(path)):
                _copy(shared, name, Path(settings.VAR) / name)
    return path


@contextmanager
def borrow(folder: Path) -> Iterator[Path]:
    """A folder with the files of `folder`, to be read: itself, or a copy that is deleted afterwards."""
    shared = storage()
    if shared is None:
        yield folder
        return
    with TemporaryDirectory() as copy:
        with _answering():
            for name in stored_names(_name(folder)):
                _copy(shared, name, Path(copy) / PurePosixPath(name).relative_to(_name(folder)))
        yield Path(copy)


def open_file(path: Path) -> IO[bytes] | None:
    """A file to be read; None where there is none. Raises StorageError."""
    shared = storage()
    if shared is None:
        return path.open("rb") if path.is_file() else None
    with _answering():
        name = _name(path)
        return shared.open(name) if shared.exists(name) else None


def remove(path: Path) -> None:
    """Delete a file or a folder, here and for all machines."""
    shared = storage()
    if shared is not None:
        with _answering():
            for name in stored_names(_name(path)):
                shared.delete(name)
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def leave(path: Path) -> None:
    """Delete this machine's copy where the files are shared."""
    if storage() is not None:
        shutil.rmtree(path, ignore_errors=True)


def leave_old(folder: Path, *, older: timedelta = timedelta(hours=1)) -> None:
    """Delete this machine's copies in a folder that nobody has changed for so long, where they are shared."""
    if storage() is not None and folder.is_dir():
        ended = time.time() - older.total_seconds()
        for path in folder.iterdir():
            if path.is_dir() and path.stat().st_mtime < ended:
                shutil.rmtree(path, ignore_errors=True)


def folder_names(folder: Path) -> list[str]:
    """The names of what lies directly in a folder, here or for all machines."""
    local = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    shared = storage()
    if shared is not None:
        with _answering():
            local.update(name for names in shared.listdir(_name(folder)) for name in names if name)
    return sorted(local)


def changed_at(path: Path) -> datetime:
    """When a file or folder was last changed; the end of time where it is gone."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:  # on another machine, or another work loop was quicker
        shared = storage()
    times = []
    if shared is not None:
        with _answering():
            times = [shared.get_modified_time(name) for name in stored_names(_name(path))]
    return max(times, default=datetime.max.replace(tzinfo=UTC))


def stored_names(under: str) -> Iterator[str]:
    """The names in the storage of a file, or of the files of a folder and its folders."""
    shared = storage()
    if shared is None:
        return
    folders, files = shared.listdir(under)
    if not folders and not files and shared.exists(under):
        yield under
    yield from (f"{under}/{name}" for name in files if name)
    for folder in folders:
        yield from stored_names(f"{under}/{folder}")


def copy_to(folder: Path, name: str) -> Path:
    """A copy of a file of the storage, below `folder`. Raises StorageError."""
    shared = storage()
    if shared is not None:
        with _answering():
            _copy(shared, name, folder / name)
    return folder / name


def with_local_files(requested: Mapping[str, Any]) -> dict[str, Any]:
    """A job's settings, with the uploads that they name brought to this machine. Raises StorageError."""
    if storage() is None:
        return dict(requested)
    return {name: _local(value) if name in UPLOADS else value for name, value in requested.items()}


def leave_uploads(requested: Mapping[str, Any]) -> None:
    """Delete this machine's copies of the uploads of a job's settings where they are shared."""
    for name in UPLOADS:
        value = requested.get(name)
        for path in value if isinstance(value, list) else [value]:
            if (file := _upload(path)) is not None:
                leave(file.parent)


def _local(value: Any) -> Any:
    if isinstance(value, list):
        return [_local(entry) for entry in value]
    file = _upload(value)
    return value if file is None else str(bring(file))


def _upload(value: Any) -> Path | None:
    """Where an upload lies on this machine, which another one named by its own folder; None of another value."""
    parts = PurePosixPath(value).parts if isinstance(value, str) and value.startswith("/") else ()
    return Path(settings.VAR).joinpath(*parts[-3:]) if len(parts) > 3 and parts[-3] == "uploads" else None


def _files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _name(path: Path) -> str:
    return path.relative_to(settings.VAR).as_posix()


def _copy(shared: Storage, name: str, target: Path) -> None:
    if target.is_file() and target.stat().st_size == shared.size(name):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.unfinished")
    with shared.open(name) as content, unfinished.open("wb") as file:
        shutil.copyfileobj(content, file)
    unfinished.replace(target)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except FAILURES as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise StorageError(
            "The storage of files does not answer. Nothing was lost; try again later, or ask the operator."
        ) from error
