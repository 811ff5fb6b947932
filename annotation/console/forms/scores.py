"""A file of numbers about a study's texts, and what made them."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

MOST_BYTES = 50 * 1024 * 1024


def small_enough(file: UploadedFile) -> None:
    """Scores of the largest study are far smaller."""
    if (file.size or 0) > MOST_BYTES:
        raise forms.ValidationError(_("The file is over 50 MB; attach it by the command instead."))


class AttachScores(forms.Form):
    """A file that every later report tells of."""

    file = forms.FileField(
        label=_("File of scores"),
        help_text=_("A CSV with the column id and a column for each score, or JSON of python -m metrics."),
        validators=[small_enough],
    )
    model = forms.CharField(
        label=_("Model or tool"), max_length=200, required=False, help_text=_("Whose numbers they are; JSON says so.")
    )
    version = forms.CharField(label=_("Its version"), max_length=200, required=False)
    columns = forms.CharField(
        label=_("Columns to take"), max_length=1000, required=False, help_text=_("Separated by commas; empty: all.")
    )

    def chosen(self) -> list[str]:
        """The columns that were named."""
        return [name.strip() for name in self.cleaned_data["columns"].split(",") if name.strip()]
