"""Files that came by a form, kept until the job that reads them has run."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from annotation import settings


def keep(file: UploadedFile) -> Path:
    """Store an upload in a folder of its own, under its own (tamed) name: messages name the file as the person does."""
    folder = settings.uploads() / uuid.uuid4().hex
    folder.mkdir(parents=True)
    path = folder / (re.sub(r"[^\w.-]+", "_", Path(file.name or "file").name)[-100:].lstrip(".") or "file")
    with path.open("wb") as stored:
        for chunk in file.chunks():
            stored.write(chunk)
    return path
