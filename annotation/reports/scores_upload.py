"""The rules of an uploaded file of scores, which the console's form and the web API share."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import MIB, SCORES_MIB

MAX_BYTES = SCORES_MIB * MIB
MAX_NAME_CHARS = 200
MAX_COLUMNS_CHARS = 1000


def check_size(file: UploadedFile[Any]) -> None:
    """Raise ValidationError for a file far larger than the scores of the largest study."""
    if (file.size or 0) > MAX_BYTES:
        raise ValidationError(
            _("The file is over %(size)s MB. Attach it with `manage.py attach_scores` instead."),
            params={"size": SCORES_MIB},
        )


def parse_columns(names: str) -> list[str]:
    """Return the names of columns that commas separate."""
    return [name.strip() for name in names.split(",") if name.strip()]
