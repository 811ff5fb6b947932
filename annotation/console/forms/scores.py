"""A file of numbers about a study's texts, and what made them."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import SCORES_MIB
from annotation.console.forms.upload_field import UploadField
from annotation.reports import scores_upload


class AttachScores(forms.Form):
    """A file that every later report tells of."""

    file = UploadField(
        max_mib=SCORES_MIB,
        label=_("File of scores"),
        help_text=_("A CSV with the column id and a column for each score, or JSON of python -m metrics."),
        validators=[scores_upload.check_size],
    )
    model = forms.CharField(
        label=_("Model or tool"),
        max_length=scores_upload.MAX_NAME_CHARS,
        required=False,
        help_text=_("What computed the scores. JSON files name it."),
    )
    version = forms.CharField(label=_("Version"), max_length=scores_upload.MAX_NAME_CHARS, required=False)
    columns = forms.CharField(
        label=_("Columns to use"),
        max_length=scores_upload.MAX_COLUMNS_CHARS,
        required=False,
        help_text=_("Separated by commas. Empty: all."),
    )

    def chosen(self) -> list[str]:
        """The columns that were named."""
        return scores_upload.parse_columns(self.cleaned_data["columns"])
