"""Spending needs the study's name, typed; participants need the name of who asks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class Publish(forms.Form):
    """Nothing to fill where the site pays nobody."""

    name = forms.CharField(label=_("Study name"), widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, study_name: str, spends: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study_name = study_name
        self.spends = spends
        if not spends:
            del self.fields["name"]

    def clean_name(self) -> str:
        if self.cleaned_data["name"].strip() != self.study_name:
            raise forms.ValidationError(_("This is not the study's name. Nothing was published."))
        return self.study_name


class ShownName(forms.Form):
    """The name that participants read as who asks."""

    shown_name = forms.CharField(
        label=_("Name"), max_length=100,
        help_text=_("A person, a group or a lab, as you would sign a letter: “Ada Lovelace, Example University”."),
    )  # fmt: skip
