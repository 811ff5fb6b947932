"""Which studies to compare, and how long a link to a report lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Study


class Compare(forms.Form):
    """Two studies or more."""

    studies = forms.MultipleChoiceField(
        label=_("Studies"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose two or more studies.")},
    )

    def __init__(self, *args: Any, studies: Sequence[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["studies"].choices = [(str(study.uuid), study.name) for study in studies]  # type: ignore[attr-defined]

    def clean_studies(self) -> list[str]:
        studies: list[str] = self.cleaned_data["studies"]
        if len(studies) < 2:
            raise forms.ValidationError(_("Choose two or more studies."))
        return studies


class Share(forms.Form):
    """A link for anybody who has it."""

    days = forms.IntegerField(
        label=_("Days until the link expires"),
        min_value=1,
        max_value=3650,
        required=False,
        help_text=_("Empty: the link stays valid until you revoke it."),
    )
