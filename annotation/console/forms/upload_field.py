"""A field for a file, which says how large the file may be."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import FILE_MIB


class UploadField(forms.FileField):
    """Its help text ends in the largest size; its validators refuse a larger file with a sentence of their own."""

    def __init__(self, *, max_mib: int = FILE_MIB, help_text: Any = "", **options: Any) -> None:
        size = format_lazy(_("At most {mib} MB."), mib=max_mib)
        super().__init__(help_text=format_lazy("{} {}", help_text, size) if help_text else size, **options)
