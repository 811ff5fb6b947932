"""Files that came by a form, kept until the job that reads them has run."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from annotation import settings

MAX_FILES = 200  # of a folder


def _tamed(name: str | None) -> str:
    return re.sub(r"[^\w.-]+", "_", Path(name or "file").name)[-100:].lstrip(".") or "file"


def keep(file: UploadedFile) -> Path:
    """Store an upload in a folder of its own, under its own (tamed) name: messages name the file as the person does."""
    folder = settings.uploads() / uuid.uuid4().hex
    folder.mkdir(parents=True)
    path = folder / _tamed(file.name)
    try:
        with path.open("wb") as stored:
            for chunk in file.chunks():
                stored.write(chunk)
    except BaseException:  # a full disk, or a request that ended: no part of a file stays
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path


def keep_checked(file: UploadedFile, check: Callable[[Path], object]) -> Path:
    """Store an upload as `keep` does, if `check` raises nothing; else nothing stays."""
    path = keep(file)
    try:
        check(path)
    except BaseException:
        discard(path)
        raise
    return path


def discard(path: Path) -> None:
    """Delete an upload that was read, with the folder that it has to itself."""
    shutil.rmtree(path.parent, ignore_errors=True)


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
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path
