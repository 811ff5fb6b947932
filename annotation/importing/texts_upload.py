"""The rules of an uploaded file of texts, which the console's form and the web API share."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import FILE_MIB, MIB
from annotation.readers.texts import NEEDED, OPTIONAL

MAX_BYTES = FILE_MIB * MIB
MAX_GENERATOR_CHARS = 100
ENDINGS = (
    ".csv",
    ".tsv",
    ".tab",
    ".txt",
    ".jsonl",
    ".ndjson",
    ".json",
    ".xlsx",
    ".xlsm",
    ".ods",
    ".parquet",
)


def check_size(file: UploadedFile[Any]) -> None:
    """Raise ValidationError for a file that a request should not carry."""
    if (file.size or 0) > MAX_BYTES:
        raise ValidationError(
            _("The file is larger than %(size)s MB. Use the command manage.py import_texts."), params={"size": FILE_MIB}
        )


def check_ending(file: UploadedFile[Any]) -> None:
    """Raise ValidationError for a file that no reader is for, by the end of its name."""
    if not (file.name or "").lower().endswith(ENDINGS):
        raise ValidationError(_("The name of the file must end in one of: %s.") % ", ".join(ENDINGS))


def parse_pairs(lines: str) -> dict[str, str]:
    """Return the pairs of lines `left = right`. Raises ValidationError naming a line of another form."""
    pairs = {}
    for line in lines.splitlines():
        left, sign, right = (part.strip() for part in line.partition("="))
        if line.strip() and not (left and sign and right):
            raise ValidationError(_("“%(line)s” is not of the form “name = value”."), params={"line": line})
        if left:
            pairs[left] = right
    return pairs


def parse_columns(lines: str) -> dict[str, str]:
    """Return the file's name of each column, from lines `column = the file's name`."""
    names = parse_pairs(lines)
    if unknown := sorted(set(names) - {*NEEDED, *OPTIONAL}):
        known = ", ".join((*NEEDED, *OPTIONAL))
        raise ValidationError(
            _("Unknown column %(column)s. Use one of: %(known)s."), params={"column": unknown[0], "known": known}
        )
    return names


def parse_sources(lines: str) -> dict[str, str]:
    """Return the source of each word of the file, from lines `the file's word = reference or model`."""
    sources = parse_pairs(lines)
    if set(sources.values()) - {"reference", "model"}:
        raise ValidationError(_('The value after "=" must be "reference" or "model".'))
    return sources
