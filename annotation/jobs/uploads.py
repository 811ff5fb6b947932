"""Files that came by a form, kept until the job that reads them has run."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from annotation import settings
from annotation.jobs import shared_files

MAX_FILES = 200  # of a folder


def _tamed(name: str | None) -> str:
    return re.sub(r"[^\w.-]+", "_", Path(name or "file").name)[-100:].lstrip(".") or "file"


def keep(file: UploadedFile) -> Path:
    """Store an upload in a folder of its own, under its own (tamed) name: messages name the file as the person does."""
    return keep_checked(file, lambda path: None)


def keep_checked(file: UploadedFile, check: Callable[[Path], object]) -> Path:
    """Store an upload as `keep` does, if `check` raises nothing; else nothing stays."""
    shared_files.leave_old(settings.uploads())
    folder = settings.uploads() / uuid.uuid4().hex
    folder.mkdir(parents=True)
    path = folder / _tamed(file.name)
    try:
        with path.open("wb") as stored:
            for chunk in file.chunks():
                stored.write(chunk)
        check(path)
        shared_files.publish(path)
    except BaseException:  # a full disk, or a request that ended: no part of a file stays
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path


def discard(path: Path) -> None:
    """Delete an upload that was read, with the folder that it has to itself."""
    shared_files.remove(path.parent)


def keep_folder(files: Sequence[UploadedFile]) -> Path:
    """Store the files of a folder, each under its own (tamed) name, as a folder of an upload's folder."""
    folder = settings.uploads() / uuid.uuid4().hex
    path = folder / "dataset"
    path.mkdir(parents=True)
    try:
        for file in files[:MAX_FILES]:
            with (path / _tamed(file.name)).open("wb") as stored:
                for chunk in file.chunks():
                    stored.write(chunk)
        shared_files.publish(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path
