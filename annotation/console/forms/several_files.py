"""A field for one file or several."""

from __future__ import annotations

from typing import Any

from django import forms


class SeveralFilesInput(forms.ClearableFileInput):
    """Lets the browser choose more than one."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """A list of files, each checked alone; an empty list where none was chosen and none is needed."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = list(data) if isinstance(data, list | tuple) else [data]
        cleaned = [super(SeveralFilesField, self).clean(file, initial) for file in files] if files else []
        if not files:
            super().clean(None, initial)
        return [file for file in cleaned if file]
