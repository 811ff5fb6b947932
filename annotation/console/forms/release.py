"""A public release: license, consent, comments that somebody has read, and who does not share."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

MAX_COMMENTS = 200


class ReleaseForm(forms.Form):
    licence = forms.CharField(
        label=_("License"), max_length=200, help_text=_("Such as CC-BY-4.0. Applies to all files.")
    )
    consent = forms.CharField(
        label=_("How did people agree that their answers are shared?"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    comments = forms.MultipleChoiceField(
        label=_("Comments to release"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Choose only comments that you have read and that name no person. The others are withheld."),
    )

    def __init__(self, *args: Any, comments: tuple[tuple[str, str], ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["comments"].choices = comments  # type: ignore[attr-defined]
        if not comments:
            del self.fields["comments"]


class ObjectionsForm(forms.Form):
    withheld = forms.CharField(
        label=_("Raters who do not share their answers"),
        required=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("One pseudonym or worker ID per line. Replaces the list that is stored."),
    )
